package retrieval

import (
	"cmp"
	"container/heap"
	"slices"
)

const (
	// Floor is the share of the best score below which a hit is noise: it shares
	// only common words with the query.
	Floor = 0.2
	// maxTerms is how many different terms of a query count; the rest is dropped.
	maxTerms = 32
)

// Range is documents From up to, not including, To.
type Range struct{ From, To int }

// source is what a search reads of an index.
type source interface {
	Docs() int
	// lengthCodes has one byte a document.
	lengthCodes() ([]byte, error)
	// find says how many documents have the term; the value is for postings.
	find(hash uint64) (found, error)
	postings(f found) ([]byte, error)
}

// found is a term in an index.
type found struct {
	docs uint32
	at   uint64 // where its postings are
}

// part is a source and which of its documents count.
type part struct {
	source
	live []Range
}

// place is a hit before anybody knows what it is.
type place struct {
	part, doc int
	score     float32
	terms     uint32 // bits into the query's terms
}

// terms returns the different terms of a query, at most maxTerms.
func terms(query string) []string {
	var list []string
	for _, t := range Tokens(query) {
		if len(list) < maxTerms && !slices.Contains(list, t.Term) {
			list = append(list, t.Term)
		}
	}
	return list
}

// rank returns the best limit documents of all parts for the terms of a query, best
// first; of equals the one of the later part, then the later document.
func rank(parts []part, query []string, limit int) ([]place, error) {
	if len(query) == 0 || limit <= 0 {
		return nil, nil
	}
	q := scoring{query: query, best: make(best, 0, min(limit, 1024)), limit: limit}
	for _, p := range parts {
		if err := q.measure(p); err != nil {
			return nil, err
		}
	}
	if q.docs == 0 {
		return nil, nil
	}
	if err := q.weigh(parts); err != nil {
		return nil, err
	}
	for i, p := range parts {
		if err := q.score(i, p); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(q.best, func(a, b place) int { return b.compare(a) })
	return q.best, nil
}

// scoring is one search under way.
type scoring struct {
	query []string
	limit int

	docs, length int          // over all parts
	found        [][]found    // by part, by term
	weights      []float64    // by term
	norms        [256]float64 // by length code

	scores []float32 // of the current part, by document
	terms  []uint32
	best   best
}

// measure adds the documents that count and their lengths.
func (q *scoring) measure(p part) error {
	codes, err := p.lengthCodes()
	if err != nil {
		return err
	}
	for _, r := range p.live {
		for _, c := range codes[r.From:r.To] {
			q.length += lengthOf(c)
		}
		q.docs += r.To - r.From
	}
	return nil
}

// weigh looks up every term and computes what it is worth.
func (q *scoring) weigh(parts []part) error {
	q.found = make([][]found, len(parts))
	q.weights = make([]float64, len(q.query))
	for t, term := range q.query {
		n, hash := 0, hashOf([]byte(term))
		for i, p := range parts {
			if len(p.live) == 0 {
				q.found[i] = append(q.found[i], found{})
				continue
			}
			f, err := p.find(hash)
			if err != nil {
				return err
			}
			q.found[i] = append(q.found[i], f)
			n += int(f.docs)
		}
		q.weights[t] = rarity(n, q.docs)
	}
	average := max(1, float64(q.length)/float64(q.docs))
	for c := range q.norms {
		q.norms[c] = saturation * (1 - lengthBias + lengthBias*float64(lengthOf(byte(c)))/average)
	}
	return nil
}

// score computes the scores of one part and keeps the best.
func (q *scoring) score(i int, p part) error {
	if !slices.ContainsFunc(q.found[i], func(f found) bool { return f.docs > 0 }) {
		return nil
	}
	codes, err := p.lengthCodes()
	if err != nil {
		return err
	}
	q.scores = cleared(q.scores, p.Docs())
	q.terms = cleared(q.terms, p.Docs())
	for t, f := range q.found[i] {
		if f.docs == 0 {
			continue
		}
		weight, bit := q.weights[t]*(saturation+1), uint32(1)<<t
		add := func(doc, times uint32) {
			n := float64(times)
			q.scores[doc] += float32(weight * n / (n + q.norms[codes[doc]]))
			q.terms[doc] |= bit
		}
		if err := postingsOf(p, f, add); err != nil {
			return err
		}
	}
	for _, r := range p.live {
		for doc := r.From; doc < r.To; doc++ {
			if q.terms[doc] != 0 {
				q.offer(place{i, doc, q.scores[doc], q.terms[doc]})
			}
		}
	}
	return nil
}

func postingsOf(p source, f found, yield func(doc, times uint32)) error {
	data, err := p.postings(f)
	if err != nil {
		return err
	}
	return eachPosting(data, p.Docs(), yield)
}

func (q *scoring) offer(p place) {
	if len(q.best) < q.limit {
		heap.Push(&q.best, p)
	} else if q.best[0].compare(p) < 0 {
		q.best[0] = p
		heap.Fix(&q.best, 0)
	}
}

// compare orders by how good a hit is.
func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.score, o.score), cmp.Compare(p.part, o.part), cmp.Compare(p.doc, o.doc))
}

// best is a heap with the worst hit on top.
type best []place

func (b best) Len() int           { return len(b) }
func (b best) Less(i, j int) bool { return b[i].compare(b[j]) < 0 }
func (b best) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *best) Push(x any)        { *b = append(*b, x.(place)) }
func (b *best) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

// cleared returns n zeros, in the memory of list where it is enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// named are the terms that bits stand for.
func named(query []string, bits uint32) []string {
	var list []string
	for i, term := range query {
		if bits&(1<<i) != 0 {
			list = append(list, term)
		}
	}
	return list
}
