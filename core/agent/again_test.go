package agent_test

import (
	"context"
	"encoding/json"
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/tool"
)

// The result of a call that ran once more says why that was, not why it ran first.
func TestASecondRunIsWhatTheResultTellsOf(t *testing.T) {
	again := fn{"bash", false, func(ctx context.Context, _ json.RawMessage) (string, error) {
		call := tool.CallFrom(ctx)
		return "ran", call.Note(event.ToolStarted{Call: call.ID, Rule: "let out", Held: "not sandboxed"})
	}}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{
		calls(message.ToolCall{ID: "a", Name: "bash", Arguments: `{}`}), says("done"),
	}}, again)
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	started, finished := told[event.ToolStarted](r), told[event.ToolFinished](r)
	if len(started) != 2 || started[1].Held != "not sandboxed" || len(finished) != 1 || finished[0].Rule != "let out" {
		t.Errorf("started %+v, finished %+v", started, finished)
	}
}
