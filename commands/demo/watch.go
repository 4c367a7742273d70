package demo

import (
	"context"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/protocol"
)

// report is what came of the demo.
type report struct {
	diffs  changes
	tests  string // output of the last run
	passed bool
	ended  event.TurnEnded
}

// follow runs the demo's one turn and keeps what came of it.
func follow(ctx context.Context, app *cmdutil.App, session protocol.Session, out printer) (*report, error) {
	ctx, stop := cmdutil.WithSignals(ctx)
	defer stop()
	r := &report{}
	p := &cmdutil.Player{
		App: app, Session: session, Prompt: protocol.Prompt{ID: "demo", Text: task},
		Draw: func(env event.Envelope) {
			switch e := env.Payload.(type) {
			case event.CaughtUp, event.TurnEnded:
				return
			case event.ToolFinished:
				r.add(e)
			default: // drawn or not, it changes nothing here
			}
			out.draw(env.Payload)
		},
	}
	var err error
	r.ended, err = p.Play(ctx)
	return r, err
}

// toolRun is the tool that runs the tests.
const toolRun = "bash"

// add keeps a finished call's changes, and its output if it ran the tests.
func (r *report) add(f event.ToolFinished) {
	for _, d := range f.Diffs {
		r.diffs.add(d)
	}
	if f.Message.Name == toolRun {
		r.tests, r.passed = f.Message.Content, f.Exit != nil && *f.Exit == 0
	}
}
