package engine

import (
	"context"
	"errors"
	"fmt"

	"reasonix/core/agent"
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

// startCommand does what a prompt that is a command asks for. It is a turn of which
// the model sees nothing.
func (l *looper) startCommand(p event.PromptQueued, c Command) {
	ctx, cancel := context.WithCancelCause(context.Background())
	l.turn = &running{prompt: p.ID, cancel: cancel, ended: make(chan error, 1)}
	l.j.nextTurn()
	l.tally.reset(l.e.p.Now())
	started := l.rec.emit(event.TurnStarted{Prompt: p.ID, Trigger: "user"})
	if started == nil && (p.Data != "" || len(p.Attachments) > 0) {
		started = l.rec.emit(event.Notice{
			Level: event.LevelWarning, Code: "command_alone", Args: []string{c.Name},
			Text: "/" + c.Name + " takes nothing but what is typed behind it: what came with it was not used",
		})
	}
	switch {
	case started != nil:
		l.turn.ended <- started
	case c.Report != nil:
		go func(ended chan<- error) { ended <- l.report(ctx, c) }(l.turn.ended)
	default:
		l.obey(ctx, c)
	}
}

// obey does an op that a person typed. The session's goroutine calls it.
func (l *looper) obey(ctx context.Context, c Command) {
	turn := l.turn
	if op, ok := c.Op.(protocol.Compact); ok {
		go func(ended chan<- error) { ended <- l.runCompact(ctx, op.Focus) }(turn.ended)
		return
	}
	l.turn = nil // an op that waits for the end of a turn does not wait for its own
	err := l.serve(c.Op)
	l.turn = turn
	if err != nil {
		err = fmt.Errorf("/%s: %s", c.Name, reasonOf(err))
	}
	turn.ended <- err
}

// reasonOf is an error without the name of the op, which nobody typed.
func reasonOf(err error) string {
	var bad *protocol.BadOp
	if errors.As(err, &bad) {
		return bad.Reason
	}
	return err.Error()
}

// report tells what a command answers.
func (s *sess) report(ctx context.Context, c Command) error {
	var text string
	err := safely(s.id, "the command "+c.Name, func() (err error) {
		text, err = c.Report(ctx)
		return err
	})
	if ctx.Err() != nil {
		return &agent.Stop{Outcome: event.Cancelled, Detail: "the command was cancelled"}
	}
	if err != nil {
		return fmt.Errorf("/%s: %w", c.Name, err)
	}
	return s.rec.emit(event.Notice{Level: event.LevelInfo, Code: event.NoticeReport, Args: []string{c.Name}, Text: text})
}

// reload serves the Op between turns.
func (l *looper) reload() error {
	if l.organs.Reload == nil {
		return nil
	}
	if l.turn != nil {
		l.reloads = true
		return nil
	}
	l.reloads = false
	notices, err := l.organs.Reload(context.Background())
	if err != nil {
		return err
	}
	for _, n := range notices {
		if err := l.j.emit(n); err != nil {
			return err
		}
	}
	return l.offer()
}

// server and trust serve the ops of these names.
func (l *looper) server(op protocol.Server) error {
	if l.organs.Server == nil {
		return &protocol.BadOp{Op: "Server", Reason: "this session has no servers"}
	}
	return l.organs.Server(op)
}

func (l *looper) trust(op protocol.Trust) error {
	if l.organs.Trust == nil {
		return &protocol.BadOp{Op: "Trust", Reason: "nothing can be granted to this session"}
	}
	return l.organs.Trust(op)
}
