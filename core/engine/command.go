package engine

import (
	"context"
	"errors"
	"fmt"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// Command is what the first word of a prompt stands for: one of its fields is set.
type Command struct {
	Name string
	// Text is what the model reads in the place of what was typed.
	Text func(ctx context.Context) (string, error)
	// Op is done in the place of a turn.
	Op protocol.Op
	// Report is told by a notice, in the place of a turn.
	Report func(ctx context.Context) (string, error)
	// Front is a command of front ends, which one that sends it as a prompt lacks.
	Front bool
}

// commands finds what prompts begin with; nil: there are none.
type commands func(text string) (c Command, ok bool, err error)

// of finds the command that a prompt begins with. An error is for whoever typed it.
func (all commands) of(p event.PromptQueued) (c Command, ok bool, err error) {
	if all == nil || p.Literal {
		return Command{}, false, nil
	}
	c, ok, err = all(p.Display)
	if ok && err == nil && c.Front {
		err = fmt.Errorf("/%s cannot be used here", c.Name)
	}
	return c, ok && err == nil, err
}

// insteadOf finds the command that is done in the place of p's turn. One that is
// unknown by now, after a reload, is text, and what was to steer is always.
func (all commands) insteadOf(p event.PromptQueued) (Command, bool) {
	if p.Kind == event.KindSteer {
		return Command{}, false
	}
	c, ok, err := all.of(p)
	return c, ok && err == nil && c.instead()
}

// instead reports whether the command is done in the place of a turn.
func (c Command) instead() bool { return c.Op != nil || c.Report != nil }

// put replaces a command by the text it stands for. One that is unknown by now,
// after a reload, is text.
func (all commands) put(ctx context.Context, p event.PromptQueued, said *event.UserSaid) error {
	c, ok, err := all.of(p)
	if err != nil || !ok || c.Text == nil {
		return nil //nolint:nilerr // see above
	}
	text, err := c.Text(ctx)
	if err != nil {
		return fmt.Errorf("/%s: %w", c.Name, err)
	}
	said.Message.Content = text
	said.Sources = append(said.Sources, event.Source{Kind: sourceCommand, Ref: c.Name, Bytes: len(text)})
	return nil
}

// sourceCommand is the kind of the text of a command.
const sourceCommand = "command"

// reasonOf is an error without the name of the op, which nobody typed.
func reasonOf(err error) string {
	var bad *protocol.BadOp
	if errors.As(err, &bad) {
		return bad.Reason
	}
	return err.Error()
}
