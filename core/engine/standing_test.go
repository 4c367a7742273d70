package engine_test

import (
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// A status of a session that was resumed, or is looked at, or runs, needs none of its
// records.
func TestAStatusNeedsNoRecord(t *testing.T) {
	w := newWorld(t)
	id := w.spoken(t, "fix the\nparser")
	stands := func(s protocol.Session) event.Standing {
		t.Helper()
		got := protocoltest.Collect(t.Context(), s, event.Tail)
		return protocoltest.Wait[event.CaughtUp](t, got, nil).Standing
	}
	same := func(how string, at event.Standing) {
		t.Helper()
		if at.First != "fix the parser" || at.Words.Text != "done" || at.Turn != 1 || at.Running != "" || at.At.IsZero() {
			t.Errorf("%s: %+v", how, at)
		}
		if at.Ended == nil || at.Ended.Outcome != event.Completed || at.Usage.Input == 0 || at.Usage != at.Ended.Usage || len(at.Cost) != 1 || at.Context.Tokens == 0 {
			t.Errorf("%s: %+v", how, at)
		}
	}
	seen := w.open(t, protocol.Spec{Session: id, ReadOnly: true})
	at := stands(seen)
	same("looked at", at)
	if !at.Closed {
		t.Error("looked at: it is not closed")
	}
	s := w.open(t, protocol.Spec{Session: id})
	at = stands(s)
	same("resumed", at)
	if at.Closed || at.Context.Window != 0 {
		t.Errorf("resumed: %+v", at)
	}

	gate := make(chan struct{})
	w.model.Add(providertest.Text("more").GateAt(0, gate))
	c := protocoltest.NewClient(t, s, nil)
	for _, id := range []event.PromptID{"runs", "waits"} {
		if err := s.Submit(t.Context(), protocol.Prompt{ID: id, Text: string(id), Queue: true}); err != nil {
			t.Fatal(err)
		}
	}
	protocoltest.Wait(t, c.Collector, func(u event.UserSaid) bool { return u.Prompt == "runs" })
	if at := stands(s); at.Running != "runs" || at.Turn != 2 || len(at.Queue) != 1 || at.Queue[0].ID != "waits" || at.Ended.Prompt == "runs" {
		t.Errorf("running: %+v", at)
	}
	w.model.Add(providertest.Text("last"))
	close(gate)
	c.Ended("waits")
	if at := stands(s); at.Running != "" || at.Words.Text != "last" || len(at.Queue) != 0 || at.Ended.Prompt != "waits" {
		t.Errorf("ended: %+v", at)
	}
}
