package engine

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// journal writes, then tells: a durable event is in the store before any reader
// sees it. It is the one place where events are numbered. Safe for concurrent
// use.
type journal struct {
	id    event.SessionID
	store session.Store
	log   session.Log
	now   func() time.Time
	tools []string
	// notices are what this opening had to say.
	notices []event.Notice

	mu      sync.Mutex
	seq     event.Seq
	turn    int
	folded  history
	sticky  map[string]event.Envelope
	live    live
	readers map[*reader]struct{}
	closed  bool
}

// live is the reply in flight: what a reader that joins now has missed.
type live struct {
	message   message.ID
	text      []byte
	reasoning []byte
}

// emit stores p when it is durable, folds it, and tells every reader.
func (j *journal) emit(p event.Payload) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return protocol.ErrClosed
	}
	kind := event.KindOf(p)
	env := event.Envelope{Time: j.now().UTC(), Turn: j.turn, Payload: p}
	if kind.Class == event.Durable {
		env.Seq = j.seq + 1
		if err := j.log.Append(env); err != nil {
			return fmt.Errorf("journal %s of session %s: %w", kind.Type, j.id, err)
		}
		j.seq = env.Seq
		j.folded.apply(p)
	}
	j.tellLocked(kind, env)
	return nil
}

// tell passes a durable event on that could not be stored, without a number: the
// journal is broken and every reader must still learn how the turn ended.
func (j *journal) tell(p event.Payload) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tellLocked(event.KindOf(p), event.Envelope{Time: j.now().UTC(), Turn: j.turn, Payload: p})
}

func (j *journal) tellLocked(kind event.Kind, env event.Envelope) {
	if kind.Class == event.Sticky {
		if j.sticky == nil {
			j.sticky = map[string]event.Envelope{}
		}
		j.sticky[kind.Type] = env
	}
	j.live.follow(env.Payload)
	for r := range j.readers {
		r.push(env)
	}
}

func (l *live) follow(p event.Payload) {
	switch p := p.(type) {
	case event.TextDelta:
		l.begin(p.Message)
		l.text = append(l.text, p.Text...)
	case event.ReasoningDelta:
		l.begin(p.Message)
		l.reasoning = append(l.reasoning, p.Text...)
	case event.Retrying, event.Replied, event.TurnEnded:
		l.begin("")
	default: // no part of a reply
	}
}

func (l *live) begin(id message.ID) {
	if l.message != id {
		l.message, l.text, l.reasoning = id, l.text[:0], l.reasoning[:0]
	}
}

// nextTurn opens the next turn's number.
func (j *journal) nextTurn() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turn++
}

func (j *journal) sync() error {
	if err := j.log.Sync(); err != nil {
		return fmt.Errorf("sync session %s: %w", j.id, err)
	}
	return nil
}

// messages is the conversation so far.
func (j *journal) messages() []message.Message {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.folded.conversation()
}

// with reads or changes the folded state.
func (j *journal) with(f func(h *history)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&j.folded)
}

// join adds a reader and returns what it must be shown first: the number of the
// last durable event, and the events that stand for the present.
func (j *journal) join(r *reader) (last event.Seq, present []event.Envelope) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := j.now().UTC()
	present = append(present, event.Envelope{Time: now, Turn: j.turn, Payload: event.CaughtUp{
		Last: j.seq, Configured: j.folded.configured, Tools: j.tools, Notices: j.notices,
	}})
	names := make([]string, 0, len(j.sticky))
	for name := range j.sticky {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		present = append(present, j.sticky[name])
	}
	if len(j.live.reasoning) > 0 {
		present = append(present, event.Envelope{Time: now, Turn: j.turn, Payload: event.ReasoningDelta{Message: j.live.message, Text: string(j.live.reasoning)}})
	}
	if len(j.live.text) > 0 {
		present = append(present, event.Envelope{Time: now, Turn: j.turn, Payload: event.TextDelta{Message: j.live.message, Text: string(j.live.text)}})
	}
	if j.closed {
		r.end()
		return j.seq, present
	}
	if j.readers == nil {
		j.readers = map[*reader]struct{}{}
	}
	j.readers[r] = struct{}{}
	return j.seq, present
}

func (j *journal) leave(r *reader) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.readers, r)
}

// close ends every reader and releases the log; idempotent.
func (j *journal) close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	for r := range j.readers {
		r.end()
	}
	j.readers = nil
	j.mu.Unlock()
	return errors.Join(j.log.Close())
}
