package search

import (
	"bytes"
	"strings"
)

// finder looks for literals in a buffer. It belongs to one scanner.
type finder struct {
	needles []needle
	fold    bool
}

// needle is one text. It is looked for by its rarest byte.
type needle struct {
	text string
	at   int     // of the rarest byte in text
	bits [2]byte // that byte, in both cases if there are two
	next [2]int  // where each comes next, from the buffer's start; searched for when passed
	hit  int     // where the text comes next
	two  bool
}

// gone says that there is none in the rest of the buffer.
const gone = int(^uint(0) >> 1)

func newFinder(l literals) *finder {
	if len(l.any) == 0 {
		return nil
	}
	f := &finder{fold: l.fold}
	for _, s := range l.any {
		f.needles = append(f.needles, newNeedle(s, l.fold))
	}
	return f
}

func newNeedle(s string, fold bool) needle {
	n := needle{text: s}
	best := -1
	for i := range len(s) {
		r := rarity(s[i])
		if upper := upperByte(s[i]); fold && upper != s[i] {
			r = min(r, rarity(upper)) - 1
		}
		if r > best {
			best, n.at = r, i
		}
	}
	c := s[n.at]
	n.bits = [2]byte{c, upperByte(c)}
	n.two = fold && n.bits[0] != n.bits[1]
	return n
}

// reset begins a new buffer.
func (f *finder) reset() {
	for i := range f.needles {
		f.needles[i].hit, f.needles[i].next = -1, [2]int{-1, -1}
	}
}

// find returns where the first literal at from or later begins, or -1. Calls
// between two resets must be about one buffer with from never going back.
func (f *finder) find(buf []byte, from int) int {
	first := gone
	for i := range f.needles {
		n := &f.needles[i]
		if n.hit < from {
			n.hit = n.search(buf, from, f.fold)
		}
		first = min(first, n.hit)
	}
	if first == gone {
		return -1
	}
	return first
}

// search returns where n.text comes at from or later, or gone.
func (n *needle) search(buf []byte, from int, fold bool) int {
	if !n.two && !fold && len(n.text) == 1 {
		return orGone(bytes.IndexByte(buf[from:], n.bits[0]), from)
	}
	misses := 0
	for pos := from + n.at; ; pos++ {
		pos = n.rare(buf, pos)
		if pos == gone {
			return gone
		}
		start := pos - n.at
		if start+len(n.text) > len(buf) {
			return gone
		}
		if n.equal(buf[start:start+len(n.text)], fold) {
			return start
		}
		if misses++; misses > 16 && !fold && misses > (pos-from)/16 {
			return orGone(bytes.Index(buf[start+1:], []byte(n.text)), start+1)
		}
	}
}

func orGone(i, from int) int {
	if i < 0 {
		return gone
	}
	return from + i
}

// rare returns where the rarest byte comes at pos or later.
func (n *needle) rare(buf []byte, pos int) int {
	if pos >= len(buf) {
		return gone
	}
	if n.next[0] < pos {
		n.next[0] = orGone(bytes.IndexByte(buf[pos:], n.bits[0]), pos)
	}
	if !n.two {
		return n.next[0]
	}
	if n.next[1] < pos {
		n.next[1] = orGone(bytes.IndexByte(buf[pos:], n.bits[1]), pos)
	}
	return min(n.next[0], n.next[1])
}

func (n *needle) equal(b []byte, fold bool) bool {
	if !fold {
		return string(b) == n.text
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != n.text[i] {
			return false
		}
	}
	return true
}

func upperByte(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

// common are the bytes of source text, the most frequent first.
const common = " etaoinsrlcd\tupm\nfhgbyv_.,()w=k-\"x*/:;T0SE{}1ACIRNPLDFqM2OBz[]'>UGVjH&4WX<3K56+8#!|J97Yy`$Q\\%@?Z^~"

// rarity is higher for bytes that are met less often: 0 to about 100.
func rarity(c byte) int {
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}
