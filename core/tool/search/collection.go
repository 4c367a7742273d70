package search

import (
	"slices"
	"strings"
	"sync"

	"reasonix/core/internal/textenc"
)

// hit is one matching line.
type hit struct {
	line int
	text string // cut and cleaned, ready to be shown
}

// fileHits is what was found in one file.
type fileHits struct {
	rel    string // relative to the searched directory, slashes; "" for the searched file itself
	hits   []hit
	enc    textenc.Encoding
	binary bool // something matched in a binary file; hits is empty then
	count  int  // how much it counts: one for each hit, at least one
}

// collection keeps the first matches in path order, whatever the order in which
// workers hand them in. It is safe for concurrent use.
type collection struct {
	mu    sync.Mutex
	files []*fileHits
	total int
}

// add takes f in and drops whole files from the end that are not among the first
// want matches. Once there are that many, nothing after last is wanted.
func (c *collection) add(f *fileHits, want int) (last string, full bool) {
	f.count = max(1, len(f.hits))
	c.mu.Lock()
	defer c.mu.Unlock()
	i, _ := slices.BinarySearchFunc(c.files, f, func(a, b *fileHits) int { return strings.Compare(a.rel, b.rel) })
	c.files = slices.Insert(c.files, i, f)
	c.total += f.count
	for {
		end := c.files[len(c.files)-1]
		if c.total-end.count < want {
			return end.rel, c.total >= want
		}
		c.total -= end.count
		c.files = c.files[:len(c.files)-1]
	}
}
