package acp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"reasonix/core/event"
)

func TestALongMessageIsShownByItsEnds(t *testing.T) {
	for name, piece := range map[string]string{"ASCII": "word ", "wide": "字é😀 "} {
		for _, pieces := range []int{0, 1, 700, 900, 5_000, 100_000} {
			var c capped
			whole := strings.Repeat(piece, pieces)
			for i := range pieces {
				c.add("m", i*len(piece), piece)
				c.add("m", i*len(piece), piece) // again, as when two deltas overlap
			}
			got := c.String()
			if utf8.RuneCountInString(whole) <= event.MaxWords {
				if got != whole {
					t.Errorf("%s, %d: %d bytes of %d", name, pieces, len(got), len(whole))
				}
				continue
			}
			head, tail, cut := strings.Cut(got, between)
			if n := utf8.RuneCountInString(got); n > event.MaxWords || n < event.MaxWords-2 || !cut || !utf8.ValidString(got) ||
				!strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) {
				t.Errorf("%s, %d: %d characters, %q ... %q", name, pieces, n, first([]byte(head), 8), last([]byte(tail), 8))
			}
		}
	}
	c := capped{}
	c.add("m", 0, "one")
	c.add("n", 0, "another")
	if c.String() != "another" {
		t.Errorf("another message is %q", c.String())
	}
}
