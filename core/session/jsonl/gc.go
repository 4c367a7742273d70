package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// GCOptions say what GC removes beside leftovers: sessions that were last written to
// longer ago than OlderThan, but never the Keep newest. One of the two alone counts
// alone; without both no session is removed.
type GCOptions struct {
	OlderThan time.Duration
	Keep      int
	Apply     bool // otherwise it only says what it would do
}

// Removed is one thing GC removed, or would.
type Removed struct {
	Session event.SessionID // empty: a file of none
	Title   string
	Path    string
	Why     string // old, orphan, unused, unfinished
	Bytes   int64
	Kept    string // why it was not removed after all
}

// litterAge is how old a file must be to be nobody's: another process may be about to
// name it.
const litterAge = 24 * time.Hour

// GC removes old sessions, what is left of sessions that are gone, files that no record
// names, and what was never finished. A session that somebody writes is kept.
func (s *Store) GC(ctx context.Context, o GCOptions) ([]Removed, error) {
	g := collector{Store: s, o: o, now: s.now()}
	if err := g.run(ctx); err != nil {
		return g.all, fmt.Errorf("clean up sessions in %s: %w", s.dir, err)
	}
	return g.all, nil
}

type collector struct {
	*Store
	o     GCOptions
	now   time.Time
	names []string
	all   []Removed
}

func (g *collector) run(ctx context.Context) error {
	names, err := g.Store.names()
	if err != nil {
		return err
	}
	g.names = slices.Sorted(slices.Values(names))
	files, err := g.files()
	if err != nil {
		return err
	}
	living := map[event.SessionID]bool{}
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if g.old(i, f) {
			g.session(ctx, f)
			continue
		}
		living[f.id] = true
		if err := g.unused(ctx, f.id); err != nil {
			return err
		}
	}
	for _, f := range files {
		living[f.id] = true // what is left of one that was just removed is nothing
	}
	g.orphans(living)
	g.unfinished(g.dir, durable.TempPrefix, "")
	return nil
}

// old reports whether the i-th newest session goes. A time in the future, of a clock
// that was wrong, is not old.
func (g *collector) old(i int, f file) bool {
	if g.o.Keep <= 0 && g.o.OlderThan <= 0 {
		return false
	}
	return i >= g.o.Keep && (g.o.OlderThan <= 0 || g.now.Sub(f.written) > g.o.OlderThan)
}

func (g *collector) session(ctx context.Context, f file) {
	r := Removed{Session: f.id, Path: g.journal(f.id), Why: "old"}
	if m, ok := g.summary(f); ok {
		r.Title = m.Title
	}
	for _, name := range g.of(f.id) {
		r.Bytes += treeSize(filepath.Join(g.dir, name))
	}
	if holder := durable.Holder(g.path(f.id, ".lock")); holder != "" {
		r.Kept = "it is open in another process (" + holder + ")"
	} else if g.o.Apply {
		r.Kept = reason(g.Delete(ctx, f.id))
	}
	g.all = append(g.all, r)
}

// of lists the files of a session.
func (g *collector) of(id event.SessionID) []string {
	from, _ := slices.BinarySearch(g.names, string(id)+".")
	to := from
	for to < len(g.names) && strings.HasPrefix(g.names[to], string(id)+".") {
		to++
	}
	return g.names[from:to]
}

// unused removes files beside a session that none of its records names.
func (g *collector) unused(ctx context.Context, id event.SessionID) error {
	dir := g.path(id, ".files")
	set := newFileSet(dir)
	g.unfinished(dir, ".new-", id)
	if len(set.named) == 0 || durable.Holder(g.path(id, ".lock")) != "" {
		return nil
	}
	f, err := durable.Open(g.journal(id))
	if err != nil {
		return nil //nolint:nilerr // a journal that cannot be read names everything
	}
	defer f.Close()
	lines := newLineReader(f)
	for {
		line, _, err := lines.next()
		if err != nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		set.see(line)
	}
	for hash, named := range set.named {
		if path := filepath.Join(dir, hash); !named && g.aged(path) {
			g.remove(Removed{Session: id, Path: path, Why: "unused"})
		}
	}
	return nil
}

// orphans removes what is left of sessions that are gone.
func (g *collector) orphans(living map[event.SessionID]bool) {
	gone := map[event.SessionID][]string{}
	for _, name := range g.names {
		id, suffix, _ := strings.Cut(name, ".")
		if id := event.SessionID(id); ours(suffix) && session.ValidID(id) && !living[id] && name != cacheName {
			gone[id] = append(gone[id], filepath.Join(g.dir, name))
		}
	}
	for _, dir := range g.options.Beside {
		entries, _ := os.ReadDir(dir) // one that cannot be read keeps what it has
		for _, e := range entries {
			id := event.SessionID(e.Name())
			if path := filepath.Join(dir, e.Name()); session.ValidID(id) && !living[id] && g.aged(path) {
				gone[id] = append(gone[id], path)
			}
		}
	}
	for id, paths := range gone {
		g.orphan(id, paths)
	}
}

// ours reports whether a session's file may end so. Whatever else lies in the directory
// is somebody's.
func ours(suffix string) bool {
	suffix, _, _ = strings.Cut(suffix, "-")
	return slices.Contains([]string{"idx", "state", "lock", "files", "damaged", "original"}, suffix)
}

// orphan takes the lock of a session that is gone, because it may be one that is being
// made.
func (g *collector) orphan(id event.SessionID, paths []string) {
	if durable.Holder(g.path(id, ".lock")) != "" {
		return
	}
	if g.o.Apply {
		lock, err := g.acquire(id)
		if err != nil {
			return
		}
		if g.exists(id) == nil {
			_ = lock.Release() // somebody made it meanwhile
			return
		}
		defer func() { _ = errors.Join(lock.Release(), os.Remove(g.path(id, ".lock"))) }()
	}
	for _, path := range paths {
		g.remove(Removed{Session: id, Path: path, Why: "orphan"})
	}
}

// unfinished removes old temporary files.
func (g *collector) unfinished(dir, prefix string, id event.SessionID) {
	entries, _ := os.ReadDir(dir) // one that is not there has none
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); strings.HasPrefix(e.Name(), prefix) && g.aged(path) {
			g.remove(Removed{Session: id, Path: path, Why: "unfinished"})
		}
	}
}

func (g *collector) aged(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && g.now.Sub(info.ModTime()) > litterAge
}

func (g *collector) remove(r Removed) {
	r.Bytes = treeSize(r.Path)
	if g.o.Apply {
		r.Kept = reason(os.RemoveAll(r.Path))
	}
	g.all = append(g.all, r)
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// treeSize is how many bytes the files at and below path have.
func treeSize(path string) int64 {
	var n int64
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what is gone has no bytes
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
