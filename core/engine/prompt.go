package engine

import (
	"errors"
	"fmt"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// A prompt is an event.PromptQueued from the moment it is accepted on, wherever it
// waits. Its Kind says what it was meant for: what steers may be a command that stands
// for a text, and refers to files like any other, but does nothing in the place of a
// turn, whenever it is heard.

// prompt serves the Op.
func (l *looper) prompt(op protocol.Prompt) error {
	p := event.PromptQueued{ID: op.ID, Kind: event.KindPrompt, Display: op.Text, Data: op.Data, Literal: op.Literal, Attachments: op.Attachments}
	if err := l.checkPrompt("Prompt", p, op.Images); err != nil {
		return err
	}
	if l.accepted(p.ID) {
		return nil
	}
	if l.turn != nil && !op.Queue {
		return protocol.ErrBusy
	}
	return l.enqueue(p, op.Images)
}

// steer serves the Op.
func (l *looper) steer(op protocol.Steer) error {
	p := event.PromptQueued{ID: op.ID, Kind: event.KindSteer, Display: op.Text, Data: op.Data, Attachments: op.Attachments}
	if err := l.checkPrompt("Steer", p, op.Images); err != nil {
		return err
	}
	switch op.IfIdle {
	case "", protocol.SteerQueue, protocol.SteerRefuse:
	default:
		return &protocol.BadOp{Op: "Steer", Field: "IfIdle", Reason: "must be queue or refuse"}
	}
	if l.accepted(p.ID) {
		return nil
	}
	if l.turn == nil {
		if op.IfIdle == protocol.SteerRefuse {
			return protocol.ErrStale
		}
		p.Kind = event.KindPrompt
		return l.enqueue(p, op.Images)
	}
	p, err := l.accept(p, op.Images)
	if err != nil {
		return err
	}
	l.mail.steer(p)
	return nil
}

// checkPrompt refuses what cannot be said.
func (l *looper) checkPrompt(op string, p event.PromptQueued, images []protocol.Image) error {
	bad := func(field, reason string) error {
		return &protocol.BadOp{Op: op, Field: field, Reason: reason}
	}
	switch {
	case p.ID == "":
		return bad("ID", "must not be empty")
	case p.Display+p.Data == "" && len(p.Attachments)+len(images) == 0:
		return bad("Text", "must not be empty")
	}
	if err := checkImages(op, images); err != nil {
		return err
	}
	c, ok, err := l.voice.commands.of(p)
	switch {
	case err != nil:
		return bad("Text", err.Error())
	case !ok:
		return nil
	case c.instead() && p.Kind == event.KindSteer:
		return bad("Text", "a command cannot steer: send it as a prompt")
	}
	if err := l.rehearse(c); err != nil {
		return bad("Text", fmt.Sprintf("/%s: %s", c.Name, reasonOf(err)))
	}
	return nil
}

// rehearse refuses an op that a person typed and that nobody could act on, as far as
// that can be known before its turn.
func (l *looper) rehearse(c Command) error {
	op, ok := c.Op.(protocol.Configure)
	if !ok {
		return nil
	}
	_, err := l.configurable(op)
	var bad *protocol.BadOp
	if errors.As(err, &bad) {
		return bad
	}
	return nil
}

// enqueue accepts a prompt that begins a turn of its own.
func (l *looper) enqueue(p event.PromptQueued, images []protocol.Image) error {
	p, err := l.accept(p, images)
	if err != nil {
		return err
	}
	l.queue = append(l.queue, p)
	l.startNext()
	return nil
}

// accepted reports whether a prompt of this id is in the journal already.
func (s *sess) accepted(id event.PromptID) (known bool) {
	s.j.with(func(h *history) { known = h.prompts[id] })
	return known
}

// accept makes a prompt survive even a power loss. The first one of a session makes its
// journal.
func (s *sess) accept(p event.PromptQueued, images []protocol.Image) (event.PromptQueued, error) {
	var err error
	if p.Attachments, err = s.keepImages(p.Attachments, images); err != nil {
		return p, err
	}
	if err := s.j.begin(); err != nil {
		return p, err
	}
	if err := s.rewinder.giveUp(); err != nil {
		return p, err
	}
	if err := s.j.emit(p); err != nil {
		return p, err
	}
	return p, s.j.sync()
}
