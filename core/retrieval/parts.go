package retrieval

import (
	"fmt"
	"io"
)

// Part is a segment and which of its documents count, in ascending ranges that do
// not overlap.
type Part struct {
	Segment *Segment
	Live    []Range
}

// All is a part of which every document counts.
func All(s *Segment) Part { return Part{s, []Range{{0, s.Docs()}}} }

// PartHit is a document found in one of several parts.
type PartHit struct {
	Part, Doc int
	Key       uint64
	Score     float64
	Terms     []string
}

// Search returns the limit documents of all parts that fit the query best, best
// first, as if they were one index: a term is as rare as it is in all of them. It
// leaves nothing out below Floor, because the caller may still drop hits. A document
// that does not count still makes its terms a little less rare, until Merge.
func Search(parts []Part, query string, limit int) ([]PartHit, error) {
	words := terms(query)
	list := make([]part, len(parts))
	for i, p := range parts {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		list[i] = part{p.Segment, p.Live}
	}
	places, err := rank(list, words, limit)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	hits := make([]PartHit, len(places))
	for i, p := range places {
		key, err := parts[p.part].Segment.Key(p.doc)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		hits[i] = PartHit{Part: p.part, Doc: p.doc, Key: key, Score: float64(p.score), Terms: named(words, p.terms)}
	}
	return hits, nil
}

func (p Part) check() error {
	at := 0
	for _, r := range p.Live {
		if r.From < at || r.To < r.From || r.To > p.Segment.Docs() {
			return fmt.Errorf("%w: documents %d to %d of %d", ErrFormat, r.From, r.To, p.Segment.Docs())
		}
		at = r.To
	}
	return nil
}

// Merge writes the documents of parts that count as one segment, in their order. It
// holds the terms and keys of the result in memory, not the postings.
func Merge(w io.Writer, parts []Part) (int64, error) {
	m := merger{out: newSegmentWriter(w)}
	for _, p := range parts {
		if err := m.add(p); err != nil {
			return 0, fmt.Errorf("merge: %w", err)
		}
	}
	if len(m.keys) > MaxDocs {
		return 0, fmt.Errorf("merge: %d documents are too many", len(m.keys))
	}
	if err := m.run(); err != nil {
		return 0, fmt.Errorf("merge: %w", err)
	}
	return m.out.finish(m.keys, m.lengths)
}
