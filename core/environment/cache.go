package environment

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"reasonix/core/durable"
)

// cacheFormat is raised when the meaning of the file changes; another one is
// ignored and overwritten.
const cacheFormat = 2

// maxCache is the largest cache read, in bytes: some thousand programs.
const maxCache = 4 << 20

// cache is <home>/cache/environment.json. Deleting it costs one slow start.
type cache struct {
	mu      sync.Mutex
	data    cacheData
	changed bool
}

type cacheData struct {
	Format int               `json:"format"`
	Search string            `json:"search"`          // PATH and the times of its directories
	Found  map[string]string `json:"found,omitempty"` // name -> executable
	Known  map[string]entry  `json:"known,omitempty"` // executable -> what it said
}

type entry struct {
	Identity identity `json:"identity"`
	Version  string   `json:"version,omitempty"`
	Stub     bool     `json:"stub,omitempty"`
}

// identity changes when an executable is replaced.
type identity struct {
	Size int64 `json:"size"`
	Time int64 `json:"time"` // nanoseconds since 1970
}

// identify follows links: a version manager swaps the target.
func identify(path string) (identity, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return identity{}, false
	}
	return identity{info.Size(), info.ModTime().UnixNano()}, true
}

func cachePath(home string) string { return filepath.Join(home, "cache", "environment.json") }

// readCache returns an empty cache when there is none that can be used.
func readCache(home string) *cache {
	empty := &cache{data: cacheData{Format: cacheFormat, Known: map[string]entry{}}}
	if home == "" {
		return empty
	}
	data, err := durable.ReadFile(cachePath(home), maxCache)
	if err != nil {
		return empty
	}
	c := &cache{}
	if json.Unmarshal(data, &c.data) != nil || c.data.Format != cacheFormat || c.data.Known == nil {
		return empty
	}
	return c
}

func (c *cache) get(path string, id identity) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.data.Known[path]
	return e, ok && e.Identity == id
}

func (c *cache) put(path string, e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data.Known[path], c.changed = e, true
}

func (c *cache) found(key string, paths map[string]string) {
	c.data.Search, c.data.Found, c.changed = key, maps.Clone(paths), true
}

// write stores what is new. The cache is a convenience, so its errors are not
// reported.
func (c *cache) write(home string) {
	if !c.changed || home == "" {
		return
	}
	data, err := json.MarshalIndent(c.data, "", "  ")
	if err != nil {
		return
	}
	if durable.MkdirAll(filepath.Dir(cachePath(home))) == nil {
		_ = durable.WriteFile(cachePath(home), append(data, '\n'), 0o600)
	}
}
