package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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
	log   session.Log // nil until a new session's first prompt
	now   func() time.Time
	// create makes the log of a new session.
	create func() (session.Log, error)
	tools  []string
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
	held    []event.Envelope // durable events of a session that has no log yet
	opening bool             // the records of this opening come first
	early   []event.Payload  // what happened before them

	writer   string    // program and version
	damage   damage    // of the journal, as it was loaded
	keptAt   event.Seq // of the state that is kept
	keptSize int       // of it, in messages
}

// newJournal makes the journal of one session: of a new one when it gets a create, of
// a stored one when it gets a log.
func newJournal(p Parts, store session.Store) *journal {
	j := &journal{now: p.Now, store: store, writer: p.Writer}
	j.folded.past = j.past
	return j
}

// live is the reply in flight: what a reader that joins now has missed.
type live struct {
	turn            event.PromptID // the one that runs
	message         message.ID
	text, reasoning tail
}

// tail is text from its first delta on, whose offset need not be 0.
type tail struct {
	offset int
	text   []byte
}

func (t *tail) add(offset int, text string) {
	if len(t.text) == 0 {
		t.offset = offset
	}
	t.text = append(t.text, text...)
}

// emit stores p when it is durable, folds it, and tells every reader.
func (j *journal) emit(p event.Payload) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.opening && event.KindOf(p).Class == event.Durable {
		j.early = append(j.early, p)
		return nil
	}
	return j.emitLocked(p)
}

// prepare holds back what happens until open has written the records of an opening.
func (j *journal) prepare() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.opening = true
}

// open writes the records of an opening, and then what happened before them.
func (j *journal) open(records []event.Payload) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.opening = false
	for _, p := range j.early {
		if n, ok := p.(event.Notice); ok {
			j.notices = append(j.notices, n)
		}
	}
	for _, p := range append(records, j.early...) {
		if err := j.emitLocked(p); err != nil {
			return err
		}
	}
	j.early = nil
	return nil
}

func (j *journal) emitLocked(p event.Payload) error {
	if j.closed {
		return protocol.ErrClosed
	}
	kind := event.KindOf(p)
	env := event.Envelope{Time: j.now().UTC(), Turn: j.turn, Payload: p}
	if kind.Class == event.Durable {
		env.Seq = j.seq + 1
		if err := j.storeLocked(env); err != nil {
			return fmt.Errorf("journal %s of session %s: %w", kind.Type, j.id, err)
		}
		j.seq = env.Seq
		j.folded.apply(env)
	}
	j.tellLocked(kind, env)
	if j.worth(p) {
		j.keepLocked()
	}
	return nil
}

func (j *journal) storeLocked(env event.Envelope) error {
	if j.log == nil {
		j.held = append(j.held, env)
		return nil
	}
	return j.log.Append(env)
}

// begin makes a new session's log with what was held back for it. One that cannot take
// that is removed again, so that the next attempt makes it anew.
func (j *journal) begin() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log != nil || j.closed {
		return nil
	}
	log, err := j.create()
	if err != nil {
		return err
	}
	if err := log.Append(j.held...); err != nil {
		return errors.Join(fmt.Errorf("journal session %s: %w", j.id, err), log.Close(), j.store.Delete(context.Background(), j.id))
	}
	j.log, j.held = log, nil
	return nil
}

// tell passes a durable event on that could not be stored, without a number: the
// journal is broken and every reader must still learn how the turn ended.
func (j *journal) tell(p event.Payload) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tellLocked(event.KindOf(p), event.Envelope{Time: j.now().UTC(), Turn: j.turn, Payload: p})
}

// openedWith tells what an opening has to say behind its records, also to who joins
// later.
func (j *journal) openedWith(n event.Notice) error {
	j.mu.Lock()
	j.notices = append(j.notices, n)
	j.mu.Unlock()
	return j.emit(n)
}

// warn records what went wrong where nobody waits for an answer. A journal that is
// broken does not keep it from being told.
func (j *journal) warn(n event.Notice) {
	if j.emit(n) != nil {
		j.tell(n)
	}
}

func (j *journal) tellLocked(kind event.Kind, env event.Envelope) {
	if kind.Class == event.Sticky {
		if j.sticky == nil {
			j.sticky = map[string]event.Envelope{}
		}
		j.sticky[stickyKey(kind, env.Payload)] = env
	}
	j.live.follow(env.Payload)
	for r := range j.readers {
		r.push(env)
	}
}

// stickyKey says what an event is the newest of: its type, or one server.
func stickyKey(kind event.Kind, p event.Payload) string {
	if s, ok := p.(event.ServerChanged); ok {
		return kind.Type + " " + s.Name
	}
	return kind.Type
}

func (l *live) follow(p event.Payload) {
	switch p := p.(type) {
	case event.TurnStarted:
		l.turn = p.Prompt
	case event.TextDelta:
		l.begin(p.Message)
		l.text.add(p.Offset, p.Text)
	case event.ReasoningDelta:
		l.begin(p.Message)
		l.reasoning.add(p.Offset, p.Text)
	case event.Retrying, event.Replied:
		l.begin("")
	case event.TurnEnded:
		if p.Prompt == l.turn {
			l.begin("")
		}
	default: // no part of a reply
	}
}

func (l *live) begin(id message.ID) {
	if l.message != id {
		l.message, l.text, l.reasoning = id, tail{text: l.text.text[:0]}, tail{text: l.reasoning.text[:0]}
	}
}

// nextTurn opens the next turn's number.
func (j *journal) nextTurn() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turn++
}

// sync makes what was stored survive a power loss.
func (j *journal) sync() error {
	j.mu.Lock()
	log := j.log
	j.mu.Unlock()
	if log == nil {
		return nil
	}
	if err := log.Sync(); err != nil {
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

// told are the references of the sources of this kind that user messages had.
func (j *journal) told(kind string) (refs []string) {
	j.with(func(h *history) { refs = slices.Clone(h.told[kind]) })
	return refs
}

// with reads or changes the folded state.
func (j *journal) with(f func(h *history)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&j.folded)
}

// joined is what a reader is shown first: the stored events up to last, which
// are in the store unless they are held, and then the present.
type joined struct {
	last    event.Seq
	held    []event.Envelope
	present []event.Envelope
}

// join adds a reader.
func (j *journal) join(r *reader) joined {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := func(p event.Payload) event.Envelope {
		return event.Envelope{Time: j.now().UTC(), Turn: j.turn, Payload: p}
	}
	in := joined{last: j.seq, held: j.held[:len(j.held):len(j.held)]}
	in.present = append(in.present, now(j.standsLocked()))
	for _, name := range slices.Sorted(maps.Keys(j.sticky)) {
		in.present = append(in.present, j.sticky[name])
	}
	if t := j.live.reasoning; len(t.text) > 0 {
		in.present = append(in.present, now(event.ReasoningDelta{Message: j.live.message, Offset: t.offset, Text: string(t.text)}))
	}
	if t := j.live.text; len(t.text) > 0 {
		in.present = append(in.present, now(event.TextDelta{Message: j.live.message, Offset: t.offset, Text: string(t.text)}))
	}
	if j.closed {
		r.end()
		return in
	}
	if j.readers == nil {
		j.readers = map[*reader]struct{}{}
	}
	j.readers[r] = struct{}{}
	return in
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
	log := j.log
	j.mu.Unlock()
	if log == nil {
		return nil
	}
	return log.Close()
}
