package engine_test

import (
	"context"
	"testing"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/tool"
)

// With something left to do, calls that take turns in repeating are no progress,
// whichever process wrote the list.
func TestAResumedSessionKnowsItsTodos(t *testing.T) {
	plan := fn{"plan", false, func(ctx context.Context) (string, error) {
		return "planned", tool.CallFrom(ctx).Note(event.Planned{Todos: []event.Todo{{Text: "one", Status: "pending"}}})
	}}
	same := func(name string) fn {
		return fn{name, true, func(context.Context) (string, error) { return "as before", nil }}
	}
	w := newWorld(t, plan, same("look"), same("list"))
	w.model.Add(one("plan"), providertest.Text("planned"))
	s := w.open(t, protocol.Spec{})
	protocoltest.NewClient(t, s, nil).Say("plan it")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		w.model.Add(one("look"), one("list"))
	}
	ended := say(t, protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: s.ID()}), nil), "p2")
	if ended.Outcome != event.Limit || ended.Reason != agent.ReasonNoProgress || ended.Steps != 2+16 {
		t.Errorf("ended %+v", ended)
	}
}
