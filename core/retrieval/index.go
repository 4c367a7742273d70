package retrieval

import (
	"cmp"
	"slices"
)

// Index is a set of documents that can be searched and changed. The zero value is
// empty and ready. Searching is safe while others search; changing needs the caller
// to keep everybody else out.
type Index struct {
	b    Builder
	ids  []string          // by document
	docs map[string]uint32 // by id; only documents that count
	dead []bool            // removed, by document
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
	if !x.b.Add(0, texts...) {
		return
	}
	if x.docs == nil {
		x.docs = map[string]uint32{}
	}
	x.docs[id] = uint32(len(x.ids))
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

func (x *Index) lengthCodes() ([]byte, error) { return x.b.lengths, nil }

// find counts the documents that are left, so that removing one leaves no trace in
// the ranking.
func (x *Index) find(hash uint64) (found, error) {
	i, ok := x.b.at[hash]
	if !ok {
		return found{}, nil
	}
	f := found{at: uint64(i)}
	data, _ := x.postings(f)
	err := eachPosting(data, len(x.ids), func(doc, _ uint32) {
		if !x.dead[doc] {
			f.docs++
		}
	})
	return f, err
}

func (x *Index) postings(f found) ([]byte, error) { return x.b.lists[f.at].encoded(nil), nil }

// compact drops what was removed.
func (x *Index) compact() {
	renumbered := make([]uint32, len(x.ids))
	next := Builder{at: map[uint64]uint32{}}
	var ids []string
	for doc, id := range x.ids {
		if x.dead[doc] {
			continue
		}
		renumbered[doc] = uint32(len(ids))
		x.docs[id] = uint32(len(ids))
		ids = append(ids, id)
		next.keys = append(next.keys, x.b.keys[doc])
		next.lengths = append(next.lengths, x.b.lengths[doc])
	}
	for hash, i := range x.b.at {
		data := x.b.lists[i].encoded(nil)
		// Postings made in memory are sound.
		_ = eachPosting(data, len(x.ids), func(doc, times uint32) {
			if !x.dead[doc] {
				next.addTimes(hash, renumbered[doc], times)
			}
		})
	}
	x.b, x.ids, x.dead = next, ids, make([]bool, len(ids))
}

func (b *Builder) addTimes(hash uint64, doc, times uint32) {
	b.count(hash, doc)
	b.lists[b.at[hash]].times += times - 1
}
