package mcp

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"reasonix/core/durable"
)

const (
	cacheMark = 1
	maxCache  = 64 << 20
)

// A cache is what a server offered, for the next session. The lists in it are those
// of this declaration and of what the client said it can do, since a server may
// offer less to one that can do less.
type cache struct {
	Mark   int    `json:"mark"`
	Server string `json:"server"`
	Key    string `json:"key"`
	list
	Prompts []Prompt `json:"prompts,omitzero"`
}

// A store is the file in which a server's lists are kept between sessions.
type store struct {
	declared
	log *serverLog

	mu   sync.Mutex
	kept []byte // what is in it, as far as known
}

func (k *store) path() string {
	if k.world.CacheDir == "" {
		return ""
	}
	return filepath.Join(k.world.CacheDir, k.part+"-"+k.cacheKey()+".json")
}

// write keeps what now returns, when that is not what is kept already.
func (k *store) write(now func() (*list, []Prompt)) {
	path := k.path()
	if path == "" {
		return
	}
	k.mu.Lock() // what is read last is written last
	defer k.mu.Unlock()
	kept := cache{Mark: cacheMark, Server: k.cfg.Name, Key: k.cacheKey()}
	tools, prompts := now()
	if tools != nil {
		kept.list = *tools
	}
	kept.Prompts = prompts
	data, err := json.Marshal(kept)
	if err == nil && bytes.Equal(data, k.kept) {
		return
	}
	if err == nil {
		err = durable.MkdirAll(filepath.Dir(path))
	}
	if err == nil {
		err = durable.WriteCache(path, data)
	}
	if err != nil {
		k.log.note("keep the lists of what it offers: %v", err)
		return
	}
	k.kept = data
}

// read returns what an earlier session kept, nil when there is nothing to trust.
func (k *store) read() (*list, []Prompt) {
	path := k.path()
	if path == "" {
		return nil, nil
	}
	data, err := durable.ReadFile(path, maxCache)
	if err != nil {
		return nil, nil
	}
	var kept cache
	if json.Unmarshal(data, &kept) != nil || kept.Mark != cacheMark || kept.Server != k.cfg.Name || kept.Key != k.cacheKey() {
		return nil, nil
	}
	for _, t := range kept.Tools {
		if t.Raw == "" || !json.Valid(t.Schema) {
			return nil, nil
		}
	}
	k.kept = data
	slices.SortFunc(kept.Tools, func(a, b spec) int { return strings.Compare(a.Raw, b.Raw) })
	return &kept.list, k.commands(kept.Prompts)
}
