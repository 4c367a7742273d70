package memory

import (
	"math"
	"slices"
	"sort"
	"strings"

	"reasonix/core/retrieval"
)

// Hit is a fact that was found.
type Hit struct {
	Fact  Fact
	Score float64  // above 0; what it means is said where it is made
	Terms []string // the words it was found by
}

// Results is what a search gives: the best hits first, and what to do when they
// are not enough, "" when they may well be.
type Results struct {
	Hits   []Hit
	Advice string
}

// What a search says about itself.
const (
	adviceNone = "Nothing fits. Try rarer words, or names as they are written in the code; list shows all facts. What was said and done in earlier sessions is in the history tool."
	adviceWeak = "Nothing fits well. For exact words or tool output of earlier sessions use the history tool."
)

// defaultHits is how many facts a search gives unless told otherwise.
const defaultHits = 10

// Search finds active facts by the words of query, at most limit (0: ten). Title
// and keywords count more than the description, that more than the body. The
// score is that of BM25 and comparable within one search only; hits far below the
// best are left out. A result is weak when no fact has half of the words. A query
// that is an id finds that fact.
func (s *Store) Search(query string, f Filter, limit int) (Results, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.read()
	if err != nil {
		return Results{}, err
	}
	if limit <= 0 {
		limit = defaultHits
	}
	if fact, ok := now.find(strings.TrimSpace(query)); ok && f.takes(fact) {
		return Results{Hits: []Hit{{Fact: fact, Score: 1, Terms: []string{fact.ID}}}}, nil
	}
	x := s.indexOf(now)
	words := terms(query)
	var r Results
	for _, h := range x.text.Search(strings.Join(words, " "), len(now.facts)) {
		if fact, _ := now.find(h.ID); f.takes(fact) && len(r.Hits) < limit {
			r.Hits = append(r.Hits, Hit{Fact: fact, Score: round(h.Score), Terms: h.Terms})
		}
	}
	switch {
	case len(r.Hits) == 0:
		r.Advice = adviceNone
	case !slices.ContainsFunc(r.Hits, func(h Hit) bool { return 2*len(h.Terms) >= len(words) }):
		r.Advice = adviceWeak
	}
	return r, nil
}

// round keeps two decimals: what is shown is what is compared.
func round(score float64) float64 { return math.Round(score*100) / 100 }

// index is what is known of the words of the facts.
type index struct {
	text  retrieval.Index
	worth map[string]map[string]float64 // by id, by word: how much it says of the fact
	in    map[string]int                // by word: how many facts have it
}

// What a word is worth by where it stands. A short body is as telling as a
// description, in a long one each word says less.
const (
	worthTitle       = 1.0 // and in a keyword
	worthDescription = 0.8
	worthLongBody    = 0.3
	shortBody        = 10 // different words
)

func worthBody(words int) float64 {
	return max(worthLongBody, worthDescription*math.Sqrt(shortBody/float64(max(words, shortBody))))
}

// indexOf returns the index of the facts, which is made anew when one changed.
func (s *Store) indexOf(now snapshot) *index {
	if s.index != nil {
		return s.index
	}
	x := &index{worth: map[string]map[string]float64{}, in: map[string]int{}}
	facts := slices.Clone(now.facts)
	sort.Slice(facts, func(i, j int) bool { return facts[i].ID < facts[j].ID })
	for _, f := range facts {
		x.add(f)
	}
	s.index = x
	return x
}

func (x *index) add(f Fact) {
	name := f.Title + "\n" + strings.Join(f.Keywords, "\n")
	worth := map[string]float64{}
	body := terms(f.Body)
	for _, part := range []struct {
		words []string
		worth float64
	}{{body, worthBody(len(body))}, {terms(f.Description), worthDescription}, {terms(name), worthTitle}} {
		for _, w := range part.words {
			worth[w] = part.worth
		}
	}
	for w := range worth {
		x.in[w]++
	}
	x.worth[f.ID] = worth
	named := stemmed(name)
	x.text.Add(f.ID, named, named, stemmed(f.Description), stemmed(f.Body))
}

// strength is how much a fact has to do with words, a sum over those it has: 1 for
// a word of the title that no other fact has. Unlike a BM25 score it means the
// same among three facts and among three hundred.
func (x *index) strength(id string, words []string) float64 {
	sum := 0.0
	all := math.Log1p(float64(len(x.worth)))
	for _, w := range words {
		if worth := x.worth[id][w]; worth > 0 {
			sum += worth * math.Log1p(float64(len(x.worth))/float64(x.in[w])) / all
		}
	}
	return round(sum)
}
