package protocoltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// Rig is an implementation under test with a model that can be scripted.
type Rig struct {
	Open protocol.Opener
	// Library is that of the sessions Open makes.
	Library protocol.Library
	Spec    protocol.Spec // of a new session
	// Reply scripts the model's next replies: plain text, one a turn.
	Reply func(replies ...string)
	// Hold makes replies stop half way until release is called: the first half
	// reaches the session, the rest waits. Cancelling a turn needs no release, and
	// releasing twice does nothing.
	Hold func() (release func())
}

// Run tests a Session and its Opener. open returns a rig that lives as long as t.
func Run(t *testing.T, open func(t *testing.T) Rig) {
	for _, c := range []struct {
		name string
		test func(b *bench)
	}{
		{"a prompt is a turn", promptIsATurn},
		{"an accepted prompt is in the journal", acceptedIsJournaled},
		{"one prompt id is one prompt", oneIDIsOnePrompt},
		{"a running turn refuses a prompt", runningRefuses},
		{"a queued prompt waits its turn", queuedWaits},
		{"a queued prompt can be cancelled", queuedIsCancelled},
		{"what comes behind a cancel is for the next turn", behindACancel},
		{"all can be cancelled", allIsCancelled},
		{"what cannot be acted on is refused", badOps},
		{"a cancelled turn keeps what was shown", cancelKeepsText},
		{"numbers have no gaps", numbersHaveNoGaps},
		{"a replay begins behind after", replayBeginsBehind},
		{"tail skips the replay", tailSkips},
		{"a late reader gets what is going on", lateReaderGetsState},
		{"many readers see the same", manyReaders},
		{"a slow reader loses nothing durable", slowReader},
		{"a reader ends with its context", readerEndsWithContext},
		{"close ends everything once", closeEnds},
		{"close cancels the turn", closeCancels},
		{"a closed session can be resumed", resume},
		{"what is not there is unknown", unknownSession},
		{"an open session is not opened twice", openOnce},
		{"a view follows and refuses", viewFollows},
		{"a fork goes its own way", forkGoesItsOwnWay},
		{"a fork has the records up to a place", forkAt},
		{"a title is kept", renamed},
		{"what was deleted is gone", deleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &bench{T: t, rig: open(t)}
			b.Session = b.open(b.rig.Spec)
			c.test(b)
		})
	}
}

// bench is one test's rig and session.
type bench struct {
	*testing.T
	protocol.Session
	rig Rig
}

func (b *bench) open(spec protocol.Spec) protocol.Session {
	b.Helper()
	s, err := b.rig.Open.Open(context.Background(), spec)
	b.must(err)
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Errorf("close: %v", err)
		}
	})
	return s
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// watch reads the session from the beginning and is caught up when it returns.
func (b *bench) watch() *Collector {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := Collect(ctx, b.Session, 0)
	b.Cleanup(func() {
		cancel()
		<-c.done
	})
	Wait[event.CaughtUp](b, c, nil)
	return c
}

func (b *bench) submit(op protocol.Op) {
	b.Helper()
	if err := b.Submit(b.Context(), op); err != nil {
		b.Fatalf("submit %+v: %v", op, err)
	}
}

func ended(b *bench, c *Collector, id event.PromptID) event.TurnEnded {
	b.Helper()
	return Wait(b, c, func(p event.TurnEnded) bool { return p.Prompt == id })
}

// held scripts text, submits prompt p1 and returns when half of text was shown.
func (b *bench) held(c *Collector, text string) (release func()) {
	b.Helper()
	release = b.rig.Hold()
	b.Cleanup(release)
	b.rig.Reply(text)
	b.submit(protocol.Prompt{ID: "p1", Text: "go on"})
	Wait[event.TextDelta](b, c, nil)
	return release
}

func promptIsATurn(b *bench) {
	c := b.watch()
	b.rig.Reply("the answer")
	b.submit(protocol.Prompt{ID: "p1", Text: "a question"})
	end := ended(b, c, "p1")
	if end.Outcome != event.Completed {
		b.Errorf("outcome %+v, want completed", end)
	}
	var got []string
	for _, e := range c.Durable() {
		switch p := e.Payload.(type) {
		case event.PromptQueued:
			got = append(got, fmt.Sprintf("queued %s %s", p.ID, p.Display))
		case event.TurnStarted:
			got = append(got, fmt.Sprintf("started %s in turn %d", p.Prompt, e.Turn))
		case event.UserSaid:
			got = append(got, fmt.Sprintf("said %s %s in turn %d", p.Prompt, p.Display, e.Turn))
		case event.Replied:
			got = append(got, fmt.Sprintf("replied %s in turn %d", p.Message.Content, e.Turn))
		case event.TurnEnded:
			got = append(got, fmt.Sprintf("ended %s in turn %d", p.Prompt, e.Turn))
		default: // not the turn's frame
		}
	}
	want := []string{
		"queued p1 a question", "started p1 in turn 1", "said p1 a question in turn 1",
		"replied the answer in turn 1", "ended p1 in turn 1",
	}
	if !slices.Equal(got, want) {
		b.Errorf("told %q, want %q", got, want)
	}
}

func acceptedIsJournaled(b *bench) {
	release := b.held(b.watch(), "a long answer")
	b.submit(protocol.Prompt{ID: "p2", Text: "next", Queue: true})
	for _, id := range []event.PromptID{"p1", "p2"} {
		queued := func(p event.PromptQueued) bool { return p.ID == id }
		if !slices.ContainsFunc(Payloads[event.PromptQueued](b.watch().Durable()), queued) {
			b.Errorf("%s was accepted and a replay does not have it", id)
		}
	}
	release()
}

func oneIDIsOnePrompt(b *bench) {
	c := b.watch()
	b.rig.Reply("first", "second")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := b.Submit(b.Context(), protocol.Prompt{ID: "p1", Text: "once"}); err != nil {
				b.Errorf("submit: %v", err)
			}
		})
	}
	wg.Wait()
	ended(b, c, "p1")
	b.submit(protocol.Prompt{ID: "p1", Text: "once"})
	b.submit(protocol.Prompt{ID: "p2", Text: "twice", Queue: true})
	ended(b, c, "p2")
	if n := len(Payloads[event.TurnStarted](c.Durable())); n != 2 {
		b.Errorf("%d turns, want 2", n)
	}
	if n := len(Payloads[event.PromptQueued](c.Durable())); n != 2 {
		b.Errorf("%d prompts, want 2", n)
	}
}

func runningRefuses(b *bench) {
	c := b.watch()
	release := b.held(c, "a long answer")
	if err := b.Submit(b.Context(), protocol.Prompt{ID: "p2", Text: "now"}); !errors.Is(err, protocol.ErrBusy) {
		b.Errorf("second prompt: %v, want ErrBusy", err)
	}
	release()
	ended(b, c, "p1")
	if n := len(Payloads[event.PromptQueued](c.Durable())); n != 1 {
		b.Errorf("%d prompts in the journal, want the accepted one", n)
	}
}

func queuedWaits(b *bench) {
	c := b.watch()
	release := b.held(c, "a long answer")
	b.rig.Reply("another")
	b.submit(protocol.Prompt{ID: "p2", Text: "then", Queue: true})
	release()
	ended(b, c, "p2")
	var got []string
	for _, e := range c.Durable() {
		switch p := e.Payload.(type) {
		case event.TurnStarted:
			got = append(got, "started "+string(p.Prompt))
		case event.TurnEnded:
			got = append(got, "ended "+string(p.Prompt))
		default: // not a turn's frame
		}
	}
	if want := []string{"started p1", "ended p1", "started p2", "ended p2"}; !slices.Equal(got, want) {
		b.Errorf("told %q, want %q", got, want)
	}
}

func behindACancel(b *bench) {
	c := b.watch()
	release := b.held(c, "a long answer")
	b.rig.Reply("another", "and another")
	b.submit(protocol.Cancel{})
	if err := b.Submit(b.Context(), protocol.Steer{ID: "s1", Text: "go left", IfIdle: protocol.SteerRefuse}); !errors.Is(err, protocol.ErrStale) {
		b.Errorf("a steer for the turn that is cancelled: %v, want ErrStale", err)
	}
	b.submit(protocol.Prompt{ID: "p2", Text: "then"})
	b.submit(protocol.Cancel{Prompt: "p2"})
	ended(b, c, "p2")
	b.submit(protocol.Steer{ID: "s2", Text: "and then"})
	release()
	if end := ended(b, c, "s2"); end.Outcome != event.Completed {
		b.Errorf("the steer's turn ended as %s", end.Outcome)
	}
	for _, p := range Payloads[event.PromptQueued](c.Durable()) {
		if p.Kind != event.KindPrompt {
			b.Errorf("%s was taken for a %s", p.ID, p.Kind)
		}
	}
}

func allIsCancelled(b *bench) {
	c := b.watch()
	b.held(c, "a long answer")
	b.submit(protocol.Prompt{ID: "p2", Text: "then", Queue: true})
	b.submit(protocol.Steer{ID: "s3", Text: "and"})
	b.submit(protocol.Cancel{All: true, Reason: "sigint"})
	for _, id := range []event.PromptID{"p1", "p2", "s3"} {
		if end := ended(b, c, id); end.Outcome != event.Cancelled || end.Reason != "sigint" {
			b.Errorf("%s: %+v", id, end)
		}
	}
	if n := len(Payloads[event.TurnStarted](c.Durable())); n != 1 {
		b.Errorf("%d turns, want the one that ran", n)
	}
}

func queuedIsCancelled(b *bench) {
	c := b.watch()
	release := b.held(c, "a long answer")
	b.submit(protocol.Prompt{ID: "p2", Text: "then", Queue: true})
	b.submit(protocol.Cancel{Prompt: "p2"})
	if end := ended(b, c, "p2"); end.Outcome != event.Cancelled {
		b.Errorf("queued prompt: %+v, want cancelled", end)
	}
	release()
	if end := ended(b, c, "p1"); end.Outcome != event.Completed {
		b.Errorf("running prompt: %+v, want completed", end)
	}
	for _, p := range Payloads[event.TurnStarted](c.Durable()) {
		if p.Prompt == "p2" {
			b.Error("the cancelled prompt's turn began")
		}
	}
}

func badOps(b *bench) {
	for _, c := range []struct {
		op    protocol.Op
		field string
	}{
		{protocol.Prompt{Text: "x"}, "ID"},
		{protocol.Prompt{ID: "p1"}, "Text"},
		{protocol.Steer{Text: "x"}, "ID"},
		{protocol.Steer{ID: "p1"}, "Text"},
		{protocol.Steer{ID: "p1", Text: "x", IfIdle: "sing"}, "IfIdle"},
	} {
		err := b.Submit(b.Context(), c.op)
		if bad, ok := errors.AsType[*protocol.BadOp](err); !ok || bad.Field != c.field {
			b.Errorf("%+v: %v, want a *BadOp about %s", c.op, err, c.field)
		}
	}
	for _, op := range []protocol.Op{
		protocol.Answer{ID: "nobody asked"},
		protocol.Steer{ID: "p1", Text: "x", IfIdle: protocol.SteerRefuse},
	} {
		if err := b.Submit(b.Context(), op); !errors.Is(err, protocol.ErrStale) {
			b.Errorf("%+v: %v, want ErrStale", op, err)
		}
	}
	b.submit(protocol.Cancel{})
	b.submit(protocol.Cancel{Prompt: "nothing of that name"})
	if n := len(Payloads[event.PromptQueued](b.watch().Durable())); n > 0 {
		b.Errorf("%d refused prompts are in the journal", n)
	}
}

func cancelKeepsText(b *bench) {
	c := b.watch()
	release := b.held(c, "shown hidden")
	b.submit(protocol.Cancel{Prompt: "p1", Reason: "sigint"})
	if end := ended(b, c, "p1"); end.Outcome != event.Cancelled || end.Reason != "sigint" {
		b.Errorf("ended %+v, want cancelled by sigint", end)
	}
	shown := Payloads[event.TextDelta](c.Events())
	text := ""
	for _, d := range shown {
		text = text[:min(d.Offset, len(text))] + d.Text
	}
	replies := Payloads[event.Replied](c.Durable())
	if len(replies) != 1 || replies[0].Message.Content != text || replies[0].Finish != event.FinishCancelled {
		b.Errorf("replies %+v, want one of %q, cancelled", replies, text)
	}
	release()
	b.rig.Reply("after")
	b.submit(protocol.Prompt{ID: "p2", Text: "again"})
	if end := ended(b, c, "p2"); end.Outcome != event.Completed {
		b.Errorf("the next turn: %+v, want completed", end)
	}
}
