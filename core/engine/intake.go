package engine

import (
	"errors"
	"fmt"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/protocol"
)

// A prompt is an event.PromptQueued from the moment it is accepted on, wherever it
// waits. Its Kind says what it was meant for: what steers may be a command that stands
// for a text, and refers to files like any other, but does nothing in the place of a
// turn, whenever it is heard.

// intake takes what a person says: it refuses what cannot be said, makes the rest survive,
// and has it heard. The session's goroutine uses it.
type intake struct {
	j        *journal
	save     agent.SaveFunc // keeps pictures beside the journal
	commands commands
	settings *settings
	rewinder *rewinder
	mail     *mailbox
	turns    *turns
}

// prompt serves the Op.
func (in *intake) prompt(op protocol.Prompt) error {
	p := event.PromptQueued{ID: op.ID, Kind: event.KindPrompt, Display: op.Text, Data: op.Data, Literal: op.Literal, Attachments: op.Attachments}
	if err := in.check("Prompt", p, op.Images); err != nil {
		return err
	}
	if in.accepted(p.ID) {
		return nil
	}
	if in.turns.taking() && !op.Queue {
		return protocol.ErrBusy
	}
	return in.enqueue(p, op.Images)
}

// steer serves the Op.
func (in *intake) steer(op protocol.Steer) error {
	p := event.PromptQueued{ID: op.ID, Kind: event.KindSteer, Display: op.Text, Data: op.Data, Attachments: op.Attachments}
	if err := in.check("Steer", p, op.Images); err != nil {
		return err
	}
	switch op.IfIdle {
	case "", protocol.SteerQueue, protocol.SteerRefuse:
	default:
		return &protocol.BadOp{Op: "Steer", Field: "IfIdle", Reason: "must be queue or refuse"}
	}
	if in.accepted(p.ID) {
		return nil
	}
	if !in.turns.taking() {
		if op.IfIdle == protocol.SteerRefuse {
			return protocol.ErrStale
		}
		p.Kind = event.KindPrompt
		return in.enqueue(p, op.Images)
	}
	p, err := in.accept(p, op.Images)
	if err != nil {
		return err
	}
	in.mail.steer(p)
	return nil
}

// check refuses what cannot be said.
func (in *intake) check(op string, p event.PromptQueued, images []protocol.Image) error {
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
	c, ok, err := in.commands.of(p)
	switch {
	case err != nil:
		return bad("Text", err.Error())
	case !ok:
		return nil
	case c.instead() && p.Kind == event.KindSteer:
		return bad("Text", "a command cannot steer: send it as a prompt")
	}
	if err := in.rehearse(c); err != nil {
		return bad("Text", fmt.Sprintf("/%s: %s", c.Name, reasonOf(err)))
	}
	return nil
}

// rehearse refuses an op that a person typed and that nobody could act on, as far as
// that can be known before its turn.
func (in *intake) rehearse(c Command) error {
	op, ok := c.Op.(protocol.Configure)
	if !ok {
		return nil
	}
	_, err := in.settings.prepare(op)
	var bad *protocol.BadOp
	if errors.As(err, &bad) {
		return bad
	}
	return nil
}

// enqueue accepts a prompt that begins a turn of its own.
func (in *intake) enqueue(p event.PromptQueued, images []protocol.Image) error {
	p, err := in.accept(p, images)
	if err != nil {
		return err
	}
	in.turns.add(p)
	return nil
}

// accepted reports whether a prompt of this id is in the journal already.
func (in *intake) accepted(id event.PromptID) (known bool) {
	in.j.with(func(h *history) { known = h.prompts[id] })
	return known
}

// accept makes a prompt survive even a power loss. The first one of a session makes its
// journal. Once it is recorded it is accepted: where the disk does not confirm it, that is
// told, for a prompt that was refused could come back with the next opening.
func (in *intake) accept(p event.PromptQueued, images []protocol.Image) (event.PromptQueued, error) {
	var err error
	if p.Attachments, err = in.keepImages(p.Attachments, images); err != nil {
		return p, err
	}
	if err := in.j.begin(); err != nil {
		return p, err
	}
	if err := in.rewinder.giveUp(); err != nil {
		return p, err
	}
	if err := in.j.emit(p); err != nil {
		return p, err
	}
	if err := in.j.sync(); err != nil {
		in.j.warn(event.Notice{
			Level: event.LevelError, Code: "prompt_unsynced", Args: []string{err.Error()},
			Text: "the prompt is written, but the disk did not confirm it; a power loss now would take it: " + err.Error(),
		})
	}
	return p, nil
}
