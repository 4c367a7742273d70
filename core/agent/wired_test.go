package agent_test

import (
	"strings"
	"testing"
	"time"

	"reasonix/core/agent"
	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

type box struct{ kept []message.Message }

func (b *box) Next() string { return "a.jsonl" }
func (b *box) Write(_ string, ms []message.Message) error {
	b.kept = append(b.kept, ms...)
	return nil
}

func TestWired(t *testing.T) {
	p := &noWire{&scripted{replies: [][]provider.Chunk{
		fails(&provider.Failure{Kind: provider.KindContext, Provider: "scripted", Status: 400, Text: "too long"}, ""),
		says("Aim: go on."), says("done"),
		counted("ok", &message.Usage{Input: 900_000, Output: 1}),
		says("Aim: more."), says("fine"),
	}}}
	r := newRig(t, p.scripted)
	var folded []agent.Folded
	parts := r.Parts
	parts.Provider = p
	parts.Compactor = &agent.Compactor{
		Settings: compaction.Settings{Window: 100_000}, Archive: &box{}, NewID: func() string { return "digest" + string(rune('a'+len(folded))) }, Now: time.Now,
		Record: func(f agent.Folded) error { folded = append(folded, f); return nil },
	}
	a := agent.New(parts)
	for i := range 6 {
		r.in.Messages = append(r.in.Messages, message.Message{ID: message.ID("w" + string(rune('0'+i))), Role: message.Assistant, Content: strings.Repeat("word ", 2000)},
			message.Message{ID: message.ID("v" + string(rune('0'+i))), Role: message.User, Content: "on"})
	}
	in := r.in
	if err := a.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if len(folded) != 1 || folded[0].Trigger != compaction.Refused {
		t.Fatalf("got %+v", folded)
	}
	rs := told[event.Replied](r)
	if len(rs) != 1 || rs[0].Break == nil || rs[0].Break.Cause != "compaction" {
		t.Errorf("got %+v", rs)
	}
	t.Log(len(p.bodies[0]), len(p.bodies[1]), len(p.bodies[2]), folded[0].Before, folded[0].After)
	if len(p.bodies[2]) > len(p.bodies[0])/2 {
		t.Error("not smaller")
	}
}

type noWire struct{ *scripted }
