package search

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"sync"
	"time"

	"reasonix/core/internal/walk"
	"reasonix/core/workspace"
)

// lineSearch is one run of grep.
type lineSearch struct {
	matcher   *matcher
	filter    filter
	top       string // absolute
	shown     string // how top is shown
	isFile    bool   // top is a file, so no filter applies
	around    int    // lines of context
	filesOnly bool
	room      int // bytes of the report
	limit     time.Duration

	found collection
	mu    sync.Mutex
	bad   walk.Skipped
}

// run searches top and returns when no worker is left.
func (s *lineSearch) run(ctx context.Context, opt walk.Options) error {
	if s.isFile {
		s.visit(s.scanner(ctx), s.top, func() string { return "" }, func(string) {})
		return context.Cause(ctx)
	}
	w := walk.New(opt)
	scanners := make([]*scanner, w.Workers())
	err := w.Run(ctx, func(worker int, f walk.File) {
		if scanners[worker] == nil {
			scanners[worker] = s.scanner(ctx)
		}
		if s.filter.keeps(s.shown, f) {
			s.visit(scanners[worker], f.Abs(), f.Rel, w.Limit)
		}
	})
	s.addSkipped(w.Skipped())
	return err
}

// scanner makes a worker's own. One match more than is shown tells that there
// are more.
func (s *lineSearch) scanner(ctx context.Context) *scanner {
	if s.filesOnly {
		return newScanner(ctx, s.matcher, 1)
	}
	return newScanner(ctx, s.matcher, maxMatches+1)
}

// visit searches one file and hands in what it has.
func (s *lineSearch) visit(sc *scanner, abs string, rel func() string, limit func(string)) {
	hits, err := sc.scan(abs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.mu.Lock()
		s.bad.Add(s.name(rel()))
		s.mu.Unlock()
	}
	if hits == nil {
		return
	}
	hits.rel = rel()
	if last, full := s.found.add(hits, maxMatches+1); full {
		limit(last)
	}
}

// name is how the file rel below top is shown; "" is top itself.
func (s *lineSearch) name(rel string) string {
	if s.shown == "." && rel != "" {
		return workspace.Quote(rel)
	}
	return workspace.Quote(path.Join(s.shown, rel))
}

func (s *lineSearch) abs(rel string) string { return filepath.Join(s.top, filepath.FromSlash(rel)) }

func (s *lineSearch) addSkipped(more walk.Skipped) {
	for _, p := range more.First {
		if path.IsAbs(p) {
			s.bad.Add(workspace.Quote(p))
		} else {
			s.bad.Add(s.name(p))
		}
	}
	s.bad.Count += more.Count - len(more.First)
}
