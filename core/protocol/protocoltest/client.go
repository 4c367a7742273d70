package protocoltest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// A Rule answers a question; false leaves it unanswered.
type Rule func(q event.Question) (event.Answer, bool)

// Choose answers every question with the option of that id.
func Choose(option string) Rule {
	return func(event.Question) (event.Answer, bool) {
		return event.Answer{Choice: []string{option}}, true
	}
}

// Deny refuses every question with a word to the model.
func Deny(word string) Rule {
	return func(event.Question) (event.Answer, bool) {
		return event.Answer{Choice: []string{event.RejectOnce}, Text: word}, true
	}
}

// InTurn answers the first question by the first rule, the second by the second,
// and leaves those behind the last unanswered.
func InTurn(rules ...Rule) Rule {
	return func(q event.Question) (event.Answer, bool) {
		if len(rules) == 0 {
			return event.Answer{}, false
		}
		next := rules[0]
		rules = rules[1:]
		return next(q)
	}
}

// Client is a person at a session who answers by rule.
type Client struct {
	*Collector
	Session protocol.Session

	t    testing.TB
	said atomic.Int64
}

// NewClient attaches a person to s until the test ends and returns when the replay
// is over. Questions still open then are answered too. A nil rule answers nothing.
func NewClient(t testing.TB, s protocol.Session, rule Rule) *Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{Session: s, t: t}
	a := &answerer{session: s, rule: rule, open: map[event.RequestID]event.Question{}, fault: func(err error) {
		t.Errorf("answer: %v", err)
	}}
	c.Collector = collect(ctx, s, 0, func(e event.Envelope) { a.see(ctx, e.Payload) })
	t.Cleanup(func() {
		cancel()
		<-c.done
	})
	Wait[event.CaughtUp](t, c.Collector, nil)
	return c
}

// Say submits text as a prompt with an id of its own and waits for the end of its
// turn.
func (c *Client) Say(text string) event.TurnEnded {
	c.t.Helper()
	id := event.PromptID(fmt.Sprintf("said-%s-%d", c.Session.ID(), c.said.Add(1)))
	if err := c.Session.Submit(c.t.Context(), protocol.Prompt{ID: id, Text: text}); err != nil {
		c.t.Fatalf("say %q: %v", text, err)
	}
	return c.Ended(id)
}

// Ended waits for the end of the turn of prompt id.
func (c *Client) Ended(id event.PromptID) event.TurnEnded {
	c.t.Helper()
	return Wait(c.t, c.Collector, func(p event.TurnEnded) bool { return p.Prompt == id })
}

// answerer answers what is still open when the replay is over, and then whatever is
// asked.
type answerer struct {
	session protocol.Session
	rule    Rule
	live    bool
	open    map[event.RequestID]event.Question
	fault   func(error)
}

func (a *answerer) see(ctx context.Context, p event.Payload) {
	switch p := p.(type) {
	case event.Asked:
		a.open[p.Question.ID] = p.Question
	case event.Answered:
		delete(a.open, p.ID)
	case event.CaughtUp:
		a.live = true
	default: // nothing to answer
	}
	if !a.live || a.rule == nil {
		return
	}
	for id, q := range a.open {
		delete(a.open, id)
		answer, ok := a.rule(q)
		if !ok {
			continue
		}
		err := a.session.Submit(ctx, protocol.Answer{ID: id, Answer: answer})
		if err != nil && !errors.Is(err, protocol.ErrStale) && !errors.Is(err, protocol.ErrClosed) && ctx.Err() == nil {
			a.fault(err)
		}
	}
}
