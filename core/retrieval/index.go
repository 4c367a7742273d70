package retrieval

import (
	"cmp"
	"slices"
)

// Index is a set of documents that can be searched and changed. The zero value is
// empty and ready. Searching is safe while others search; changing needs the caller
// to keep everybody else out.
type Index struct {
	lists   map[uint64]*list  // by term
	lengths []byte            // codes, by document
	ids     []string          // by document
	docs    map[string]uint32 // by id; only documents that count
	dead    []bool            // removed, by document
	words   tokeniser
	counts  counts
}

// Hit is a document that has at least one term of the query.
type Hit struct {
	ID    string
	Score float64  // above 0; comparable only within one search
	Terms []string // of the query, those the document has, in the query's order
}

// Add takes a document, or replaces the one with this id. A title that should count
// more than the body is given twice. Past MaxDocs documents it does nothing.
func (x *Index) Add(id string, texts ...string) {
	x.Remove(id)
	if len(x.ids) >= MaxDocs {
		return
	}
	if x.docs == nil {
		x.docs, x.lists = map[string]uint32{}, map[uint64]*list{}
	}
	doc := uint32(len(x.ids))
	n := x.counts.of(&x.words, texts)
	for _, c := range x.counts.list {
		x.put(c.hash, doc, c.times)
	}
	x.lengths = append(x.lengths, lengthCode(n))
	x.docs[id] = doc
	x.ids = append(x.ids, id)
	x.dead = append(x.dead, false)
}

// Remove drops a document and reports whether there was one. Its memory is given
// back when half of the documents are gone.
func (x *Index) Remove(id string) bool {
	doc, ok := x.docs[id]
	if !ok {
		return false
	}
	delete(x.docs, id)
	x.dead[doc] = true
	if len(x.docs)*2 < len(x.ids) {
		x.compact()
	}
	return true
}

// Len is the number of documents.
func (x *Index) Len() int { return len(x.docs) }

// Has reports whether there is a document with this id.
func (x *Index) Has(id string) bool { _, ok := x.docs[id]; return ok }

// Search returns the documents that fit the query best, best first, at most limit.
// Hits below Floor of the best score are left out. Of equal scores the lower id is
// first.
func (x *Index) Search(query string, limit int) []Hit {
	if limit <= 0 {
		return nil
	}
	words := terms(query)
	places, err := rank([]part{{x, x.live()}}, words, len(x.ids))
	if err != nil {
		return nil // impossible: postings made in memory are sound
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(x.ids[a.doc], x.ids[b.doc]))
	})
	var hits []Hit
	for _, p := range places[:min(limit, len(places))] {
		if float64(p.score) < Floor*float64(places[0].score) {
			break
		}
		hits = append(hits, Hit{ID: x.ids[p.doc], Score: float64(p.score), Terms: named(words, p.terms)})
	}
	return hits
}

// live are the documents that were not removed.
func (x *Index) live() []Range {
	var list []Range
	for doc, dead := range x.dead {
		switch {
		case dead:
		case len(list) > 0 && list[len(list)-1].To == doc:
			list[len(list)-1].To++
		default:
			list = append(list, Range{doc, doc + 1})
		}
	}
	return list
}

// Docs implements source: those that were removed are among them.
func (x *Index) Docs() int { return len(x.ids) }

func (x *Index) put(hash uint64, doc, times uint32) {
	l := x.lists[hash]
	if l == nil {
		l = &list{}
		x.lists[hash] = l
	}
	l.put(doc, times)
}

func (x *Index) lengthCodes() ([]byte, error) { return x.lengths, nil }

// find counts the documents that are left, so that removing one leaves no trace in
// the ranking.
func (x *Index) find(hash uint64) (found, error) {
	f := found{at: hash}
	data, err := x.postings(f)
	if err != nil {
		return f, err
	}
	err = eachPosting(data, len(x.ids), func(doc, _ uint32) {
		if !x.dead[doc] {
			f.docs++
		}
	})
	return f, err
}

// postings takes the hash for the place.
func (x *Index) postings(f found) ([]byte, error) {
	if l := x.lists[f.at]; l != nil {
		return l.encoded(nil), nil
	}
	return nil, nil
}

// compact drops what was removed.
func (x *Index) compact() {
	next := Index{docs: map[string]uint32{}, lists: map[uint64]*list{}}
	renumbered := make([]uint32, len(x.ids))
	for doc, id := range x.ids {
		if x.dead[doc] {
			continue
		}
		renumbered[doc] = uint32(len(next.ids))
		next.docs[id] = renumbered[doc]
		next.ids = append(next.ids, id)
		next.lengths = append(next.lengths, x.lengths[doc])
	}
	for hash, l := range x.lists {
		// Postings made in memory are sound.
		_ = eachPosting(l.encoded(nil), len(x.ids), func(doc, times uint32) {
			if !x.dead[doc] {
				next.put(hash, renumbered[doc], times)
			}
		})
	}
	next.dead = make([]bool, len(next.ids))
	*x = next
}
