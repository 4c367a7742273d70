package search

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// report is what the model reads. partial says that time ran out.
func (s *lineSearch) report(ctx context.Context, partial bool) string {
	p := page{room: s.room}
	for _, f := range s.found.files {
		if !s.reportFile(ctx, &p, f) {
			break
		}
	}
	switch {
	case p.count == 0 && partial:
		p.text.WriteString("(no matches so far)\n")
	case p.count == 0:
		p.text.WriteString("(no matches)\n")
	case p.over:
		fmt.Fprintf(&p.text, "... (truncated at %d matches, %d bytes)\n", p.count, p.text.Len())
	case p.more:
		fmt.Fprintf(&p.text, "... (truncated at %d matches)\n", p.count)
	}
	p.text.WriteString(s.caveats(partial))
	return strings.TrimSuffix(p.text.String(), "\n")
}

// page is a report being written.
type page struct {
	text  strings.Builder
	room  int
	count int  // matches written
	more  bool // there are more than maxMatches
	over  bool // there was no more room
}

// match writes one match if the limits allow it.
func (p *page) match(lines ...string) bool {
	if p.count == maxMatches {
		p.more = true
		return false
	}
	size := 0
	for _, l := range lines {
		size += len(l)
	}
	if p.over = p.count > 0 && p.text.Len()+size > p.room; p.over {
		return false
	}
	for _, l := range lines {
		p.text.WriteString(l)
	}
	p.count++
	return true
}

// reportFile writes the matches of one file; false means that the page is full.
func (s *lineSearch) reportFile(ctx context.Context, p *page, f *fileHits) bool {
	name := s.name(f.rel)
	switch {
	case s.filesOnly:
		return p.match(name + "\n")
	case f.binary:
		return p.match(name + ": binary file matches\n")
	case s.around > 0:
		return s.reportAround(ctx, p, f, name)
	}
	for _, h := range f.hits {
		if !p.match(name, ":", strconv.Itoa(h.line), ":", h.text, "\n") {
			return false
		}
	}
	return true
}

// reportAround writes matches with the lines around them, as path-line-text, and
// "--" where lines between are left out.
func (s *lineSearch) reportAround(ctx context.Context, p *page, f *fileHits, name string) bool {
	around := newScanner(ctx, s.matcher, 0).around(s.abs(f.rel), f, s.around)
	written := 0 // the last line written
	for i, h := range f.hits {
		from, to := max(written+1, h.line-s.around), h.line+s.around
		if i+1 < len(f.hits) {
			to = min(to, f.hits[i+1].line-1)
		}
		var block []string
		if from > written+1 && p.count > 0 || written == 0 && p.count > 0 {
			block = append(block, "--\n")
		}
		for n := from; n <= to; n++ {
			if n == h.line {
				block = append(block, name, ":", strconv.Itoa(n), ":", h.text, "\n")
			} else if text, ok := around[n]; ok {
				block = append(block, name, "-", strconv.Itoa(n), "-", text, "\n")
			}
		}
		if !p.match(block...) {
			return false
		}
		written = to
	}
	return true
}
