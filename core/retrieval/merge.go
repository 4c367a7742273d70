package retrieval

import (
	"fmt"
	"io"
)

// gone is the number of a document that does not count.
const gone = ^uint32(0)

// merger joins segments term by term.
type merger struct {
	out     *segmentWriter
	inputs  []*input
	keys    []uint64
	lengths []byte
}

// input is a segment being merged and where in its terms it is.
type input struct {
	*Segment
	renumbered []uint32
	page       []byte
	next       int // page
	at         int // entry in page
}

// add takes over what is known of a part's documents.
func (m *merger) add(p Part) error {
	if err := p.check(); err != nil {
		return err
	}
	in := &input{Segment: p.Segment.ahead(), renumbered: make([]uint32, p.Segment.Docs())}
	for i := range in.renumbered {
		in.renumbered[i] = gone
	}
	for _, r := range p.Live {
		for doc := r.From; doc < r.To; doc++ {
			key, err := in.key(doc)
			if err != nil {
				return err
			}
			in.renumbered[doc] = uint32(len(m.keys))
			m.keys = append(m.keys, key)
			m.lengths = append(m.lengths, p.Segment.lengths[doc])
		}
	}
	in.page = nil
	m.inputs = append(m.inputs, in)
	return in.step()
}

// key is Key for ascending documents: it keeps the page.
func (in *input) key(doc int) (uint64, error) {
	if doc%pageKeys != 0 && in.page != nil && in.next == doc/pageKeys {
		return decodeKey(in.page, doc), nil
	}
	page := doc / pageKeys
	data, err := in.Segment.page(in.keys, page, min(pageKeys, in.docs-page*pageKeys), keySize, pageKeys)
	if err != nil {
		return 0, err
	}
	in.page, in.next = data, page
	return decodeKey(data, doc), nil
}

// step goes to the next term; behind the last one page is empty.
func (in *input) step() error {
	if in.page == nil {
		in.next, in.at = 0, 0
	} else if in.at++; in.at < len(in.page)/entrySize {
		return nil
	}
	if in.next == len(in.fences) {
		in.page = []byte{}
		return nil
	}
	page, err := in.termPage(in.next)
	if err != nil {
		return err
	}
	in.page, in.at = page, 0
	in.next++
	return nil
}

func (in *input) done() bool { return len(in.page) == 0 }

func (in *input) hash() uint64 { return entryHash(in.page, in.at) }

func (m *merger) run() error {
	var data []byte
	for {
		least, any := uint64(0), false
		for _, in := range m.inputs {
			if !in.done() && (!any || in.hash() < least) {
				least, any = in.hash(), true
			}
		}
		if !any {
			return nil
		}
		joined := list{done: data[:0]}
		for _, in := range m.inputs {
			if in.done() || in.hash() != least {
				continue
			}
			if err := in.join(&joined); err != nil {
				return err
			}
			if err := in.step(); err != nil {
				return err
			}
			if !in.done() && in.hash() <= least {
				return fmt.Errorf("%w: its terms are not in order", ErrFormat)
			}
		}
		joined.flush()
		m.out.term(least, joined.docs, joined.done)
		data = joined.done
	}
}

// join adds the current term's postings.
func (in *input) join(to *list) error {
	data, err := in.postings(entry(in.page, in.at))
	if err != nil {
		return err
	}
	return eachPosting(data, in.docs, func(doc, times uint32) {
		if n := in.renumbered[doc]; n != gone {
			to.put(n, times)
		}
	})
}

// ahead is s with a reader for many small reads in ascending order.
func (s *Segment) ahead() *Segment {
	next := *s
	next.r = &readAhead{r: s.r}
	return &next
}

// readAhead reads more than it is asked for, once.
type readAhead struct {
	r    io.ReaderAt
	at   int64
	have []byte
}

const (
	aheadSize = 256 << 10
	aheadMost = 2 << 10 // larger reads go past it
)

func (r *readAhead) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > aheadMost {
		return r.r.ReadAt(p, off)
	}
	if off < r.at || off+int64(len(p)) > r.at+int64(len(r.have)) {
		if r.have == nil {
			r.have = make([]byte, aheadSize)
		}
		n, err := r.r.ReadAt(r.have[:aheadSize], off)
		r.at, r.have = off, r.have[:n]
		if n < len(p) {
			return copy(p, r.have), err
		}
	}
	return copy(p, r.have[off-r.at:]), nil
}
