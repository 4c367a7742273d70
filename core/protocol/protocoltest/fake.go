package protocoltest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// Fake opens sessions without an engine, a model or a disk, for tests of front ends.
// Every prompt is answered with the next scripted reply, or "ok" when there is none.
// It is safe for concurrent use.
type Fake struct {
	// Questions are asked, one after the other, before the model replies. Set it
	// before the first Open; nil asks nothing.
	Questions func(prompt string) []event.Question

	mu       sync.Mutex
	replies  []string
	gate     chan struct{}
	sessions map[event.SessionID]*fakeSession
	made     int
}

// Reply scripts the next replies, one a turn.
func (f *Fake) Reply(replies ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies = append(f.replies, replies...)
}

// Hold makes replies stop half way until release is called.
func (f *Fake) Hold() (release func()) {
	gate := make(chan struct{})
	f.mu.Lock()
	f.gate = gate
	f.mu.Unlock()
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		close(gate)
		f.gate = nil
	})
}

func (f *Fake) next() (reply string, gate <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	reply = "ok"
	if len(f.replies) > 0 {
		reply, f.replies = f.replies[0], f.replies[1:]
	}
	return reply, f.gate
}

// Open implements protocol.Opener.
func (f *Fake) Open(_ context.Context, spec protocol.Spec) (protocol.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := cmp.Or(spec.Session, spec.Fork.Session)
	old := f.sessions[name]
	switch {
	case spec.Session != "" && spec.Fork.Session != "":
		return nil, &protocol.BadOp{Op: "Open", Field: "Fork", Reason: "excludes Session"}
	case name != "" && old == nil:
		return nil, protocol.ErrUnknown
	case spec.ReadOnly:
		return &fakeView{old}, nil
	case spec.Session != "" && !old.isClosed():
		return nil, errOpen
	}
	s := &fakeSession{
		fake: f, id: spec.Session, news: make(chan struct{}),
		pending: map[event.RequestID]chan event.Answer{}, phase: event.Phase{Name: event.PhaseIdle},
	}
	opened := event.Opened{Reason: event.OpenedNew, Workspace: spec.Workspace}
	if s.id == "" {
		f.made++
		s.id = event.SessionID(fmt.Sprintf("20260102-150405-%06x", f.made))
	}
	if old != nil {
		s.log, opened.Reason = old.stored(), event.OpenedResumed
		if spec.Fork.Session != "" {
			if at := int(spec.Fork.At); at > 0 && at < len(s.log) {
				s.log = s.log[:at]
			}
			opened.Reason, opened.Parent, opened.At = event.OpenedForked, name, event.Seq(len(s.log))
		}
		s.seq = event.Seq(len(s.log))
	}
	if f.sessions == nil {
		f.sessions = map[event.SessionID]*fakeSession{}
	}
	f.sessions[s.id] = s
	s.configured = event.Configured{Model: spec.Model, Approval: spec.Approval}
	s.tell(opened)
	s.tell(s.configured)
	return s, nil
}

// fakeSession keeps everything it told in one list; a reader is a place in it.
type fakeSession struct {
	fake       *Fake
	id         event.SessionID
	configured event.Configured

	mu       sync.Mutex
	log      []event.Envelope
	seq      event.Seq
	turn     int
	news     chan struct{} // closed at every change
	closing  bool          // refuses ops
	closed   bool          // nothing more is told
	phase    event.Phase
	text     event.TextDelta // of the reply in flight
	running  event.PromptID
	cancel   context.CancelCauseFunc
	stopping bool // cancel was called
	queue    []protocol.Prompt
	pending  map[event.RequestID]chan event.Answer
	turns    sync.WaitGroup
}

func (s *fakeSession) ID() event.SessionID { return s.id }

func (s *fakeSession) stored() []event.Envelope {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.log), func(e event.Envelope) bool { return e.Seq == 0 })
}

func (s *fakeSession) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *fakeSession) tell(p event.Payload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellLocked(p)
}

func (s *fakeSession) tellLocked(p event.Payload) {
	e := event.Envelope{Time: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Payload: p}
	if s.running != "" {
		e.Turn = s.turn
	}
	if event.KindOf(p).Class == event.Durable {
		s.seq++
		e.Seq = s.seq
	}
	s.log = append(s.log, e)
	close(s.news)
	s.news = make(chan struct{})
}

// Events implements protocol.Session.
func (s *fakeSession) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	return func(yield func(event.Envelope, error) bool) {
		s.mu.Lock()
		at, batch := len(s.log), []event.Envelope{}
		for _, e := range s.log {
			if e.Seq > after {
				batch = append(batch, e)
			}
		}
		batch = append(batch, s.present()...)
		s.mu.Unlock()
		for {
			for _, e := range batch {
				if ctx.Err() != nil {
					break
				}
				if !yield(e, nil) {
					return
				}
			}
			s.mu.Lock()
			batch = s.log[at:len(s.log):len(s.log)]
			at = len(s.log)
			news, closed := s.news, s.closed
			s.mu.Unlock()
			if len(batch) > 0 && ctx.Err() == nil {
				continue
			}
			if closed && ctx.Err() == nil {
				return
			}
			select {
			case <-news:
			case <-ctx.Done():
				yield(event.Envelope{}, ctx.Err())
				return
			}
		}
	}
}

// present is what a reader that joins now must know.
func (s *fakeSession) present() []event.Envelope {
	payloads := []event.Payload{event.CaughtUp{Last: s.seq, Configured: s.configured, Standing: standing(s.log)}, s.phase}
	if s.text.Text != "" {
		payloads = append(payloads, s.text)
	}
	var all []event.Envelope
	for _, p := range payloads {
		all = append(all, event.Envelope{Payload: p})
	}
	return all
}
