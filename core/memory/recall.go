package memory

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// SourceKind is the kind of the sources of a prompt that facts are; the reference
// of each is Fact.Ref.
const SourceKind = "memory"

// The limits of automatic recall.
const (
	DefaultMax      = 4    // facts
	DefaultMaxChars = 2400 // characters, the words around the facts included
	DefaultFloor    = 0.8  // one rare word of the title or of a short text, several of a long one
)

// RecallOptions bound a Recall; zero members are the defaults.
type RecallOptions struct {
	Max, MaxChars int
	Floor         float64
	// Seen reports whether the session was told this revision of a fact already;
	// nil: it was told nothing.
	Seen func(id string, revision int) bool
}

// Recalled is what belongs to a prompt: the facts, best first, and the text to
// append to it. Both are empty when there is nothing to add.
type Recalled struct {
	Text  string
	Hits  []Hit // Score is what the words shared with the prompt are worth
	Bytes []int // of Text, what each of Hits takes
}

// Refs names the revisions that were recalled, in their order.
func (r Recalled) Refs() []string {
	var refs []string
	for _, h := range r.Hits {
		refs = append(refs, h.Fact.Ref())
	}
	return refs
}

// Recall picks the facts that have enough to do with query, which is what a user
// typed. It gives nothing for a query that only tells to go on. Equal stores and
// queries give equal bytes.
func (s *Store) Recall(query string, o RecallOptions) (Recalled, error) {
	if Generic(query) {
		return Recalled{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.read()
	if err != nil {
		return Recalled{}, err
	}
	if len(now.facts) == 0 {
		return Recalled{}, nil
	}
	o.Max, o.MaxChars, o.Floor = cmp.Or(o.Max, DefaultMax), cmp.Or(o.MaxChars, DefaultMaxChars), cmp.Or(o.Floor, DefaultFloor)
	return render(s.fitting(now, terms(query), o), o), nil
}

// maxWords bounds how many words of a prompt are compared: a pasted log is no
// question.
const maxWords = 300

// fitting lists the facts above the floor that the session does not know, best
// first.
func (s *Store) fitting(now snapshot, words []string, o RecallOptions) []Hit {
	x := s.indexOf(now)
	words = words[:min(len(words), maxWords)]
	var hits []Hit
	for _, f := range now.facts {
		score := x.strength(f.ID, words)
		if score < o.Floor || o.Seen != nil && o.Seen(f.ID, f.Revision) {
			continue
		}
		shared := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return x.worth[f.ID][w] == 0 })
		hits = append(hits, Hit{Fact: f, Score: score, Terms: shared})
	}
	sort.Slice(hits, func(i, j int) bool {
		a, b := &hits[i], &hits[j]
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Fact.Updated.Compare(a.Fact.Updated), cmp.Compare(a.Fact.ID, b.Fact.ID)) < 0
	})
	return hits
}

// The frame of a recalled text.
const (
	recalledOpen  = "<recalled-memory>\nFacts kept from earlier sessions that may fit. The user did not type them now, and they may be out of date.\n"
	recalledClose = "</recalled-memory>"
	cutNote       = "\n… (cut; the memory tool reads all of it)"
	leastPart     = 200 // characters of a fact below which it is not worth cutting
)

// render writes as many of hits as fit. One that does not fit is cut, and none
// takes more than half.
func render(hits []Hit, o RecallOptions) Recalled {
	var r Recalled
	left := o.MaxChars - utf8.RuneCountInString(recalledOpen+recalledClose)
	var b strings.Builder
	for _, h := range hits {
		if len(r.Hits) == o.Max {
			break
		}
		part := fit(headline(h)+content(h.Fact), min(left, max(o.MaxChars/2, leastPart)))
		if part == "" {
			continue
		}
		left -= utf8.RuneCountInString(part)
		b.WriteString(part)
		r.Hits, r.Bytes = append(r.Hits, h), append(r.Bytes, len(part))
	}
	if len(r.Hits) > 0 {
		r.Text = recalledOpen + b.String() + recalledClose
	}
	return r
}

// headline names a fact and says why it is there.
func headline(h Hit) string {
	f := h.Fact
	return fmt.Sprintf("\n## %s\n[%s %s %s %s score %.2f]\n", f.Title, f.Ref(), f.Scope, f.Type, f.Updated.Format(time.DateOnly), h.Score)
}

// content is what a fact says. It cannot end the frame it is put into.
func content(f Fact) string {
	text := strings.TrimSpace(f.Description + "\n" + f.Body)
	for _, tag := range []string{"<recalled-memory", "</recalled-memory"} {
		text = strings.ReplaceAll(text, tag, strings.Replace(tag, "-", " ", 1))
	}
	return text
}

// fit is text on lines of its own with at most most characters, "" when too little
// of it would be left.
func fit(text string, most int) string {
	runes := []rune(text)
	if len(runes)+1 <= most {
		return text + "\n"
	}
	room := most - utf8.RuneCountInString(cutNote) - 1
	if room < leastPart {
		return ""
	}
	cut := string(runes[:room])
	if at := strings.LastIndexAny(cut, "\n 。，"); at > len(cut)*2/3 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " \n") + cutNote + "\n"
}

// Traced is one fact of a recalled text, as the text says it.
type Traced struct {
	ID       string
	Revision int
	Title    string
	Score    float64
}

var traceLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^## (.*)\n\[(\S+@\d+) .*score (\d+\.\d+)\]$`)
})

// Trace finds the recalled text within a message and says what is in it. Both are
// empty when there is none.
func Trace(message string) (text string, facts []Traced) {
	start := strings.LastIndex(message, recalledOpen)
	if start < 0 {
		return "", nil
	}
	text, _, ok := strings.Cut(message[start:], recalledClose)
	if !ok {
		return "", nil
	}
	for _, m := range traceLine().FindAllStringSubmatch(text, -1) {
		id, revision, ok := ParseRef(m[2])
		score, err := strconv.ParseFloat(m[3], 64)
		if ok && err == nil {
			facts = append(facts, Traced{ID: id, Revision: revision, Title: m[1], Score: score})
		}
	}
	return text + recalledClose, facts
}

// Recaller recalls for one session: no revision twice. It is safe for concurrent
// use.
type Recaller struct {
	store *Store
	mu    sync.Mutex
	told  map[string]bool // by ref
}

// NewRecaller returns the recaller of a session that was told these refs so far,
// as its journal has them.
func NewRecaller(s *Store, told []string) *Recaller {
	r := &Recaller{store: s, told: map[string]bool{}}
	for _, ref := range told {
		r.told[ref] = true
	}
	return r
}

// Recall is Store.Recall with the default limits. What it returns counts as told.
func (r *Recaller) Recall(prompt string) (Recalled, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	got, err := r.store.Recall(prompt, RecallOptions{Seen: func(id string, revision int) bool {
		return r.told[Fact{ID: id, Revision: revision}.Ref()]
	}})
	for _, ref := range got.Refs() {
		r.told[ref] = true
	}
	return got, err
}
