package acp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
)

// playing is a session that answers every prompt with the same events; those of turns
// that name no prompt are of that one.
type playing struct {
	turn   []event.Payload
	told   chan event.Payload
	closed chan struct{}
}

func (p *playing) Open(context.Context, protocol.Spec) (protocol.Session, error) { return p, nil }
func (p *playing) ID() event.SessionID                                           { return "s" }

func (p *playing) Submit(_ context.Context, op protocol.Op) error {
	prompt, ok := op.(protocol.Prompt)
	if !ok {
		return protocol.ErrStale
	}
	for _, e := range p.turn {
		switch of := e.(type) {
		case event.TurnStarted:
			of.Prompt = cmp.Or(of.Prompt, prompt.ID)
			e = of
		case event.TurnEnded:
			of.Prompt = cmp.Or(of.Prompt, prompt.ID)
			e = of
		default: // of whatever turn runs
		}
		p.told <- e
	}
	return nil
}

func (p *playing) Events(context.Context, event.Seq) iter.Seq2[event.Envelope, error] {
	return func(yield func(event.Envelope, error) bool) {
		for yield(event.Envelope{Payload: event.CaughtUp{}}, nil) {
			for {
				select {
				case e := <-p.told:
					yield(event.Envelope{Payload: e}, nil)
				case <-p.closed:
					return
				}
			}
		}
	}
}

func (p *playing) Close() error {
	close(p.closed)
	return nil
}

// play returns what a client is sent of a turn: the updates, then the answer.
func play(t *testing.T, turn ...event.Payload) (updates []any, answer answered) {
	t.Helper()
	return playTo(t, object{}, turn...)
}

// playTo is play to a client that can do more than the least.
func playTo(t *testing.T, can object, turn ...event.Payload) (updates []any, answer answered) {
	t.Helper()
	p := &playing{turn: turn, told: make(chan event.Payload, len(turn)), closed: make(chan struct{})}
	s := serveHost(t, nil, protocol.Host{Opener: p})
	s.call("initialize", object{"protocolVersion": 1, "clientCapabilities": can})
	s.open(t.TempDir())
	got := s.response(s.prompt("s", "x"))
	for _, m := range s.all() {
		if m.Method != "session/update" {
			continue
		}
		var u struct{ Update any }
		decode(t, m.Params, &u)
		updates = append(updates, u.Update)
	}
	answer.Error = got.Error != nil
	var data any = got.Result
	if answer.Error {
		answer.Code, answer.Text, data = got.Error.Code, got.Error.Message, got.Error.Data
	}
	if raw, ok := data.(json.RawMessage); ok {
		decode(t, raw, &answer.Data)
	} else {
		answer.Data = data
	}
	return updates, answer
}

// answered is the answer to a prompt.
type answered struct {
	Error bool
	Code  int
	Text  string
	Data  any
}

func TestEveryOutcomeHasItsWord(t *testing.T) {
	meta := func(stop string, about object) answered {
		return answered{Data: object{"stopReason": stop, "_meta": object{"reasonix.io": about}}}
	}
	failed := func(text string, data object) answered {
		return answered{Error: true, Code: -32603, Text: "session/prompt: " + text, Data: data}
	}
	for _, c := range []struct {
		ended event.TurnEnded
		want  answered
	}{
		{event.TurnEnded{Outcome: event.Completed}, answered{Data: object{"stopReason": "end_turn"}}},
		{event.TurnEnded{Outcome: event.Cut, Reason: "output_limit"}, meta("max_tokens", object{"outcome": "cut", "reason": "output_limit"})},
		{event.TurnEnded{Outcome: event.Refused, Reason: "model"}, meta("refusal", object{"outcome": "refused", "reason": "model"})},
		{event.TurnEnded{Outcome: event.Limit, Reason: "steps"}, meta("max_turn_requests", object{"outcome": "limit", "reason": "steps"})},
		{event.TurnEnded{Outcome: event.Cancelled}, meta("cancelled", object{"outcome": "cancelled"})},
		{event.TurnEnded{Outcome: event.Denied, Reason: "nobody_to_ask"}, meta("end_turn", object{"outcome": "denied", "reason": "nobody_to_ask"})},
		{event.TurnEnded{Outcome: event.Internal, Detail: "index out of range\ngoroutine 1"}, failed("index out of range", object{"outcome": "internal"})},
		{event.TurnEnded{Outcome: event.Internal}, failed("internal", object{"outcome": "internal"})},
		{event.TurnEnded{Outcome: event.Stalled, Reason: "stalled", Detail: "silence"}, failed("silence", object{"outcome": "stalled", "reason": "stalled"})},
		{ // AC-10: phase and retryable tell a cut stream from a refused key
			event.TurnEnded{Outcome: event.Provider, Reason: "cut", Detail: "the stream broke", Failure: &event.Failure{Phase: "stream", Retryable: true}},
			failed("the stream broke", object{"outcome": "provider", "reason": "cut", "phase": "stream", "retryable": true, "status": 0.0}),
		},
	} {
		_, got := play(t, c.ended)
		if d, ok := got.Data.(map[string]any); ok && got.Error {
			got.Data = object(d)
		}
		if diff := gocmp.Diff(got, c.want); diff != "" {
			t.Errorf("%+v: %s", c.ended, diff)
		}
	}
}

func TestACallIsAnnouncedBegunAndFinished(t *testing.T) {
	old, changed, exit := "a\n", "b\n", 2
	updates, answer := play(t,
		event.Replied{Message: message.Message{ID: "m", ToolCalls: []message.ToolCall{
			{ID: "c1", Name: "edit_file", Arguments: `{"path":"a.txt","n":12345678901234567890}`},
			{ID: "c2", Name: "bash", Arguments: `{"command":`},
			{ID: "c3", Name: "web", Arguments: `{}`},
		}}},
		event.ToolStarted{Call: "c1", Title: "Edit a.txt", Kind: "edit", Paths: []string{"/w/a.txt"}},
		event.ToolFinished{Call: "c1", Title: "Edit a.txt", Status: event.StatusOK, Message: message.Message{Content: "edited"}, Diffs: []event.Diff{{Path: "/w/a.txt", Old: &old, New: &changed}}},
		event.ToolFinished{Call: "c2", Title: "bash", Status: event.StatusFailed, Exit: &exit, Message: message.Message{Content: "bad"}},
		event.ToolFinished{Call: "c3", Title: "web", Status: event.StatusDenied, Reason: "the user denied it", Message: message.Message{Content: "denied"}},
		event.TurnEnded{Outcome: event.Completed},
	)
	text := func(s string) []any {
		return []any{object{"type": "content", "content": object{"type": "text", "text": s}}}
	}
	want := []any{
		object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "edit_file", "name": "edit_file", "kind": "edit", "status": "pending", "rawInput": object{"path": "a.txt", "n": 12345678901234567890.0}},
		object{"sessionUpdate": "tool_call", "toolCallId": "c2", "title": "bash", "name": "bash", "kind": "execute", "status": "pending"},
		object{"sessionUpdate": "tool_call", "toolCallId": "c3", "title": "web", "name": "web", "kind": "other", "status": "pending", "rawInput": object{}},
		object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Edit a.txt", "kind": "edit", "status": "in_progress", "locations": []any{object{"path": "/w/a.txt"}}},
		object{
			"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Edit a.txt", "status": "completed",
			"content":   []any{object{"type": "diff", "path": "/w/a.txt", "oldText": "a\n", "newText": "b\n"}},
			"locations": []any{object{"path": "/w/a.txt"}},
			"rawOutput": object{"output": "edited", "status": "ok"},
		},
		object{"sessionUpdate": "tool_call_update", "toolCallId": "c2", "title": "bash", "status": "failed", "content": text("```console\nbad\n```"), "rawOutput": object{"output": "bad", "status": "failed", "exitCode": 2.0}},
		object{"sessionUpdate": "tool_call_update", "toolCallId": "c3", "title": "web", "status": "failed", "content": text("denied"), "rawOutput": object{"output": "denied", "status": "denied", "reason": "the user denied it"}},
	}
	if diff := gocmp.Diff(updates, want); diff != "" {
		t.Error(diff)
	}
	wantAnswer := object{"stopReason": "end_turn", "_meta": object{"reasonix.io": object{"outcome": "completed", "denials": []any{"web: the user denied it"}}}}
	if diff := gocmp.Diff(answer.Data, any(wantAnswer)); diff != "" {
		t.Error(diff)
	}
}

// A call that runs once more is the same call to the client.
func TestASecondRunIsAnUpdateOfItsCall(t *testing.T) {
	updates, _ := play(t,
		event.Replied{Message: message.Message{ID: "m", ToolCalls: []message.ToolCall{{ID: "c1", Name: "bash", Arguments: `{}`}}}},
		event.ToolStarted{Call: "c1", Title: "make", Kind: "execute", Rule: "posture yolo", Held: "bwrap"},
		event.ToolStarted{Call: "c1", Title: "make", Kind: "execute", Rule: "let out", Held: "not sandboxed"},
		event.TurnEnded{Outcome: event.Completed},
	)
	begun := func(rule, held string) object {
		return object{
			"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "make", "kind": "execute", "status": "in_progress",
			"_meta": object{"reasonix.io": object{"rule": rule, "held": held}},
		}
	}
	want := []any{
		object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "bash", "name": "bash", "kind": "execute", "status": "pending", "rawInput": object{}},
		begun("posture yolo", "bwrap"), begun("let out", "not sandboxed"),
	}
	if diff := gocmp.Diff(updates, want); diff != "" {
		t.Error(diff)
	}
}

// Deltas may be merged, repeated or missing; the text the client gets is whole.
func TestTextIsWholeWhateverHappensToDeltas(t *testing.T) {
	delta := func(id message.ID, offset int, text string) event.Payload {
		return event.TextDelta{Message: id, Offset: offset, Text: text}
	}
	whole := func(id message.ID, text string) event.Payload {
		return event.Replied{Message: message.Message{ID: id, Content: text}}
	}
	for name, c := range map[string]struct {
		turn []event.Payload
		want string
	}{
		"in order":           {[]event.Payload{delta("m", 0, "one "), delta("m", 4, "two"), whole("m", "one two")}, "m:one |m:two|"},
		"repeated":           {[]event.Payload{delta("m", 0, "one "), delta("m", 0, "one "), delta("m", 0, "one two"), whole("m", "one two")}, "m:one |m:two|"},
		"end missing":        {[]event.Payload{delta("m", 0, "one "), whole("m", "one two")}, "m:one |m:two|"},
		"middle missing":     {[]event.Payload{delta("m", 0, "one "), delta("m", 8, "three"), whole("m", "one two three")}, "m:one |m:two three|"},
		"none":               {[]event.Payload{whole("m", "one two")}, "m:one two|"},
		"no text":            {[]event.Payload{whole("m", "")}, ""},
		"thoughts":           {[]event.Payload{event.ReasoningDelta{Message: "m", Text: "hm"}, delta("m", 0, "x"), whole("m", "x")}, "m:(hm)|m:x|"},
		"an attempt is lost": {[]event.Payload{delta("m", 0, "on"), event.Retrying{Discard: "m"}, delta("n", 0, "one"), whole("n", "one")}, "m:on|n:one|"},
	} {
		updates, _ := play(t, append(c.turn, event.TurnEnded{Outcome: event.Completed})...)
		got := ""
		for _, u := range updates {
			u := u.(object)
			if u["messageId"] == nil {
				continue // what is no text of the model
			}
			text := u["content"].(object)["text"].(string)
			if u["sessionUpdate"] == "agent_thought_chunk" {
				text = "(" + text + ")"
			}
			got += u["messageId"].(string) + ":" + text + "|"
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
