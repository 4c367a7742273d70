package demo

import (
	"context"
	"errors"

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

// watch follows the demo's one turn.
type watch struct {
	app     *cmdutil.App
	session protocol.Session
	out     printer
	prompt  event.PromptID
	report  *report
}

// follow submits the task once it reads the session's events, and reads until
// the turn has ended. A signal cancels the turn; reading goes on until it ended.
func (w *watch) follow(ctx context.Context) error {
	signalled, stop := cmdutil.WithSignals(ctx)
	defer stop()
	reading, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()
	go w.cancelOn(signalled, reading)
	w.report = &report{}
	for env, err := range w.session.Events(reading, event.Tail) {
		if err != nil {
			return err
		}
		ended, err := w.take(reading, env)
		if ended || err != nil {
			return err
		}
	}
	return errors.New("the session closed before the demo ended")
}

// take handles one event and reports whether the turn is over.
func (w *watch) take(ctx context.Context, env event.Envelope) (bool, error) {
	switch e := env.Payload.(type) {
	case event.CaughtUp:
		return false, w.session.Submit(ctx, protocol.Prompt{ID: w.prompt, Text: task})
	case event.Asked:
		err := w.session.Submit(ctx, protocol.Answer{ID: e.Question.ID, Answer: event.Answer{Cancelled: true}})
		if errors.Is(err, protocol.ErrStale) {
			err = nil // nobody waits for it any more
		}
		return false, err
	case event.ToolFinished:
		w.report.add(e)
	case event.TurnEnded:
		if e.Prompt == w.prompt {
			w.report.ended = e
			return true, nil
		}
	default: // drawn or not, it changes nothing here
	}
	w.out.draw(env.Payload)
	if out, ok := w.app.Out.(interface{ Broken() bool }); ok && out.Broken() {
		w.cancel(ctx, "reader_gone")
	}
	return false, nil
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

// cancelOn passes a signal on to the session.
func (w *watch) cancelOn(signalled, reading context.Context) {
	select {
	case <-signalled.Done():
	case <-reading.Done():
		return
	}
	reason := "interrupted"
	var sig *cmdutil.SignalError
	if errors.As(context.Cause(signalled), &sig) {
		reason = sig.Reason()
	}
	w.cancel(reading, reason)
}

// cancel cannot fail in a way that matters: a session that is closed has no turn.
func (w *watch) cancel(ctx context.Context, reason string) {
	_ = w.session.Submit(ctx, protocol.Cancel{Prompt: w.prompt, Reason: reason})
}
