package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// sess is one open session: its parts, each of which says who may use it.
type sess struct {
	e      *Engine
	spec   protocol.Spec
	id     event.SessionID
	store  session.Store
	opened event.Opened // how it was opened
	damage damage
	organs Organs

	j         *journal
	rec       *recorder
	gate      gate
	mail      mailbox
	questions questions
	tally     tally
	stale     atomic.Bool // a compaction broke the prefix: tools may be listed anew
	hooks     hooks
	voice     voice
	tracker   tracker
	rewinder  rewinder

	// The turn's goroutine alone uses these; there is one at a time.
	runner  agent.Runner
	planner *planner // nil: there is none, or no turn yet

	ops   chan submission
	again chan struct{} // capacity 1: what can be chosen may be something else by now
	ready chan struct{} // closed when the session is assembled
	stop  chan struct{} // closed by the first Close
	done  chan struct{} // closed when the goroutine ended

	closing  sync.Once
	closeErr error
}

// submission is an op on its way to the session's goroutine.
type submission struct {
	op       protocol.Op
	accepted chan<- error // capacity 1
}

func (s *sess) start() {
	s.hooks.beginSession(s.opened.Reason)
	go s.loop()
}

// ID names the session.
func (s *sess) ID() event.SessionID { return s.id }

// Submit hands op to the session's goroutine and waits until it is accepted.
func (s *sess) Submit(ctx context.Context, op protocol.Op) error {
	accepted := make(chan error, 1)
	select {
	case s.ops <- submission{op, accepted}:
	case <-s.done:
		return protocol.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-accepted
}

// Close cancels the turn, writes the last record and ends every reader.
func (s *sess) Close() error {
	s.closing.Do(func() { close(s.stop) })
	<-s.done
	return s.closeErr
}

// loop is the session's goroutine.
func (s *sess) loop() {
	defer close(s.done)
	l := &looper{sess: s}
	for {
		select {
		case sub := <-s.ops:
			sub.accepted <- l.serve(sub.op)
		case err := <-l.ended():
			l.turnEnded(err)
		case <-s.again:
			_ = l.offer() // it is not stored, so that nothing can go wrong but the end
		case <-s.stop:
			s.closeErr = l.shut()
			return
		}
	}
}

// looper is what only the session's goroutine touches.
type looper struct {
	*sess
	turn     *running
	queue    []event.PromptQueued // accepted; each begins a turn
	deferred *Working             // counts from the end of the turn on
	reloads  bool                 // what can be read again is, at the end of the turn
}

func (l *looper) ended() <-chan error {
	if l.turn == nil {
		return nil
	}
	return l.turn.ended
}

func (l *looper) serve(op protocol.Op) error {
	switch op := op.(type) {
	case protocol.Prompt:
		return l.prompt(op)
	case protocol.Steer:
		return l.steer(op)
	case protocol.Cancel:
		return l.cancel(op)
	case protocol.Answer:
		return l.questions.answer(op)
	case protocol.Rewind:
		if l.turn != nil {
			return protocol.ErrBusy
		}
		return l.rewinder.rewind(op)
	case protocol.Compact:
		l.compact(op)
		return nil
	case protocol.Configure:
		return l.configure(op)
	case protocol.Reload:
		return l.reload()
	case protocol.Server:
		return l.server(op)
	case protocol.Trust:
		return l.trust(op)
	}
	return &protocol.BadOp{Op: fmt.Sprintf("%T", op), Reason: "this build does not serve it"}
}

func (l *looper) cancel(op protocol.Cancel) error {
	stop := &agent.Stop{Outcome: event.Cancelled, Reason: op.Reason, Detail: "the turn was cancelled"}
	if l.turn != nil && (op.Prompt == "" || op.Prompt == l.turn.prompt) {
		l.turn.cancel(stop)
		return nil
	}
	for i, p := range l.queue {
		if op.Prompt == p.ID {
			l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
			return l.j.emit(event.TurnEnded{Prompt: p.ID, Outcome: event.Cancelled, Reason: op.Reason, Detail: "the prompt was cancelled before its turn"})
		}
	}
	return nil
}

// shut ends the turn, writes the last record and releases everything.
func (l *looper) shut() error {
	if l.turn != nil {
		l.turn.cancel(&agent.Stop{Outcome: event.Cancelled, Reason: "closing", Detail: "the session was closed"})
		l.finishTurn(<-l.turn.ended)
		l.adoptDeferred() // it was accepted, and the next opening begins with it
	}
	err := errors.Join(l.hooks.endSession(), l.planner.close())
	err = errors.Join(err, l.j.emit(event.Ended{Reason: "closed"})) // the parent is the newer one
	return errors.Join(err, l.organs.Close(), l.j.close())
}
