package retrieval

import "math"

// MaxDocs is how many documents one Builder, Segment or Index takes.
const MaxDocs = 1 << 24

// Builder collects the documents of a segment, numbered from 0 in the order they
// come. The zero value is ready. It is not safe for concurrent use.
type Builder struct {
	at      map[uint64]uint32 // term hash to place in lists
	lists   []list
	keys    []uint64
	lengths []byte
	words   tokeniser
	bytes   int
}

// Add takes a document; key is the caller's and comes back with a hit. Past MaxDocs
// it does nothing and returns false.
func (b *Builder) Add(key uint64, texts ...string) bool {
	if len(b.keys) >= MaxDocs {
		return false
	}
	if b.at == nil {
		b.at = map[uint64]uint32{}
	}
	doc := uint32(len(b.keys))
	n := 0
	emit := func(term []byte, _, _ int) {
		n++
		b.count(hashOf(term), doc)
	}
	for _, text := range texts {
		b.words.each(text, emit)
	}
	b.keys = append(b.keys, key)
	b.lengths = append(b.lengths, lengthCode(n))
	b.bytes += 9
	return true
}

func (b *Builder) count(hash uint64, doc uint32) {
	i, ok := b.at[hash]
	if !ok {
		i = uint32(len(b.lists))
		b.at[hash] = i
		b.lists = append(b.lists, list{})
		b.bytes += 72
	}
	l := &b.lists[i]
	before := cap(l.done)
	l.add(doc)
	b.bytes += cap(l.done) - before
}

// Docs is how many documents were added.
func (b *Builder) Docs() int { return len(b.keys) }

// Size is about how many bytes of memory the builder holds.
func (b *Builder) Size() int { return b.bytes }

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
