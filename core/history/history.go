package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/retrieval"
)

// Limits of a search.
const (
	DefaultLimit = 8
	MaxLimit     = 50
)

// History searches the journals of its places. It holds no open file between calls
// and is safe for concurrent use, also by several processes.
type History struct {
	places Places
	now    func() time.Time
}

// New returns the history of places; it reads nothing yet.
func New(places Places, now func() time.Time) *History { return &History{places, now} }

// Query is what is looked for.
type Query struct {
	Text    string
	Scope   Scope
	Limit   int             // hits; 0: DefaultLimit, at most MaxLimit
	Session event.SessionID // only this one; empty: all
	// Current is the session that asks: what was said in its running turn is no
	// hit, but results are.
	Current event.SessionID
	// Patience is how long journals that are new to the index may be read before
	// the search; 0: as long as it takes. What is left then is Result.Behind.
	Patience time.Duration
}

// Result is what a search found.
type Result struct {
	Hits     []Hit
	Sessions int   // journals and archives searched
	Behind   int64 // bytes of journals that were not searched yet
}

// Hit is one thing that was said.
type Hit struct {
	Session   string // its id, or archive/<name>
	Workspace string // empty: not known
	Own       bool   // of this workspace (Places.Sessions)
	Title     string
	Seq       event.Seq // in an archive the line
	Turn      int
	Time      time.Time
	Role      message.Role
	Tool      string   // whose result it is
	Score     float64  // comparable within one search
	Terms     []string // of the query, those that are in it
	Snippet   string   // one line
	Marks     []Mark   // where in Snippet the terms are
}

// Mark is bytes Start up to End.
type Mark struct{ Start, End int }

// Search returns the best hits, best first. Those below retrieval.Floor of the best
// and those that say the same as a better one are left out. No hit is no error.
func (h *History) Search(ctx context.Context, q Query) (Result, error) {
	r, damaged, err := h.search(ctx, q)
	if damaged != nil { // its index is gone now and is built again
		damaged.discard()
		r, _, err = h.search(ctx, q)
	}
	if err != nil {
		return Result{}, fmt.Errorf("search history: %w", err)
	}
	return r, nil
}

func (h *History) search(ctx context.Context, q Query) (r Result, damaged *shelf, err error) {
	shelves, err := h.places.shelves(q.Scope)
	if err != nil {
		return r, nil, err
	}
	p := pacing{now: h.now}
	if q.Patience > 0 {
		p.until = h.now().Add(q.Patience)
	}
	s := search{query: q}
	defer s.close()
	for _, shelf := range shelves {
		v, err := shelf.look(ctx, p)
		if err != nil {
			return r, nil, err
		}
		s.add(v)
		r.Sessions += len(v.sources)
		r.Behind += v.behind
	}
	limit := min(q.Limit, MaxLimit)
	if limit <= 0 {
		limit = DefaultLimit
	}
	found, err := retrieval.Search(s.parts, q.Text, limit*3+16)
	if errors.Is(err, retrieval.ErrFormat) {
		return r, s.damaged(), err
	}
	if err != nil {
		return r, nil, err
	}
	r.Hits = s.hits(found, limit)
	return r, nil, nil
}

// search is one search under way.
type search struct {
	query Query
	views []*view
	parts []retrieval.Part
	owner []partOf // by part
	open  map[*source]*opened
	seen  map[uint64]bool // texts that are hits already
}

// partOf says which part of which view a part is.
type partOf struct {
	*view
	part int
}

func (s *search) add(v *view) {
	s.views = append(s.views, v)
	only := s.only(v)
	for i, p := range v.parts {
		if s.query.Session != "" {
			p.Live = nil
			for _, r := range v.runs[i] {
				if only != nil && r.Source == only.ID {
					p.Live = append(p.Live, retrieval.Range{From: r.From, To: r.To})
				}
			}
		}
		s.parts = append(s.parts, p)
		s.owner = append(s.owner, partOf{v, i})
	}
}

// only is the source of the one session that is searched.
func (s *search) only(v *view) *source {
	for _, src := range v.sources {
		if v.id(src) == string(s.query.Session) {
			return src
		}
	}
	return nil
}

// id is how a source is asked for.
func (v *view) id(src *source) string {
	if v.archive {
		return archivePrefix + src.Name
	}
	return src.Name
}

func (s *search) close() {
	for _, o := range s.open {
		_ = o.file.Close() // it was only read
	}
	for _, v := range s.views {
		v.close()
	}
}

// damaged is the shelf whose index cannot be searched.
func (s *search) damaged() *shelf {
	for i, p := range s.parts {
		if _, err := retrieval.Search([]retrieval.Part{p}, s.query.Text, MaxLimit*4); err != nil {
			return &s.owner[i].shelf
		}
	}
	return nil
}

// hits reads what was found, until there are enough.
func (s *search) hits(found []retrieval.PartHit, limit int) []Hit {
	s.open, s.seen = map[*source]*opened{}, map[uint64]bool{}
	var list []Hit
	for _, f := range found {
		if len(list) == limit || len(list) > 0 && f.Score < retrieval.Floor*list[0].Score {
			break
		}
		if h, ok := s.hit(f); ok {
			list = append(list, h)
		}
	}
	return list
}

// hit reads one; false when it is no hit after all: its journal was deleted or
// changed, it repeats another, or it is the question itself.
func (s *search) hit(f retrieval.PartHit) (Hit, bool) {
	at := s.owner[f.Part]
	src := at.view.owner(at.part, f.Doc)
	if src == nil {
		return Hit{}, false
	}
	o := s.journal(at.view, src)
	if o == nil {
		return Hit{}, false
	}
	p, err := o.piece(int64(f.Key))
	if err != nil || !p.searchable() || s.isQuestion(src, p) {
		return Hit{}, false
	}
	sum := fingerprint(p.text)
	text, marks := excerpt(p.text, f.Terms)
	if s.seen[sum] || len(marks) == 0 {
		return Hit{}, false
	}
	s.seen[sum] = true
	return Hit{
		Session: at.id(src), Workspace: o.workspace, Own: at.own, Title: o.title, Seq: p.seq, Turn: p.turn, Time: p.time,
		Role: p.role, Tool: p.tool, Score: f.Score, Terms: f.Terms, Snippet: text, Marks: marks,
	}, true
}

// isQuestion reports whether p is from the turn that asks.
func (s *search) isQuestion(src *source, p piece) bool {
	return src.Name == string(s.query.Current) && p.turn == src.Turn && p.role != message.ToolRole
}

// fingerprint tells texts apart.
func fingerprint(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
