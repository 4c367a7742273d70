package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reasonix/core/agent"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
	"reasonix/core/tool"
)

// A queued prompt that is cancelled ends a turn that never began; the reply in
// flight is not its, and somebody who joins later still gets all of it.
func TestALateReaderGetsTheReplyInFlight(t *testing.T) {
	w := newWorld(t)
	gate := make(chan struct{})
	w.model.Add(providertest.Raw(providertest.Delta(`"content":"abc"`), providertest.Delta(`"content":"def"`), providertest.Finish("stop"), providertest.Done).GateAt(1, gate))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	for _, op := range []protocol.Op{
		protocol.Prompt{ID: "p", Text: "x"}, protocol.Prompt{ID: "q", Text: "y", Queue: true}, protocol.Cancel{Prompt: "q"},
	} {
		if err := s.Submit(t.Context(), op); err != nil {
			t.Fatal(err)
		}
		protocoltest.Wait[event.TextDelta](t, c.Collector, nil)
	}
	late := protocoltest.Collect(t.Context(), s, event.Tail)
	protocoltest.Wait[event.Phase](t, late, nil)
	close(gate)
	c.Ended("p")
	protocoltest.Wait[event.TurnEnded](t, late, nil)
	var got strings.Builder
	for _, d := range protocoltest.Payloads[event.TextDelta](late.Events()) {
		got.WriteString(d.Text)
	}
	if got.String() != "abcdef" {
		t.Errorf("the late reader got %q", got.String())
	}
}

func TestGrantsOfASessionSurviveResume(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.model.Add(one("touch"), providertest.Text("done"), one("touch"), providertest.Text("done"))
	s := w.open(t, protocol.Spec{Interactive: true})
	protocoltest.NewClient(t, s, protocoltest.Choose("allow_session")).Say("x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := w.open(t, protocol.Spec{Session: s.ID(), Interactive: true})
	say(t, protocoltest.NewClient(t, again, protocoltest.Choose("reject_once")), "p2")
	if n.Load() != 2 {
		t.Errorf("%d calls ran, want 2: the grant was forgotten", n.Load())
	}
}

// panicky has a bug where the loop asks what a call is about.
type panicky struct{ fn }

func (panicky) Subject(json.RawMessage) tool.Subject { panic("bug") }

func TestABugInAToolDoesNotPoisonTheSession(t *testing.T) {
	w := newWorld(t, panicky{fn{"bad", true, func(context.Context) (string, error) { return "fine", nil }}})
	w.model.Add(one("bad"), providertest.Text("done"), providertest.Text("fine"))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	c.Say("x")
	if ended := say(t, c, "p2"); ended.Outcome != event.Completed {
		t.Errorf("the next turn: %+v", ended)
	}
}

// A session is on disk from its first prompt on: one that was only opened leaves
// nothing to resume.
func TestASessionWithoutAPromptLeavesNothing(t *testing.T) {
	w := newWorld(t)
	s := w.open(t, protocol.Spec{})
	seen := protocoltest.Collect(t.Context(), s, 0)
	protocoltest.Wait[event.CaughtUp](t, seen, nil)
	if n := len(seen.Durable()); n < 3 {
		t.Errorf("a reader of the new session was told %d durable events", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if metas, err := w.store.List(t.Context(), session.Query{}); err != nil || len(metas) != 0 {
		t.Errorf("stored: %+v, %v", metas, err)
	}
}

// A result lost from the middle of a journal is replaced by one that every later
// resume gives again, and it is told once.
func TestALostResultInTheMiddleIsReplaced(t *testing.T) {
	w := newWorld(t)
	id := event.SessionID("20260101-000000-00000b")
	log, err := w.store.Create(t.Context(), session.Meta{ID: id, Workspace: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	reply := func(id message.ID, text string, calls ...message.ToolCall) event.Replied {
		return event.Replied{Message: message.Message{ID: id, Role: message.Assistant, Content: text, ToolCalls: calls}}
	}
	for i, p := range []event.Payload{
		event.Configured{Model: "scripted/one"},
		event.PrefixSet{System: "be brief"},
		event.UserSaid{Prompt: "p", Message: message.Message{ID: "1", Role: message.User, Content: "x"}},
		reply("2", "", message.ToolCall{ID: "a", Name: "touch", Arguments: "{}"}, message.ToolCall{ID: "b", Name: "touch", Arguments: "{}"}),
		event.ToolStarted{Call: "a"},
		event.ToolFinished{Call: "b", Status: event.StatusOK, Message: message.Message{ID: "3", Role: message.ToolRole, ToolCallID: "b", Content: "touched"}},
		reply("4", "done"),
	} {
		if err := log.Append(event.Envelope{Seq: event.Seq(i + 1), Time: time.Now(), Turn: 1, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		w.model.Add(providertest.Text("ok"))
		s := w.open(t, protocol.Spec{Session: id})
		c := protocoltest.NewClient(t, s, nil)
		if ended := say(t, c, event.PromptID(fmt.Sprint("q", i))); ended.Outcome != event.Completed {
			t.Fatalf("resume %d: %+v", i+1, ended)
		}
		if n := len(protocoltest.Payloads[event.Repaired](c.Durable())); n != 1 {
			t.Errorf("resume %d: told %d times", i+1, n)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.model.CheckPrefix(t)
	var results []string
	for _, m := range w.model.Requests()[0].Messages {
		if m.Role == "tool" {
			results = append(results, m.Content)
		}
	}
	if got := strings.Join(results, "|"); got != "interrupted: reasonix was stopped while this call ran; it may have had effects. Check before you go on.|touched" {
		t.Errorf("results %s", got)
	}
}

// What a reader that reads nothing is owed stays short, so that it costs the session little.
func TestAStalledReaderIsCheap(t *testing.T) {
	w := newWorld(t)
	var chunks []string
	for range 20000 {
		chunks = append(chunks, providertest.Delta(`"content":"word "`))
	}
	w.model.Add(providertest.Raw(append(chunks, providertest.Finish("stop"), providertest.Done)...))
	s := w.open(t, protocol.Spec{})
	begun, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var deltas, text int
	go func() {
		defer close(ended)
		for e := range s.Events(t.Context(), event.Tail) {
			switch p := e.Payload.(type) {
			case event.CaughtUp:
				close(begun)
				<-release
			case event.TextDelta:
				deltas++
				text += len(p.Text)
			case event.TurnEnded:
				return
			default: // cheap anyway
			}
		}
	}()
	<-begun
	protocoltest.NewClient(t, s, nil).Say("x")
	close(release)
	<-ended
	if deltas != 1 || text != 20000*len("word ") {
		t.Errorf("the stalled reader was owed %d deltas of %d bytes", deltas, text)
	}
}

// A first prompt that cannot be stored leaves nothing behind, and the session takes the
// next one.
func TestAFirstPromptThatCannotBeStoredCanBeSaidAgain(t *testing.T) {
	w := newWorld(t)
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	w.store.FailAppends(errors.New("no space left on device"))
	err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"})
	if err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("accepted: %v", err)
	}
	if metas, err := w.store.List(t.Context(), session.Query{}); err != nil || len(metas) > 0 {
		t.Errorf("left behind: %+v, %v", metas, err)
	}
	w.store.FailAppends(nil)
	w.model.Add(providertest.Text("fine"))
	if ended := say(t, c, "p"); ended.Outcome != event.Completed {
		t.Errorf("said again: %+v", ended)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t, protocol.Spec{Session: s.ID()})
}

// A prompt that is written is accepted, also where the disk does not confirm it: one that
// was refused could come back with the next opening, and one that is said again is not
// another.
func TestAPromptThatTheDiskDoesNotConfirmIsNotLost(t *testing.T) {
	w := newWorld(t)
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	w.model.Add(providertest.Text("one"), providertest.Text("two"))
	say(t, c, "p1")
	w.store.FailSyncs(errors.New("input/output error"))
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p2", Text: "x"}); err != nil {
		t.Errorf("refused: %v", err)
	}
	c.Ended("p2")
	w.store.FailSyncs(nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p2", Text: "x"}); err != nil {
		t.Errorf("refused: %v", err)
	}
	if n := len(protocoltest.Payloads[event.TurnStarted](c.Durable())); n != 2 {
		t.Errorf("%d turns, want one of each prompt", n)
	}
	warned := protocoltest.Payloads[event.Notice](c.Durable())
	if !slices.ContainsFunc(warned, func(n event.Notice) bool { return n.Code == "prompt_unsynced" }) {
		t.Errorf("nobody was told: %+v", warned)
	}
}

// A bug where the turn gives back the workspace ends the turn, and nothing else.
func TestABugBehindATurnIsItsEnd(t *testing.T) {
	var n, held atomic.Int64
	w := newWorld(t, touch(&n))
	w.change = func(o *engine.Organs) {
		o.Lease = func(context.Context, func(string)) (func() error, error) {
			return func() error {
				if held.Add(1) == 1 {
					panic("bug")
				}
				return nil
			}, nil
		}
		before := o.Runner // only a call that is written takes the workspace
		o.Runner = func(c event.Configured) (agent.Runner, error) {
			r, err := before(c)
			if a, ok := r.(*agent.Agent); ok {
				a.Writing = w.lent.Writing
			}
			return r, err
		}
	}
	w.model.Add(one("touch"), providertest.Text("done"), one("touch"), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Internal || ended.Detail != "internal error: bug" {
		t.Errorf("%+v", ended)
	}
	if ended := c.Say("y"); ended.Outcome != event.Completed || held.Load() != 2 {
		t.Errorf("the next turn: %+v, given back %d times", ended, held.Load())
	}
}

// Whatever the journal says, all that is cancelled hears of its end.
func TestAllThatIsCancelledEndsWithoutTheJournal(t *testing.T) {
	w := newWorld(t)
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	release := make(chan struct{})
	defer close(release)
	w.model.Add(providertest.Text("never").GateAt(0, release))
	for _, id := range []event.PromptID{"p1", "p2", "p3"} {
		if err := s.Submit(t.Context(), protocol.Prompt{ID: id, Text: "x", Queue: true}); err != nil {
			t.Fatal(err)
		}
	}
	protocoltest.Until(t, "the request", func() bool { return len(w.model.Requests()) == 1 })
	w.store.FailAppends(errors.New("no space left on device"))
	if err := s.Submit(t.Context(), protocol.Cancel{All: true}); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("accepted: %v", err)
	}
	for _, id := range []event.PromptID{"p1", "p2", "p3"} {
		c.Ended(id)
	}
	w.store.FailAppends(nil)
}
