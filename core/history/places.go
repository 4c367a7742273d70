package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Places are where journals and archives are. An empty one holds nothing.
type Places struct {
	Sessions string // the directory of this workspace's journals
	Projects string // the directory with every project's, <project>/sessions
	Archive  string // messages folded by compaction
}

// Below returns the places of a home directory. sessions is the directory of this
// workspace's journals (jsonl.Dir).
func Below(home, sessions string) Places {
	return Places{
		Sessions: sessions,
		Projects: filepath.Join(home, "projects"),
		Archive:  filepath.Join(home, "archive"),
	}
}

// Scope says which journals count.
type Scope string

// Project is this workspace's sessions; Global is those of every workspace and the
// archives.
const (
	Project Scope = "project"
	Global  Scope = "global"
)

// indexName is the file with the index of a shelf. No session is called so: ids have
// no dot.
const indexName = "history.idx"

// shelf is one directory of journals or archives and its index.
type shelf struct {
	dir     string
	index   string
	own     bool // this workspace's
	archive bool
}

func sessionsShelf(dir string) shelf {
	return shelf{dir: dir, index: filepath.Join(filepath.Dir(dir), indexName)}
}

// shelves lists the directories of a scope.
func (p Places) shelves(scope Scope) ([]shelf, error) {
	var list []shelf
	if p.Sessions != "" {
		own := sessionsShelf(p.Sessions)
		own.own = true
		list = append(list, own)
	}
	if scope != Global {
		return list, nil
	}
	if p.Projects != "" {
		entries, err := os.ReadDir(p.Projects)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list projects: %w", err)
		}
		for _, e := range entries {
			dir := filepath.Join(p.Projects, e.Name(), "sessions")
			if e.IsDir() && dir != filepath.Clean(p.Sessions) {
				list = append(list, sessionsShelf(dir))
			}
		}
	}
	if p.Archive != "" {
		list = append(list, shelf{dir: p.Archive, index: filepath.Join(p.Archive, indexName), archive: true})
	}
	return list, nil
}

// archivePrefix begins the names by which archives are asked for.
const archivePrefix = "archive/"

// file is a journal as its directory shows it.
type file struct {
	name     string // without .jsonl
	size     int64
	modified int64 // nanoseconds
}

// files lists the journals of a shelf; none when it does not exist.
func (s shelf) files() ([]file, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list journals: %w", err)
	}
	var list []file
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || name == "" || name == "index" {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted meanwhile, or not ours
		}
		list = append(list, file{name, info.Size(), info.ModTime().UnixNano()})
	}
	return list, nil
}

func (s shelf) path(name string) string { return filepath.Join(s.dir, name+".jsonl") }
