package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"reasonix/core/internal/walk"
)

// fileSearch is one run of glob.
type fileSearch struct {
	scope
	filter filter
	most   int // files wanted

	found []foundFile // the newest, best first
	total int
}

// foundFile is a file whose name matches.
type foundFile struct {
	rel      string
	modified int64 // nanoseconds since 1970
}

// before orders files: newest first, then by path.
func (f foundFile) before(g foundFile) int {
	if c := cmp.Compare(g.modified, f.modified); c != 0 {
		return c
	}
	return strings.Compare(f.rel, g.rel)
}

// newest keeps the first files, in order, of those handed in. It belongs to one
// worker; memory stays bounded however many files match.
type newest struct {
	most  int
	files []foundFile
	total int
	full  bool     // the first most files are in order; none older is wanted
	_     [64]byte // workers do not share a cache line
}

func (n *newest) add(f foundFile) {
	n.total++
	if n.full && f.modified < n.files[n.most-1].modified {
		return
	}
	if n.files = append(n.files, f); len(n.files) >= 4*n.most {
		n.cut()
	}
}

func (n *newest) cut() {
	slices.SortFunc(n.files, foundFile.before)
	n.full = len(n.files) >= n.most
	n.files = n.files[:min(len(n.files), n.most)]
}

// run walks and returns when no worker is left.
func (s *fileSearch) run(ctx context.Context, opt walk.Options) error {
	w := walk.New(opt)
	parts := make([]newest, w.Workers())
	err := w.Run(ctx, func(worker int, f walk.File) {
		if !s.filter.keeps(s.shown, f) {
			return
		}
		rel := f.Rel()
		at, err := modified(f.Abs())
		if err != nil {
			s.failed(rel, err)
			return
		}
		p := &parts[worker]
		p.most = s.most
		p.add(foundFile{rel, at})
	})
	s.addSkipped(w.Skipped())
	all := newest{most: s.most}
	for i := range parts {
		all.files = append(all.files, parts[i].files...)
		s.total += parts[i].total
	}
	all.cut()
	s.found = all.files
	return err
}

// report is what the model reads, in about room bytes.
func (s *fileSearch) report(room int, partial bool) string {
	var text strings.Builder
	shown := 0
	for _, f := range s.found {
		name := s.name(f.rel)
		if shown > 0 && text.Len()+len(name) >= room {
			break
		}
		text.WriteString(name + "\n")
		shown++
	}
	switch {
	case s.total == 0 && partial:
		text.WriteString("(no matches so far)\n")
	case s.total == 0:
		text.WriteString("(no matches)\n")
	case shown < s.total:
		fmt.Fprintf(&text, "... (%d more)\n", s.total-shown)
	}
	text.WriteString(s.caveats(partial))
	return strings.TrimSuffix(text.String(), "\n")
}
