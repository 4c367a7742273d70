package cmdutil

import (
	"context"
	"errors"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// ReaderGone is the reason of a turn that was cancelled because nobody reads its
// output any more.
const ReaderGone = "reader_gone"

// A Player runs one prompt of a session for a command without a screen.
type Player struct {
	App     *App
	Session protocol.Session
	Prompt  protocol.Prompt
	// Draw is called with every event from CaughtUp to the turn's end.
	Draw func(event.Envelope)
	// Answer answers a question and may take its time; nil cancels it. Its answer
	// is dropped when the question was resolved meanwhile.
	Answer func(event.Question) event.Answer
}

// Play submits the prompt once it follows the session and draws until its turn
// has ended. The end of ctx (WithSignals), or a reader of our output that left,
// cancels the turn; reading goes on until it ended.
func (p *Player) Play(ctx context.Context) (event.TurnEnded, error) {
	follow, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()
	for env, err := range p.Session.Events(follow, event.Tail) {
		if err != nil {
			return event.TurnEnded{}, err
		}
		p.Draw(env)
		if ended, ok := env.Payload.(event.TurnEnded); ok && ended.Prompt == p.Prompt.ID {
			return ended, nil
		}
		if err := p.respond(ctx, follow, env.Payload); err != nil {
			return event.TurnEnded{}, err
		}
	}
	return event.TurnEnded{}, errors.New("the session closed before the turn ended")
}

// respond submits what an event asks the front end for.
func (p *Player) respond(ctx, follow context.Context, e event.Payload) error {
	switch e := e.(type) {
	case event.CaughtUp:
		if ctx.Err() != nil {
			return context.Cause(ctx) // stopped before there was a turn to cancel
		}
		if err := p.Session.Submit(follow, p.Prompt); err != nil {
			return err
		}
		go p.cancelOn(ctx, follow) // from now on there is something to cancel
		return nil
	case event.Asked:
		if p.Answer == nil {
			p.submit(follow, e.Question, event.Answer{Cancelled: true})
			return nil
		}
		// Reading goes on, so that a cancelled turn need not wait for a person.
		go func() { p.submit(follow, e.Question, p.Answer(e.Question)) }()
		return nil
	default: // only drawn
		return nil
	}
}

// submit answers q. An answer that comes too late has nobody to go to.
func (p *Player) submit(ctx context.Context, q event.Question, a event.Answer) {
	_ = p.Session.Submit(ctx, protocol.Answer{ID: q.ID, Answer: a})
}

// cancelOn tells the session that ctx ended or that the reader has left.
func (p *Player) cancelOn(ctx, follow context.Context) {
	var gone <-chan struct{}
	if w, ok := p.App.Out.(*PipeWriter); ok {
		gone = w.Gone(follow)
	}
	reason := ReaderGone
	select {
	case <-gone:
	case <-ctx.Done():
		reason = "interrupted"
		var sig *SignalError
		if errors.As(context.Cause(ctx), &sig) {
			reason = sig.Reason()
		}
	case <-follow.Done():
		return
	}
	// A session that is closed has no turn to cancel.
	_ = p.Session.Submit(follow, protocol.Cancel{Prompt: p.Prompt.ID, Reason: reason})
}

// CodeOfTurn is the exit code of a turn's outcome (docs/architecture.md section
// 6).
func CodeOfTurn(t event.TurnEnded) int {
	switch t.Outcome {
	case event.Completed:
		return CodeOK
	case event.Cut, event.Refused:
		return CodeCut
	case event.Limit:
		return CodeLimit
	case event.Provider, event.Stalled:
		return CodeProvider
	case event.Denied:
		return CodeDenied
	case event.Cancelled:
		if t.Reason == "sigterm" {
			return CodeSIGTERM
		}
		return CodeSIGINT
	case event.Internal:
	}
	return CodeInternal
}
