package acp

import (
	"cmp"
	"context"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
)

// follow turns events into updates until the session closes. Updates, questions, what a
// session/load shows and the answers to prompts, steers and loads leave from this one
// goroutine, so none overtakes another. joined is called, once, as soon as the present
// is known, or with what keeps it from being known: what the client must not hear before
// the answer to its request comes behind it. When joined fails, the session is closed.
func (s *session) follow(ctx context.Context, joined func(error) error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	events := s.read(ctx)
	present, err := s.present(ctx, events)
	if joined(err) == nil {
		for _, e := range present {
			s.tell(ctx, e)
		}
		s.goOn(ctx, events)
	}
	close(s.gone)
	for _, req := range s.turns.rest() {
		req.Reply(acpwire.PromptResult{StopReason: "cancelled"}, nil)
	}
	s.steers.rest()
	s.status.over()
	s.drawing.asking.close()
}

// reading is one event, or why no further one comes.
type reading struct {
	event.Envelope
	err error
}

// read hands the session's events over one at a time, from its present on, so that
// something else can be done between two of them. It ends with the session, or with ctx.
func (s *session) read(ctx context.Context) <-chan reading {
	events := make(chan reading)
	s.followed.Go(func() {
		defer close(events)
		for env, err := range s.Events(ctx, event.Tail) {
			select {
			case events <- reading{env, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	})
	return events
}

// present takes in events up to the last that the answer to who opened the session
// needs, and returns those that the client is told behind it.
func (s *session) present(ctx context.Context, events <-chan reading) (held []event.Envelope, err error) {
	for {
		var e reading
		select {
		case e = <-events: // without an event when there are no more
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if e.err != nil || e.Payload == nil {
			return held, cmp.Or(e.err, protocol.ErrClosed)
		}
		s.status.apply(e.Envelope)
		if p, is := e.Payload.(event.CaughtUp); is {
			s.drawing.drawn = p.Last
		}
		held = append(held, e.Envelope)
		if s.settled(e.Payload) {
			return held, nil
		}
	}
}

// settled reports whether p is the last of what a reader is told of the present that
// the answer to who opened the session needs: what can be chosen in it.
func (s *session) settled(p event.Payload) bool {
	switch p.(type) {
	case event.CaughtUp:
		return s.host.Catalog == nil // nobody offers anything
	case event.Offered:
		return true
	default:
		return false
	}
}

// goOn tells what happens, and does what it is asked to, until nothing happens any more.
func (s *session) goOn(ctx context.Context, events <-chan reading) {
	for {
		select {
		case e, more := <-events:
			if !more || e.err != nil {
				return
			}
			s.status.apply(e.Envelope)
			s.tell(ctx, e.Envelope)
		case do := <-s.asks:
			do()
		}
	}
}

// tell tells the client of an event, in updates and otherwise: it answers steers, and
// the new status is for a client that asked for it.
func (s *session) tell(ctx context.Context, e event.Envelope) {
	s.drawing.drawn = max(s.drawing.drawn, e.Seq)
	s.drawing.draw(ctx, e)
	if p, ok := e.Payload.(event.PromptQueued); ok && p.Kind == event.KindSteer {
		s.turns.heard(p.ID)
	}
	s.steers.seen(e, s.status.now().Running != "")
	s.status.changed()
	if _, ended := e.Payload.(event.TurnEnded); !ended { // that was told before the answer
		s.tellStatus(ctx, changedBy(e.Payload))
	}
}

// between has follow's goroutine do something, and waits for its end. It is false when
// the session closed, and an error when ctx ended, before it began.
func (s *session) between(ctx context.Context, do func()) (done bool, err error) {
	over := make(chan struct{})
	select {
	case s.asks <- func() { defer close(over); do() }:
		<-over
		return true, nil
	case <-s.gone:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
