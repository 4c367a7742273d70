package search

import (
	"context"
	"path/filepath"

	"reasonix/core/internal/walk"
)

// lineSearch is one run of grep.
type lineSearch struct {
	scope
	matcher   *matcher
	filter    filter
	top       string // absolute
	isFile    bool   // top is a file, so no filter applies
	around    int    // lines of context
	filesOnly bool
	room      int                   // bytes of the report
	hidden    func(abs string) bool // of a file that holds a match

	found collection
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
	if err != nil {
		s.failed(rel(), err)
	}
	if hits == nil || s.hidden(abs) {
		return
	}
	hits.rel = rel()
	if last, full := s.found.add(hits, maxMatches+1); full {
		limit(last)
	}
}

func (s *lineSearch) abs(rel string) string { return filepath.Join(s.top, filepath.FromSlash(rel)) }
