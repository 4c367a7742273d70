package retrieval

import (
	"io"
	"math"
)

// MaxDocs is how many documents one Builder, Segment or Index takes.
const MaxDocs = 1 << 24

// Builder collects the documents of a segment, numbered from 0 in the order they
// come. The zero value is ready. It is not safe for concurrent use.
type Builder struct {
	keys    []uint64
	lengths []byte
	found   []occurrence
	words   tokeniser
	counts  counts
}

// occurrence is a term in a document.
type occurrence struct {
	hash       uint64
	doc, times uint32
}

// Add takes a document; key is the caller's and comes back with a hit. Past MaxDocs
// it does nothing and returns false.
func (b *Builder) Add(key uint64, texts ...string) bool {
	if len(b.keys) >= MaxDocs {
		return false
	}
	n := b.counts.of(&b.words, texts)
	doc := uint32(len(b.keys))
	for _, c := range b.counts.list {
		b.found = append(b.found, occurrence{c.hash, doc, c.times})
	}
	b.keys = append(b.keys, key)
	b.lengths = append(b.lengths, lengthCode(n))
	return true
}

// Docs is how many documents were added.
func (b *Builder) Docs() int { return len(b.keys) }

// Size is about how many bytes of memory the documents take; WriteTo needs as many
// again for a moment.
func (b *Builder) Size() int { return len(b.found)*16 + len(b.keys)*9 }

// WriteTo encodes the documents as a segment (OpenSegment) and returns its size, 0
// after an error.
func (b *Builder) WriteTo(w io.Writer) (int64, error) {
	sortByHash(b.found)
	sw := newSegmentWriter(w)
	var l list
	for i, o := range b.found {
		if i > 0 && b.found[i-1].hash != o.hash {
			l.flush()
			sw.term(b.found[i-1].hash, l.docs, l.done)
			l = list{done: l.done[:0]}
		}
		l.put(o.doc, o.times)
	}
	if n := len(b.found); n > 0 {
		l.flush()
		sw.term(b.found[n-1].hash, l.docs, l.done)
	}
	return sw.finish(b.keys, b.lengths)
}

// counts tells how often each term is in a document.
type counts struct {
	list  []count
	slots []uint32 // one more than the place in list, by hash; 0 is free
}

type count struct {
	hash  uint64
	times uint32
}

// of counts the terms of texts and returns how many there are in all.
func (c *counts) of(words *tokeniser, texts []string) (n int) {
	if len(c.slots) > 64*(len(c.list)+16) { // do not go on paying for one large document
		c.slots = c.slots[:len(c.slots)/8]
	}
	clear(c.slots)
	c.list = c.list[:0]
	emit := func(term []byte, _, _ int) {
		n++
		c.add(hashOf(term))
	}
	for _, text := range texts {
		words.each(text, emit)
	}
	return n
}

func (c *counts) add(hash uint64) {
	if len(c.list)*2 >= len(c.slots) {
		c.grow()
	}
	at := c.slot(hash)
	if i := c.slots[at]; i > 0 {
		c.list[i-1].times++
		return
	}
	c.list = append(c.list, count{hash, 1})
	c.slots[at] = uint32(len(c.list))
}

// slot is where a hash is, or belongs.
func (c *counts) slot(hash uint64) int {
	mask := len(c.slots) - 1
	at := int(hash>>7) & mask
	for c.slots[at] != 0 && c.list[c.slots[at]-1].hash != hash {
		at = (at + 1) & mask
	}
	return at
}

func (c *counts) grow() {
	c.slots = make([]uint32, max(1024, len(c.slots)*2))
	for i, t := range c.list {
		c.slots[c.slot(t.hash)] = uint32(i + 1)
	}
}

// hashOf is FNV-1a: the format names it, and it is what a term is known by.
func hashOf(term []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range term {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// The parts of BM25 (Robertson, Zaragoza 2009) with the usual constants.
const (
	saturation = 1.2  // k1
	lengthBias = 0.75 // b
)

// rarity is a term's weight: docs of all have it.
func rarity(docs, all int) float64 {
	docs = min(docs, all)
	return math.Log1p((float64(all-docs) + 0.5) / (float64(docs) + 0.5))
}
