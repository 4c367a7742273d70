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

// A refused prompt is folded and sent again in the same turn, and the reply says
// that the prefix is another.
func TestARefusedPromptIsFoldedAndSentAgain(t *testing.T) {
	p := &scripted{replies: [][]provider.Chunk{
		fails(&provider.Failure{Kind: provider.KindContext, Provider: "scripted", Status: 400, Text: "too long"}, ""),
		says("Aim: go on."), says("More of it."), says("done"),
	}}
	r := newRig(t, p)
	var folded []agent.Folded
	parts := r.Parts
	parts.Compactor = &agent.Compactor{
		Settings: compaction.Settings{Window: 100_000}, Archive: &box{}, NewID: func() string { return "digest" + string(rune('a'+len(folded))) }, Now: time.Now,
		Record: func(f agent.Folded) error { folded = append(folded, f); return nil },
	}
	a := agent.New(parts)
	for i := range 6 {
		r.in.Messages = append(r.in.Messages, message.Message{ID: message.ID("w" + string(rune('0'+i))), Role: message.Assistant, Content: strings.Repeat("word ", 2000)},
			message.Message{ID: message.ID("v" + string(rune('0'+i))), Role: message.User, Content: "on"})
	}
	if err := a.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if len(folded) != 1 || folded[0].Trigger != compaction.Refused {
		t.Fatalf("got %+v", folded)
	}
	rs := told[event.Replied](r)
	if len(p.bodies) != 4 || len(rs) != 1 || rs[0].Break == nil || rs[0].Break.Cause != "compaction" {
		t.Errorf("got %+v", rs)
	}
	if first, last := p.bodies[0], p.bodies[len(p.bodies)-1]; len(last) == 0 || len(last) > len(first)/2 {
		t.Error("not smaller")
	}
}
