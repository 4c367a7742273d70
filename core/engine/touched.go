package engine

import (
	"path/filepath"
	"slices"
	"sync"
	"time"

	"reasonix/core/event"
)

// touched is what is known of the calls that run until each has its result: when it
// began, and the files it named or was seen to change. Safe for concurrent use.
type touched struct {
	mu    sync.Mutex
	calls map[string]*footprint
}

type footprint struct {
	began         time.Time
	reads, writes []string
	seen          bool // what it changed was looked for, and is in writes
}

// follow takes in what is recorded, and completes the result of a call.
func (t *touched) follow(p event.Payload, now func() time.Time) event.Payload {
	switch p.(type) {
	case event.ToolStarted, event.FilesChanged, event.ToolFinished:
	default:
		return p // there are many, and none is of a call
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch p := p.(type) {
	case event.ToolStarted:
		t.of(p.Call).begin(p, now())
	case event.FilesChanged:
		f := t.of(p.Call)
		if !f.seen {
			f.writes, f.seen = nil, true
		}
		for _, file := range p.Files {
			f.writes = append(f.writes, file.Path)
		}
	case event.ToolFinished:
		f, ok := t.calls[p.Call]
		delete(t.calls, p.Call)
		if ok && !f.began.IsZero() {
			p.Started, p.Reads, p.Writes = f.began, bounded(f.reads), bounded(f.writes)
		}
		return p
	default: // see above
	}
	return p
}

func (t *touched) of(call string) *footprint {
	f := t.calls[call]
	if f == nil {
		f = &footprint{}
		if t.calls == nil {
			t.calls = map[string]*footprint{}
		}
		t.calls[call] = f
	}
	return f
}

func (f *footprint) begin(p event.ToolStarted, now time.Time) {
	if !f.began.IsZero() {
		return // it runs once more
	}
	f.began = now.UTC()
	switch p.Kind {
	case "read", "search":
		f.reads = slashed(p.Paths)
	case "edit":
		if !f.seen {
			f.writes = slashed(p.Paths)
		}
	}
}

func slashed(paths []string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = filepath.ToSlash(path)
	}
	return all
}

// drop forgets calls whose turn is over.
func (t *touched) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = nil
}

func bounded(paths []string) []string {
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	return paths[:min(len(paths), event.MaxPaths)]
}
