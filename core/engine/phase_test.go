package engine_test

import (
	"context"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// now is the phase that somebody is told who joins now.
func now(t *testing.T, s protocol.Session) event.Phase {
	t.Helper()
	return protocoltest.Wait[event.Phase](t, protocoltest.Collect(t.Context(), s, event.Tail), nil)
}

// A server may ask while no turn runs. Behind its answer nothing runs either.
func TestAQuestionWhileNothingRunsLeavesTheSessionIdle(t *testing.T) {
	w := newWorld(t)
	s := w.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, protocoltest.InTurn(protocoltest.Choose("yes")))
	if _, err := w.lent.Ask(t.Context(), event.Question{ID: "q1", Title: "which account?"}); err != nil {
		t.Fatal(err)
	}
	if got := now(t, s); got.Name != event.PhaseIdle {
		t.Errorf("answered: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := make(chan error, 1)
	go func() {
		_, err := w.lent.Ask(ctx, event.Question{ID: "q2", Title: "and which now?"})
		asked <- err
	}()
	protocoltest.Wait(t, c.Collector, func(a event.Asked) bool { return a.Question.ID == "q2" })
	cancel()
	if err := <-asked; err == nil {
		t.Error("nobody cancelled it")
	}
	if got := now(t, s); got.Name != event.PhaseIdle {
		t.Errorf("cancelled: %+v", got)
	}
}

// A question that a turn begins or ends beside hides the turn only while it waits.
func TestAQuestionBesideATurnGoesBackToWhatRuns(t *testing.T) {
	w := newWorld(t)
	gate := make(chan struct{})
	w.model.Add(providertest.Text("done").Gate(gate))
	s := w.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, nil)
	answers := make(chan error, 2)
	ask := func(id event.RequestID) {
		go func() {
			_, err := w.lent.Ask(t.Context(), event.Question{ID: id, Title: string(id)})
			answers <- err
		}()
		protocoltest.Wait(t, c.Collector, func(p event.Phase) bool { return p.Detail == string(id) })
	}
	answer := func(id event.RequestID) event.Phase {
		if err := s.Submit(t.Context(), protocol.Answer{ID: id}); err != nil {
			t.Fatal(err)
		}
		if err := <-answers; err != nil {
			t.Fatal(err)
		}
		return now(t, s)
	}
	ask("first")
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait(t, c.Collector, func(p event.Phase) bool { return p.Name == event.PhaseModel })
	ask("second")
	if got := answer("second"); got.Detail != "first" {
		t.Errorf("one question is left: %+v", got)
	}
	if got := answer("first"); got.Name != event.PhaseModel {
		t.Errorf("the turn runs: %+v", got)
	}
	ask("third")
	close(gate)
	c.Ended("p")
	protocoltest.Wait(t, c.Collector, func(p event.Phase) bool { return p.Name == event.PhaseIdle })
	if got := answer("third"); got.Name != event.PhaseIdle {
		t.Errorf("the turn is over: %+v", got)
	}
}
