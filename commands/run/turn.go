package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/protocol"
)

// endedError is a turn that ended in another outcome than completed. It was
// shown by the printer already where a machine reads.
type endedError struct {
	ended event.TurnEnded
}

func (e *endedError) Error() string {
	if e.ended.Detail != "" {
		return e.ended.Detail
	}
	return string(e.ended.Outcome)
}

func (e *endedError) ExitCode() int { return codeOf(e.ended) }

// codeOf is the exit code of an outcome (docs/architecture.md section 6).
func codeOf(t event.TurnEnded) int {
	switch t.Outcome {
	case event.Completed:
		return cmdutil.CodeOK
	case event.Cut, event.Refused:
		return cmdutil.CodeCut
	case event.Limit:
		return cmdutil.CodeLimit
	case event.Provider, event.Stalled:
		return cmdutil.CodeProvider
	case event.Denied:
		return cmdutil.CodeDenied
	case event.Cancelled:
		if t.Reason == "sigterm" {
			return cmdutil.CodeSIGTERM
		}
		return cmdutil.CodeSIGINT
	case event.Internal:
	}
	return cmdutil.CodeInternal
}

// readerGone is the reason of a turn that ended because nobody reads its output
// any more.
const readerGone = "reader_gone"

// turn is one prompt from its submission to its end.
type turn struct {
	app     *cmdutil.App
	session protocol.Session
	out     printer
	prompt  event.PromptID
	task    string
	ask     bool
}

// play submits the prompt once it follows the session, and draws until the turn
// has ended. A signal cancels the turn; reading goes on until it ended.
func (t *turn) play(ctx context.Context) error {
	signalled, stop := cmdutil.WithSignals(ctx)
	defer stop()
	follow, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()
	go t.cancelOn(signalled, follow)
	for env, err := range t.session.Events(follow, event.Tail) {
		if err != nil {
			return err
		}
		if err := t.handle(follow, env); err != nil {
			return err
		}
		if ended, ok := env.Payload.(event.TurnEnded); ok && ended.Prompt == t.prompt {
			return t.end(ended)
		}
	}
	return errors.New("the session closed before the turn ended")
}

// cancelOn passes on to the session that a signal came or that whoever read our
// output has left.
func (t *turn) cancelOn(signalled, follow context.Context) {
	var gone <-chan struct{}
	if w, ok := t.app.Out.(*cmdutil.PipeWriter); ok {
		gone = w.Gone(follow)
	}
	select {
	case <-gone:
		t.cancel(follow, readerGone)
		return
	case <-signalled.Done():
	case <-follow.Done():
		return
	}
	reason := "interrupted"
	var sig *cmdutil.SignalError
	if errors.As(context.Cause(signalled), &sig) {
		reason = sig.Reason()
	}
	t.cancel(follow, reason)
}

// cancel cannot fail in a way that matters: a session that is closed has no turn.
func (t *turn) cancel(ctx context.Context, reason string) {
	_ = t.session.Submit(ctx, protocol.Cancel{Prompt: t.prompt, Reason: reason})
}

func (t *turn) handle(ctx context.Context, env event.Envelope) error {
	switch p := env.Payload.(type) {
	case event.CaughtUp:
		t.out.begin(t.session.ID(), t.app.WorkDir, p)
		return t.session.Submit(ctx, protocol.Prompt{ID: t.prompt, Text: t.task})
	case event.Asked:
		return t.answer(ctx, p.Question)
	}
	t.out.draw(env)
	return nil
}

func (t *turn) end(ended event.TurnEnded) error {
	t.out.end(ended)
	if ended.Outcome == event.Completed {
		return nil
	}
	return &endedError{ended}
}

// answer asks the person on the terminal; without one a question is refused.
func (t *turn) answer(ctx context.Context, q event.Question) error {
	a := event.Answer{Cancelled: true}
	if t.ask {
		a = t.askOnTerminal(q)
	}
	err := t.session.Submit(ctx, protocol.Answer{ID: q.ID, Answer: a})
	if errors.Is(err, protocol.ErrStale) {
		return nil // the turn was cancelled meanwhile
	}
	return err
}

// askOnTerminal shows the question in a line and reads one letter.
func (t *turn) askOnTerminal(q event.Question) event.Answer {
	fmt.Fprintf(t.app.Err, "\n%s wants to run in %s:\n  %s\n", q.Body, q.Dir, strings.ReplaceAll(q.Title, "\n", "\n  "))
	if q.Reason != "" {
		fmt.Fprintf(t.app.Err, "  (%s)\n", q.Reason)
	}
	keys := map[string]string{}
	for i, o := range q.Options {
		key := fmt.Sprint(i + 1)
		keys[key] = o.ID
		fmt.Fprintf(t.app.Err, "  %s %s", key, o.Label)
		if o.Detail != "" {
			fmt.Fprintf(t.app.Err, " [%s]", o.Detail)
		}
		fmt.Fprintln(t.app.Err)
	}
	fmt.Fprint(t.app.Err, "? ")
	line, err := bufio.NewReader(oneLine{t.app.In}).ReadString('\n')
	if err != nil && line == "" {
		return event.Answer{Cancelled: true}
	}
	if id, ok := keys[strings.TrimSpace(line)]; ok {
		return event.Answer{Choice: []string{id}}
	}
	return event.Answer{Cancelled: true, Text: strings.TrimSpace(line)}
}

// oneLine reads byte by byte, so that nothing behind the line is taken.
type oneLine struct{ r io.Reader }

func (o oneLine) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }
