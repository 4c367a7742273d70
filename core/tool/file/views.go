package file

import (
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
)

// views knows which lines of each file the model was shown, so that several
// partial reads that cover a file count as having read it.
type views struct {
	mu     sync.Mutex
	byPath map[string]view
}

// view is the sight of one content: sorted line ranges that do not touch.
type view struct {
	hash  string
	spans []span
}

// span is a half-open range.
type span struct{ start, end int }

func newViews() *views { return &views{byPath: map[string]view{}} }

// add notes that lines from..to (half-open, from 0) of the content were shown and
// reports whether that makes all of its total lines.
func (v *views) add(abs, hash string, shown span, total int) (whole bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := v.byPath[abs]
	if old.hash != hash {
		old = view{hash: hash}
	}
	old.spans = merge(append(old.spans, shown))
	v.byPath[abs] = old
	return total == 0 || slices.ContainsFunc(old.spans, func(s span) bool { return s.start <= 0 && s.end >= total })
}

// move lets what was seen of from, and of all below it, go by its new name.
func (v *views) move(from, to string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for abs, seen := range maps.Clone(v.byPath) {
		if rest, ok := strings.CutPrefix(abs, from); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			delete(v.byPath, abs)
			v.byPath[to+rest] = seen
		}
	}
}

func merge(spans []span) []span {
	sort.Slice(spans, func(i, j int) bool { return spans[i].start < spans[j].start })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}
