package engine

import (
	"context"
	"errors"
	"fmt"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/message"
)

// conversation is what happens on a turn's goroutine: it says the prompt, runs the loop
// on it, and goes on when hooks want that. What runs in the place of a turn, a compaction
// or the report of a command, runs here too. One at a time does.
type conversation struct {
	rec      *recorder
	tally    *tally
	newID    func() string
	hooks    *hooks
	voice    *voice
	works    *works
	tracker  *tracker
	rewinder *rewinder
}

// run runs the turn of p.
func (c *conversation) run(ctx context.Context, p event.PromptQueued) error {
	err := safely(c.rec.j.id, "a turn", func() error {
		ctx, leave := c.hooks.enter(ctx)
		defer leave()
		return c.runOn(ctx, func() error { return c.converse(ctx, p) })
	})
	return errors.Join(err, c.tracker.giveBack())
}

// converse says the prompt and runs the loop on it.
func (c *conversation) converse(ctx context.Context, p event.PromptQueued) error {
	if err := c.rec.emit(event.TurnStarted{Prompt: p.ID, Trigger: "user"}); err != nil {
		return err
	}
	if err := c.rec.emit(event.Phase{Name: event.PhaseStarting}); err != nil {
		return err
	}
	begun, err := c.hooks.waitSession(ctx)
	if err != nil {
		return err
	}
	if err := c.voice.sayWaiting(ctx); err != nil {
		return err
	}
	if err := c.voice.submit(ctx, p, begun); err != nil {
		return err
	}
	runner, in, err := c.works.input()
	if err != nil {
		return err
	}
	if p.Kind != event.KindSteer { // which goes on with the work of another turn
		in.Typed = p.Display
	}
	return runner.Run(ctx, in)
}

// maxAgain is how often hooks may keep one turn going.
const maxAgain = 5

// runOn runs the turn, tells the hooks that it ended, and goes on when they want that.
func (c *conversation) runOn(ctx context.Context, run func() error) error {
	err := run()
	for again := 0; ; again++ {
		v, hookErr := c.turnOver(ctx, err, again)
		switch {
		case hookErr != nil && err == nil:
			return hookErr
		case hookErr != nil || err != nil || !v.Block || v.Stop || ctx.Err() != nil:
			return err
		case again == maxAgain:
			return c.rec.emit(event.Notice{
				Level: event.LevelWarning, Code: "hook_again", Args: []string{v.By, v.Reason},
				Text: fmt.Sprintf("the hook %s kept the turn going %d times and is not asked again: %s", v.By, maxAgain, v.Reason),
			})
		}
		err = c.goOn(ctx, v)
	}
}

// turnOver tells the hooks how the turn ended. Where it was stopped they have a short
// while, because a person waits.
func (c *conversation) turnOver(ctx context.Context, ended error, again int) (hook.Verdict, error) {
	if !c.hooks.wants(hook.TurnEnd, "") {
		return hook.Verdict{}, nil
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), endLimit)
		defer cancel()
	}
	v, err := c.hooks.fire(ctx, hook.TurnEnd, hook.Input{
		Outcome: string(c.tally.outcome(ended).Outcome), Words: c.rec.j.lastWords(), Again: again > 0,
	})
	if v.Stop && ended == nil && err == nil {
		err = c.hooks.stopTurn(v)
	}
	return v, err
}

// goOn says a hook's reason to the model and runs the turn on.
func (c *conversation) goOn(ctx context.Context, v hook.Verdict) error {
	text := fmt.Sprintf("[host] The hook %s does not let the turn end yet: %s", v.By, v.Reason)
	said := event.UserSaid{
		Message: message.Message{ID: message.ID(c.newID()), Role: message.User, Content: text},
		Sources: []event.Source{{Kind: sourceHook, Ref: string(hook.TurnEnd), Bytes: len(text)}},
	}
	if err := c.rec.emit(said); err != nil {
		return err
	}
	runner, in, err := c.works.input()
	if err != nil {
		return err
	}
	in.Used = c.tally.used(c.rec.now())
	return runner.Run(ctx, in)
}

// compact compacts in the place of a turn.
func (c *conversation) compact(ctx context.Context, focus string) error {
	return safely(c.rec.j.id, "a compaction", func() error { return c.fold(ctx, focus) })
}

func (c *conversation) fold(ctx context.Context, focus string) error {
	if err := c.rewinder.giveUp(); err != nil {
		return err
	}
	runner, in, err := c.works.input()
	if err != nil {
		return err
	}
	folder, ok := runner.(agent.Folder)
	if !ok || len(in.Messages) < 2 || c.rec.j.unwritten() {
		return c.rec.emit(event.Notice{Level: event.LevelInfo, Code: "compact_nothing", Text: "nothing to compact: what could be folded is too little"})
	}
	return folder.Fold(ctx, in, focus)
}

// report tells what a command answers.
func (c *conversation) report(ctx context.Context, cmd Command) error {
	var text string
	err := safely(c.rec.j.id, "the command "+cmd.Name, func() (err error) {
		text, err = cmd.Report(ctx)
		return err
	})
	if ctx.Err() != nil {
		return &agent.Stop{Outcome: event.Cancelled, Detail: "the command was cancelled"}
	}
	if err != nil {
		return fmt.Errorf("/%s: %w", cmd.Name, err)
	}
	return c.rec.emit(event.Notice{Level: event.LevelInfo, Code: event.NoticeReport, Args: []string{cmd.Name}, Text: text})
}
