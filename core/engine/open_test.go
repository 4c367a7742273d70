package engine_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
)

// spoken is a closed session whose title is its prompt.
func (w *world) spoken(t *testing.T, text string) event.SessionID {
	t.Helper()
	w.model.Add(providertest.Text("done"))
	s := w.open(t, protocol.Spec{})
	protocoltest.NewClient(t, s, nil).Say(text)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.ID()
}

func TestASessionIsOpenedByWhatAPersonCallsIt(t *testing.T) {
	w := newWorld(t)
	parser := w.spoken(t, "fix the parser")
	w.spoken(t, "fix the printer")
	for _, name := range []event.SessionID{parser, "Parser", "the parser FIX"} {
		s := w.open(t, protocol.Spec{Session: name})
		if s.ID() != parser {
			t.Errorf("%q opens %s, want %s", name, s.ID(), parser)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.Open(t.Context(), protocol.Spec{Session: "fix the", Workspace: "/work"})
	many, ok := errors.AsType[*session.AmbiguousError](err)
	if !ok || len(many.Candidates) != 2 || !strings.Contains(err.Error(), string(parser)) {
		t.Errorf("%v, want both sessions", err)
	}
	if _, err := w.Open(t.Context(), protocol.Spec{Session: "lexer", Workspace: "/work"}); !errors.Is(err, protocol.ErrUnknown) {
		t.Errorf("%v, want ErrUnknown", err)
	}
}

// SE-07: the second is refused and told who has it, or looks on, or takes a copy.
func TestSE07TheSecondWriterIsRefused(t *testing.T) {
	w := newWorld(t)
	w.model.Add(providertest.Text("done"))
	first := w.open(t, protocol.Spec{})
	protocoltest.NewClient(t, first, nil).Say("x")
	_, err := w.Open(t.Context(), protocol.Spec{Session: first.ID(), Workspace: "/work"})
	held, ok := errors.AsType[*session.LockedError](err)
	if !ok || held.Holder == "" || !strings.Contains(err.Error(), held.Holder) {
		t.Errorf("%v, want who has it", err)
	}
	view := w.open(t, protocol.Spec{Session: first.ID(), ReadOnly: true})
	if err := view.Submit(t.Context(), protocol.Prompt{ID: "v", Text: "x"}); !errors.Is(err, protocol.ErrReadOnly) {
		t.Errorf("the view: %v", err)
	}
	if fork := w.open(t, protocol.Spec{Fork: protocol.Fork{Session: first.ID()}}); fork.ID() == first.ID() {
		t.Error("the fork is no session of its own")
	}
}

// A copy that cannot be assembled is no session.
func TestAForkThatFailsLeavesNothing(t *testing.T) {
	w := newWorld(t)
	id := w.spoken(t, "x")
	w.tools = append(w.tools, fn{name: "twice"}, fn{name: "twice"})
	if s, err := w.Open(t.Context(), protocol.Spec{Fork: protocol.Fork{Session: id}, Workspace: "/work"}); err == nil {
		s.Close()
		t.Fatal("it opened")
	}
	if infos, err := w.Sessions(t.Context(), protocol.Query{Workspace: "/work"}); err != nil || len(infos) != 1 {
		t.Errorf("sessions %+v, %v, want the one that was", infos, err)
	}
}

// What waits in a session is not said in its copy, also when that is opened again.
func TestAForkLeavesWaitingPromptsBehind(t *testing.T) {
	w := newWorld(t)
	gate := make(chan struct{})
	w.model.Add(providertest.Text("first").GateAt(0, gate), providertest.Text("second"), providertest.Text("third"))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	for _, op := range []protocol.Op{protocol.Prompt{ID: "p", Text: "x"}, protocol.Prompt{ID: "q", Text: "waits", Queue: true}} {
		if err := s.Submit(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	protocoltest.Wait[event.UserSaid](t, c.Collector, nil)
	fork := w.open(t, protocol.Spec{Fork: protocol.Fork{Session: s.ID()}})
	close(gate)
	c.Ended("q")
	if err := fork.Close(); err != nil {
		t.Fatal(err)
	}
	again := w.open(t, protocol.Spec{Session: fork.ID()})
	seen := protocoltest.NewClient(t, again, nil)
	say(t, seen, "f")
	for _, said := range protocoltest.Payloads[event.UserSaid](seen.Durable()) {
		if said.Display == "waits" {
			t.Error("the fork said what waits in its parent")
		}
	}
	reasons := []string{}
	for _, o := range protocoltest.Payloads[event.Opened](seen.Durable()) {
		reasons = append(reasons, o.Reason)
	}
	if want := []string{event.OpenedNew, event.OpenedForked, event.OpenedResumed}; !slices.Equal(reasons, want) {
		t.Errorf("opened %q, want %q", reasons, want)
	}
}

// Servers start with the session, and what they ask before it is open waits until it is.
func TestWhatServersAskBeforeTheSessionIsOpenIsAsked(t *testing.T) {
	w := newWorld(t)
	var running sync.WaitGroup
	w.change = func(*engine.Organs) {
		lent := w.lent
		running.Go(func() {
			for range 200 {
				if err := lent.Emit(event.ServerChanged{Name: "s", State: "starting"}); err != nil {
					t.Error(err)
				}
			}
		})
		running.Go(func() {
			a, err := lent.Ask(t.Context(), event.Question{Kind: event.AskUnconfined, Title: "may it?"})
			if err != nil || len(a.Choice) != 1 || a.Choice[0] != "yes" {
				t.Errorf("answered %+v: %v", a, err)
			}
		})
	}
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("yes"))
	running.Wait()
	if q := asked(c); len(q) != 1 || q[0].Sandbox != "held in the test" {
		t.Errorf("asked %+v", q)
	}
}

// A server that changes while the records of the opening are written is offered too.
func TestAChangeBeforeTheSessionIsOpenIsOffered(t *testing.T) {
	w := newWorld(t)
	var offered atomic.Int64
	w.change = func(o *engine.Organs) {
		lent := w.lent
		o.Offered = func(event.Configured) event.Offered {
			if offered.Add(1) == 1 {
				if err := lent.Emit(event.ServerChanged{Name: "late", State: "connected"}); err != nil {
					t.Error(err)
				}
			}
			return event.Offered{}
		}
	}
	w.open(t, protocol.Spec{})
	protocoltest.Until(t, "the change is offered", func() bool { return offered.Load() > 1 })
}

// A session that cannot be opened asks nobody.
func TestASessionThatCannotBeOpenedAsksNobody(t *testing.T) {
	w := newWorld(t)
	first := w.spoken(t, "x")
	failed := make(chan error, 1)
	w.change = func(o *engine.Organs) {
		lent := w.lent
		w.store.FailAppends(errors.New("no space left on device"))
		o.Close = func() error { // as one that waits for its servers
			_, err := lent.Ask(t.Context(), event.Question{Title: "may it?"})
			failed <- err
			return nil
		}
	}
	if _, err := w.Open(t.Context(), protocol.Spec{Session: first, Workspace: "/work", Interactive: true}); err == nil {
		t.Fatal("opened")
	}
	if err := <-failed; !errors.Is(err, protocol.ErrClosed) {
		t.Errorf("asked: %v", err)
	}
}
