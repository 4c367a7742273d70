package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// sess is one open session: its parts, each of which says what it is for and who may use
// it, and the goroutine that takes ops and hands each to the part that serves it.
type sess struct {
	from   origin
	organs Organs

	rec          *recorder
	tally        tally
	mail         mailbox
	questions    questions
	hooks        hooks
	book         rulebook
	gate         gate
	tracker      tracker
	rewinder     rewinder
	voice        voice
	works        works
	conversation conversation
	settings     settings
	turns        turns
	intake       intake

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
	s.hooks.beginSession(s.from.opened.Reason)
	go s.loop()
}

// ID names the session.
func (s *sess) ID() event.SessionID { return s.from.id }

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
	for {
		select {
		case sub := <-s.ops:
			sub.accepted <- s.serve(sub.op)
		case err := <-s.turns.ended():
			s.turns.over(err)
		case <-s.again:
			_ = s.settings.offer() // it is not stored, so that nothing can go wrong but the end
		case <-s.stop:
			s.closeErr = s.shut()
			return
		}
	}
}

func (s *sess) serve(op protocol.Op) error {
	switch op := op.(type) {
	case protocol.Prompt:
		return s.intake.prompt(op)
	case protocol.Steer:
		return s.intake.steer(op)
	case protocol.Cancel:
		return s.turns.cancel(op)
	case protocol.Answer:
		return s.questions.answer(op)
	case protocol.Rewind:
		if s.turns.busy() {
			return protocol.ErrBusy
		}
		return s.rewinder.rewind(op)
	case protocol.Compact:
		s.turns.compact(op)
		return nil
	case protocol.Configure:
		return s.settings.configure(op)
	case protocol.Reload:
		return s.settings.reload()
	case protocol.Server:
		if s.organs.Server == nil {
			return &protocol.BadOp{Op: "Server", Reason: "this session has no servers"}
		}
		return s.organs.Server(op)
	case protocol.Trust:
		if s.organs.Trust == nil {
			return &protocol.BadOp{Op: "Trust", Reason: "nothing can be granted to this session"}
		}
		return s.organs.Trust(op)
	}
	return &protocol.BadOp{Op: fmt.Sprintf("%T", op), Reason: "this build does not serve it"}
}

// shut ends the turn, writes the last record and releases everything.
func (s *sess) shut() error {
	s.turns.end()
	err := errors.Join(s.hooks.endSession(), s.works.close())
	return errors.Join(err, s.end()) // the parent is the newer one
}

// end writes the last record and releases the organs and the journal.
func (s *sess) end() error {
	return errors.Join(s.from.j.emit(event.Ended{Reason: "closed"}), s.organs.Close(), s.from.j.close())
}
