package agent_test

import (
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// counted is a reply in plain words with what the endpoint counted; nil counts
// nothing.
func counted(text string, u *message.Usage) []provider.Chunk {
	return []provider.Chunk{{Type: provider.ChunkText, Text: text}, {Type: provider.ChunkDone, Finish: provider.FinishStop, Usage: u}}
}

// An endpoint that counts nothing still has a fill level, marked as an estimate.
func TestUncountedContextIsEstimated(t *testing.T) {
	r := newRig(t, &scripted{replies: [][]provider.Chunk{counted(strings.Repeat("word", 50), nil)}})
	r.Window = 1000
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	used := told[event.ContextUsed](r)
	if len(used) != 1 || !used[0].Estimated || used[0].Window != 1000 || used[0].Tokens < 55 || used[0].Tokens > 200 {
		t.Errorf("got %+v", used)
	}
	if replied := told[event.Replied](r); len(replied) != 1 || replied[0].Usage != (message.Usage{}) {
		t.Errorf("a guess was stored as a count: %+v", replied)
	}
}

func TestCountedContextIsNoEstimate(t *testing.T) {
	r := newRig(t, &scripted{replies: [][]provider.Chunk{counted("ok", &message.Usage{Input: 70, CacheRead: 30, Output: 5})}})
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if used := told[event.ContextUsed](r); len(used) != 1 || used[0] != (event.ContextUsed{Tokens: 105}) {
		t.Errorf("got %+v", used)
	}
}

// The estimate is scaled by what the same endpoint counted before.
func TestEstimateFollowsTheEndpointsCounts(t *testing.T) {
	fill := func(first *message.Usage) int {
		r := newRig(t, &scripted{replies: [][]provider.Chunk{counted("ok", first), counted("ok", nil)}})
		r.in.Messages = append(r.in.Messages, message.Message{ID: "long", Role: message.User, Content: strings.Repeat("word", 500)})
		if err := r.Run(t.Context(), r.in); err != nil {
			t.Fatal(err)
		}
		r.in.Messages = append(r.in.Messages, told[event.Replied](r)[0].Message, message.Message{ID: "again", Role: message.User, Content: "again"})
		if err := r.Run(t.Context(), r.in); err != nil {
			t.Fatal(err)
		}
		used := told[event.ContextUsed](r)
		return used[len(used)-1].Tokens
	}
	plain := fill(nil)
	if doubled := fill(&message.Usage{Input: 2 * plain, Output: 1}); doubled < 2*plain*9/10 || doubled > 2*plain*11/10 {
		t.Errorf("got %d after a count twice as high as the estimate of %d", doubled, plain)
	}
}

// A receipt has a cost also when nothing was counted.
func TestUncountedCostIsEstimated(t *testing.T) {
	r := newRig(t, &scripted{replies: [][]provider.Chunk{counted(strings.Repeat("word", 50), nil)}})
	r.Price = &provider.Price{Input: 1e6, Output: 1e6, Currency: "EUR"} // 1 a token
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	replied := told[event.Replied](r)
	if len(replied) != 1 || replied[0].Cost == nil || !replied[0].Cost.Estimated || replied[0].Cost.Amount < 55 {
		t.Fatalf("got %+v", replied)
	}
	if notices := told[event.Notice](r); len(notices) > 0 {
		t.Errorf("without a limit nobody has to be told: %+v", notices)
	}
}
