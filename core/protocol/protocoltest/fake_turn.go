package protocoltest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
)

// Submit implements protocol.Session.
func (s *fakeSession) Submit(_ context.Context, op protocol.Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return protocol.ErrClosed
	}
	switch op := op.(type) {
	case protocol.Prompt:
		return s.prompt(op)
	case protocol.Steer:
		return s.steer(op)
	case protocol.Cancel:
		s.stop(op)
		return nil
	case protocol.Answer:
		waiting := s.pending[op.ID]
		if waiting == nil {
			return protocol.ErrStale
		}
		delete(s.pending, op.ID)
		waiting <- op.Answer
		return nil
	default: // the fake serves no other
	}
	return &protocol.BadOp{Op: fmt.Sprintf("%T", op), Reason: "not served"}
}

// steer reads nothing while it replies: a steer waits its turn.
func (s *fakeSession) steer(op protocol.Steer) error {
	switch op.IfIdle {
	case "", protocol.SteerQueue:
	case protocol.SteerRefuse:
		if !s.taking() {
			return protocol.ErrStale
		}
	default:
		return &protocol.BadOp{Op: "Steer", Field: "IfIdle", Reason: "must be queue or refuse"}
	}
	kind := event.KindPrompt
	if s.taking() {
		kind = event.KindSteer
	}
	return s.hear(protocol.Prompt{ID: op.ID, Text: op.Text, Attachments: op.Attachments, Images: op.Images, Queue: true}, kind)
}

// taking reports whether a turn runs that was not cancelled.
func (s *fakeSession) taking() bool { return s.running != "" && !s.stopping }

func (s *fakeSession) prompt(op protocol.Prompt) error { return s.hear(op, event.KindPrompt) }

func (s *fakeSession) hear(op protocol.Prompt, kind string) error {
	switch {
	case op.ID == "":
		return &protocol.BadOp{Op: "Prompt", Field: "ID", Reason: "must not be empty"}
	case op.Text+op.Data == "" && len(op.Attachments)+len(op.Images) == 0:
		return &protocol.BadOp{Op: "Prompt", Field: "Text", Reason: "must not be empty"}
	case slices.ContainsFunc(s.log, func(e event.Envelope) bool {
		p, ok := e.Payload.(event.PromptQueued)
		return ok && p.ID == op.ID
	}):
		return nil
	case s.taking() && !op.Queue:
		return protocol.ErrBusy
	}
	for _, i := range op.Images {
		op.Attachments = append(op.Attachments, message.Attachment{MIME: i.MIME, Name: i.Name, Size: int64(len(i.Data))})
	}
	s.tellLocked(event.PromptQueued{ID: op.ID, Kind: kind, Display: op.Text, Data: op.Data, Literal: op.Literal, Attachments: op.Attachments})
	s.queue = append(s.queue, op)
	if s.running == "" {
		s.start()
	}
	return nil
}

func (s *fakeSession) stop(op protocol.Cancel) {
	if s.cancel != nil && (op.All || op.Prompt == "" || op.Prompt == s.running) {
		s.stopping = true
		s.cancel(errors.New(op.Reason))
		if !op.All {
			return
		}
	}
	var kept []protocol.Prompt
	for _, p := range s.queue {
		if !op.All && p.ID != op.Prompt {
			kept = append(kept, p)
			continue
		}
		s.tellLocked(event.TurnEnded{Prompt: p.ID, Outcome: event.Cancelled, Reason: op.Reason})
	}
	s.queue = kept
}

// start begins the first queued prompt's turn.
func (s *fakeSession) start() {
	op := s.queue[0]
	s.queue = s.queue[1:]
	ctx, cancel := context.WithCancelCause(context.Background())
	s.turn++
	s.running, s.cancel, s.stopping = op.ID, cancel, false
	s.tellLocked(event.TurnStarted{Prompt: op.ID, Trigger: "user"})
	said := message.Message{ID: message.ID("u-" + op.ID), Role: message.User, Content: op.Text}
	s.tellLocked(event.UserSaid{Prompt: op.ID, Display: op.Text, Message: said})
	s.turns.Go(func() {
		defer cancel(nil)
		s.end(op.ID, s.run(ctx, op))
	})
}

// run asks and replies; an error is why the turn was cancelled.
func (s *fakeSession) run(ctx context.Context, op protocol.Prompt) error {
	if s.fake.Questions != nil {
		for _, q := range s.fake.Questions(op.Text) {
			if err := s.ask(ctx, q); err != nil {
				return err
			}
		}
	}
	s.enter(event.PhaseModel)
	text, gate := s.fake.next()
	id := message.ID("m-" + op.ID)
	half := len(text) / 2
	s.stream(id, 0, text[:half])
	finish := event.FinishStop
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			text, finish = text[:half], event.FinishCancelled
		}
	}
	if finish == event.FinishStop {
		s.stream(id, half, text[half:])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = event.TextDelta{}
	said := message.Message{ID: id, Role: message.Assistant, Content: text}
	s.tellLocked(event.Replied{Message: said, Finish: finish})
	return context.Cause(ctx)
}

func (s *fakeSession) stream(id message.ID, offset int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Message, s.text.Text = id, s.text.Text+text
	s.tellLocked(event.TextDelta{Message: id, Offset: offset, Text: text})
}

func (s *fakeSession) ask(ctx context.Context, q event.Question) error {
	answered := make(chan event.Answer, 1)
	s.mu.Lock()
	s.pending[q.ID] = answered
	s.tellLocked(event.Asked{Question: q})
	s.mu.Unlock()
	s.enter(event.PhasePermission)
	select {
	case a := <-answered:
		s.tell(event.Answered{ID: q.ID, Answer: a, By: event.ByUser})
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pending, q.ID)
		s.tellLocked(event.Answered{ID: q.ID, Answer: event.Answer{Cancelled: true}, By: event.ByCancel})
		return context.Cause(ctx)
	}
}

func (s *fakeSession) enter(phase string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = event.Phase{Name: phase}
	s.tellLocked(s.phase)
}

func (s *fakeSession) end(id event.PromptID, cause error) {
	ended := event.TurnEnded{Prompt: id, Outcome: event.Completed}
	if cause != nil {
		ended.Outcome, ended.Reason = event.Cancelled, cause.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellLocked(ended)
	s.running, s.cancel = "", nil
	s.phase = event.Phase{Name: event.PhaseIdle}
	s.tellLocked(s.phase)
	if len(s.queue) > 0 {
		s.start()
	}
}

// Close implements protocol.Session.
func (s *fakeSession) Close() error {
	s.mu.Lock()
	s.closing, s.queue = true, nil
	if s.cancel != nil {
		s.cancel(errors.New("closing"))
	}
	s.mu.Unlock()
	s.turns.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.tellLocked(event.Ended{Reason: "closed"})
	}
	return nil
}
