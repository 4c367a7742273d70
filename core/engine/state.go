package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
)

// stateVersion changes with what a record does to a history: a state that another
// version made is not what this one would make of the records.
const stateVersion = 4

// state is a history as it is kept beside a journal, so that a resume reads only the
// records behind it. Messages stand in it once, in Pool, and by their place elsewhere.
type state struct {
	Version int             `json:"version"`
	Writer  string          `json:"writer"` // program and version
	At      event.Seq       `json:"at"`
	Turn    int             `json:"turn,omitzero"`
	Damaged int             `json:"damaged,omitzero"` // records that could not be read
	Damage  *session.Damage `json:"damage,omitzero"`  // the first of them

	Pool     []message.Message `json:"pool"`
	Messages []int             `json:"messages"`
	Sent     []int             `json:"sent"`
	Ways     [][]int           `json:"ways,omitzero"`

	Now        event.Standing                   `json:"now,omitzero"`
	Configured event.Configured                 `json:"configured,omitzero"`
	Prefix     *event.PrefixSet                 `json:"prefix,omitzero"`
	Calls      []message.ToolCall               `json:"calls,omitzero"`   // of the open reply
	Results    map[string]message.Message       `json:"results,omitzero"` // of the open reply
	Orphans    []message.ID                     `json:"orphans,omitzero"`
	Started    map[string]bool                  `json:"started,omitzero"`
	Closed     []string                         `json:"closed,omitzero"`
	Told       map[string][]string              `json:"told,omitzero"`
	Prompts    []event.PromptID                 `json:"prompts,omitzero"`
	Jobs       map[event.JobID]event.JobStarted `json:"jobs,omitzero"`
	Untold     []event.JobEnded                 `json:"untold,omitzero"`
	Seen       []event.Sight                    `json:"seen,omitzero"`
	Grants     []string                         `json:"grants,omitzero"`
	Model      string                           `json:"model,omitzero"`
	Broken     *event.Break                     `json:"broken,omitzero"`
	Unclosed   bool                             `json:"unclosed,omitzero"`
	Words      string                           `json:"words,omitzero"`
	Planner    event.SessionID                  `json:"planner,omitzero"`
	Dir        string                           `json:"dir,omitzero"`

	Read     int           `json:"read,omitzero"`
	Usage    message.Usage `json:"usage,omitzero"`
	Archives int           `json:"archives,omitzero"`
	Filling  bool          `json:"filling,omitzero"`
	Failed   []message.ID  `json:"failed,omitzero"`

	Left    map[message.ID]event.Seq   `json:"left,omitzero"`
	Turns   map[message.ID]storedPlace `json:"turns,omitzero"`
	Was     message.ID                 `json:"was,omitzero"`
	Changes []storedChange             `json:"changes,omitzero"`
	Parents []storedChange             `json:"parents,omitzero"`
	Gaps    []storedGap                `json:"gaps,omitzero"`
	Writes  map[string]event.Seq       `json:"writes,omitzero"`
	Intent  *event.Rewinding           `json:"intent,omitzero"`
	GivenUp event.Seq                  `json:"given_up,omitzero"`
}

type storedPlace struct {
	Head  message.ID `json:"head,omitzero"`
	Since event.Seq  `json:"since"`
}

type storedChange struct {
	Seq event.Seq `json:"seq"`
	event.File
	More int `json:"more,omitzero"`
}

type storedGap struct {
	Seq  event.Seq `json:"seq"`
	Call string    `json:"call,omitzero"`
	More int       `json:"more,omitzero"`
	Late bool      `json:"late,omitzero"`
}

// stateOf is the state of a history.
func stateOf(h *history) (state, error) {
	pool := pooled{places: map[string]int{}}
	s := state{
		Version: stateVersion, At: h.at,
		Now: h.now.Standing, Configured: h.configured, Prefix: h.prefix, Calls: h.open.calls, Results: h.open.results,
		Orphans: h.orphans, Started: h.started, Closed: h.closed, Told: h.told,
		Prompts: slices.Sorted(maps.Keys(h.prompts)),
		Jobs:    h.jobs, Untold: h.untold, Grants: h.grants,
		Model: h.model, Broken: h.broken, Unclosed: h.unclosed, Words: h.words, Planner: h.planner, Dir: h.dir,
		Read: h.read, Usage: h.usage, Archives: h.archives, Filling: h.filling, Failed: slices.Sorted(maps.Keys(h.failed)),
		Left: h.left, Was: h.was, Writes: h.writes, Intent: h.intent, GivenUp: h.givenUp,
		Changes: storedChanges(h.changes), Parents: storedChanges(h.parents),
	}
	for _, path := range slices.Sorted(maps.Keys(h.seen)) {
		s.Seen = append(s.Seen, h.seen[path])
	}
	for _, g := range h.gaps {
		s.Gaps = append(s.Gaps, storedGap{g.seq, g.call, g.more, g.late})
	}
	if h.turns != nil {
		s.Turns = make(map[message.ID]storedPlace, len(h.turns))
		for id, p := range h.turns {
			s.Turns[id] = storedPlace{p.head, p.since}
		}
	}
	s.Messages, s.Sent = pool.add(h.messages), pool.add(h.sent)
	for _, way := range h.ways {
		s.Ways = append(s.Ways, pool.add(way))
	}
	s.Pool = pool.messages
	return s, pool.err
}

// history is what stateOf was given. A state that is not whole is none.
func (s *state) history() (h history, err error) {
	h = history{
		now: standing{s.Now}, configured: s.Configured, prefix: s.Prefix, open: reply{calls: s.Calls, results: s.Results},
		orphans: s.Orphans, started: s.Started, closed: s.Closed, told: s.Told,
		jobs: s.Jobs, untold: s.Untold, grants: s.Grants,
		model: s.Model, broken: s.Broken, unclosed: s.Unclosed, words: s.Words, planner: s.Planner, dir: s.Dir,
		prompts: set(s.Prompts),
		compacted: compacted{
			read: s.Read, usage: s.Usage, archives: s.Archives, filling: s.Filling, failed: set(s.Failed),
		},
		rewinding: rewinding{
			at: s.At, left: s.Left, was: s.Was, writes: s.Writes, intent: s.Intent, givenUp: s.GivenUp,
			changes: changesOfState(s.Changes), parents: changesOfState(s.Parents),
		},
	}
	if h.open.calls != nil && h.open.results == nil {
		h.open.results = map[string]message.Message{}
	}
	for _, sight := range s.Seen {
		if h.seen == nil {
			h.seen = map[string]event.Sight{}
		}
		h.seen[sight.Path] = sight
	}
	for _, g := range s.Gaps {
		h.gaps = append(h.gaps, gap{g.Seq, g.Call, g.More, g.Late})
	}
	if s.Left != nil {
		h.turns = make(map[message.ID]place, len(s.Turns))
	}
	for id, p := range s.Turns {
		h.turns[id] = place{p.Head, p.Since}
	}
	if h.messages, err = s.of(s.Messages); err != nil {
		return h, err
	}
	if h.sent, err = s.of(s.Sent); err != nil {
		return h, err
	}
	for _, way := range s.Ways {
		ms, err := s.of(way)
		if err != nil {
			return h, err
		}
		h.ways = append(h.ways, ms)
	}
	return h, nil
}

func (s *state) of(places []int) ([]message.Message, error) {
	if places == nil {
		return nil, nil
	}
	ms := make([]message.Message, len(places))
	for i, at := range places {
		if at < 0 || at >= len(s.Pool) {
			return nil, fmt.Errorf("message %d of %d", at, len(s.Pool))
		}
		ms[i] = s.Pool[at]
	}
	return ms, nil
}

// pooled collects messages; equal ones have one place.
type pooled struct {
	messages []message.Message
	places   map[string]int // by their encoding
	err      error
}

func (p *pooled) add(ms []message.Message) []int {
	if ms == nil {
		return nil
	}
	at := make([]int, len(ms))
	for i := range ms {
		key, err := encode(ms[i])
		if err != nil {
			p.err = err
			return at
		}
		n, ok := p.places[string(key)]
		if !ok {
			n = len(p.messages)
			p.places[string(key)], p.messages = n, append(p.messages, ms[i])
		}
		at[i] = n
	}
	return at
}

// encode writes JSON as events are written: what a model wrote is not made longer.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

func storedChanges(all []change) (stored []storedChange) {
	for _, c := range all {
		stored = append(stored, storedChange{c.seq, c.File, c.more})
	}
	return stored
}

func changesOfState(stored []storedChange) (all []change) {
	for _, c := range stored {
		all = append(all, change{c.Seq, c.File, c.More})
	}
	return all
}

func set[K comparable](keys []K) map[K]bool {
	if keys == nil {
		return nil
	}
	all := make(map[K]bool, len(keys))
	for _, k := range keys {
		all[k] = true
	}
	return all
}
