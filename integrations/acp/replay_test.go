package acp_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
)

// remembering is a session with a past, at rest until it is opened.
type remembering struct {
	playing
	past []event.Payload
	dir  string
	lost int   // records behind past that cannot be read
	err  error // in the place of CaughtUp
}

func (r *remembering) Open(context.Context, protocol.Spec) (protocol.Session, error) { return r, nil }

func (r *remembering) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	return func(yield func(event.Envelope, error) bool) {
		last := event.Seq(len(r.past))
		for i := after; i < last; i++ {
			if !yield(event.Envelope{Seq: i + 1, Turn: 1, Payload: r.past[i]}, nil) {
				return
			}
		}
		for e, err := range r.playing.Events(ctx, after) {
			if _, ok := e.Payload.(event.CaughtUp); ok {
				e.Payload, err = event.CaughtUp{Session: "s", Last: last + event.Seq(r.lost)}, r.err
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (r *remembering) Sessions(context.Context, protocol.Query) ([]protocol.Info, error) {
	return []protocol.Info{{ID: "s", Workspace: r.dir}}, nil
}

func (r *remembering) Rename(context.Context, string, event.SessionID, string) error { return nil }
func (r *remembering) Delete(context.Context, string, event.SessionID) error         { return nil }

// past is a conversation with all that a client must not take for something else.
func past() []event.Payload {
	assistant := func(id message.ID, text string, calls ...message.ToolCall) event.Payload {
		m := message.Message{ID: id, Role: message.Assistant, Content: text, ToolCalls: calls}
		m.Reasoning = []message.Reasoning{{Text: "thinking of " + string(id)}}
		return event.Replied{Message: m}
	}
	user := func(id message.ID, prompt event.PromptID, display, model string) event.Payload {
		return event.UserSaid{Prompt: prompt, Display: display, Message: message.Message{ID: id, Role: message.User, Content: model}}
	}
	result := func(call string, status event.Status, text string) event.Payload {
		return event.ToolFinished{Call: call, Title: "Run " + call, Status: status, Message: message.Message{ID: message.ID("r-" + call), Role: message.ToolRole, Content: text}}
	}
	old, changed := "a\n", "b\n"
	return []event.Payload{
		event.Opened{Reason: event.OpenedNew, Workspace: "/w"},
		user("u1", "p1", "look at @a.go", "<file>hidden context</file>look at @a.go"),
		event.UserSaid{Message: message.Message{ID: "h", Role: message.User, Content: "[host] remember"}, Sources: []event.Source{{Kind: "host"}}},
		assistant("m1", "I look.", message.ToolCall{ID: "c1", Name: "bash", Arguments: `{"command":"ls"}`}, message.ToolCall{ID: "c2", Name: "edit_file", Arguments: `{"path":"a"}`}, message.ToolCall{ID: "c3", Name: "bash", Arguments: `{`}),
		event.ToolStarted{Call: "c1", Title: "Run c1", Kind: "execute"},
		result("c1", event.StatusFailed, "no such file"),
		event.ToolFinished{Call: "c2", Title: "Edit a", Status: event.StatusOK, Message: message.Message{ID: "r-c2", Content: "edited"}, Diffs: []event.Diff{{Path: "/w/a", Old: &old, New: &changed}}},
		result("c3", event.StatusDenied, "denied"),
		user("u2", "steer", "also b", "also b"),
		assistant("m2", "Done."),
		event.Planned{Todos: []event.Todo{{Text: "one", Status: "completed"}}},
		event.TurnEnded{Prompt: "p1", Outcome: event.Completed},
		user("u3", "p2", "a mistake", "a mistake"),
		assistant("m3", "It is undone."),
		event.TurnEnded{Prompt: "p2", Outcome: event.Completed},
		event.Rewound{Head: "m2", Was: "m3"},
	}
}

// heardBefore are the updates a client was sent before an answer.
func heardBefore(t *testing.T, s *served, id string) (all []any) {
	t.Helper()
	s.response(id)
	for _, m := range s.all() {
		if m.Method == "" && string(m.ID) == id {
			return all
		}
		if m.Method == "session/update" {
			var u struct{ Update any }
			decode(t, m.Params, &u)
			all = append(all, u.Update)
		}
	}
	return all
}

// A session that is loaded is shown as it was, before the answer: what was typed and not
// what the model read, every call with the status it ended with, a steer at its place,
// and nothing that was rewound.
func TestALoadedSessionIsShownAsItWas(t *testing.T) {
	host := &remembering{playing: playing{told: make(chan event.Payload, 1), closed: make(chan struct{})}, past: past(), dir: t.TempDir()}
	s := serveHost(t, nil, protocol.Host{Opener: host, Library: host})
	open := object{"sessionId": "s", "cwd": host.dir, "mcpServers": []any{}}
	for _, which := range []string{"from the disk", "while it is open"} {
		s.forget()
		id := s.send("session/load", open)
		got := heardBefore(t, s, id)
		text := func(kind, id, text string) object {
			return object{"sessionUpdate": kind, "messageId": id, "content": object{"type": "text", "text": text}}
		}
		content := func(text string) []any {
			return []any{object{"type": "content", "content": object{"type": "text", "text": text}}}
		}
		begun := func(id, name, title, kind string, input any) object {
			o := object{"sessionUpdate": "tool_call", "toolCallId": id, "name": name, "title": title, "kind": kind, "status": "pending"}
			if input != nil {
				o["rawInput"] = input
			}
			return o
		}
		want := []any{
			text("user_message_chunk", "u1", "look at @a.go"),
			text("agent_thought_chunk", "m1", "thinking of m1"), text("agent_message_chunk", "m1", "I look."),
			begun("c1", "bash", "Run c1", "execute", object{"command": "ls"}),
			object{
				"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Run c1", "status": "failed",
				"content": content("```console\nno such file\n```"), "rawOutput": object{"output": "no such file", "status": "failed"},
			},
			begun("c2", "edit_file", "Edit a", "edit", object{"path": "a"}),
			object{
				"sessionUpdate": "tool_call_update", "toolCallId": "c2", "title": "Edit a", "status": "completed",
				"content":   []any{object{"type": "diff", "path": "/w/a", "oldText": "a\n", "newText": "b\n"}},
				"locations": []any{object{"path": "/w/a"}}, "rawOutput": object{"output": "edited", "status": "ok"},
			},
			begun("c3", "bash", "Run c3", "execute", nil),
			object{
				"sessionUpdate": "tool_call_update", "toolCallId": "c3", "title": "Run c3", "status": "failed",
				"content": content("```console\ndenied\n```"), "rawOutput": object{"output": "denied", "status": "denied"},
			},
			text("user_message_chunk", "u2", "also b"),
			text("agent_thought_chunk", "m2", "thinking of m2"), text("agent_message_chunk", "m2", "Done."),
			object{"sessionUpdate": "plan", "entries": []any{object{"content": "one", "priority": "medium", "status": "completed"}}},
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: %s", which, diff)
		}
	}
}

// Of two loads of a session at rest one opens it, and both show it.
func TestTwoLoadsOfASessionAtRest(t *testing.T) {
	host := &remembering{playing: playing{told: make(chan event.Payload, 1), closed: make(chan struct{})}, past: past(), dir: t.TempDir()}
	s := serveHost(t, nil, protocol.Host{Opener: host, Library: host})
	open := object{"sessionId": "s", "cwd": host.dir, "mcpServers": []any{}}
	first, second := s.send("session/load", open), s.send("session/load", open)
	s.response(first)
	s.response(second)
	shown := 0
	for _, m := range s.all() {
		switch {
		case m.Method == "session/update":
			shown++
		case m.Error != nil || shown != 13:
			t.Errorf("%d updates before %.200s", shown, m.raw)
		default:
			shown = 0
		}
	}
}

// A session that is resumed shows nothing of its past.
func TestAResumedSessionIsNotShownAgain(t *testing.T) {
	host := &remembering{playing: playing{told: make(chan event.Payload, 1), closed: make(chan struct{})}, past: past(), dir: t.TempDir()}
	s := serveHost(t, nil, protocol.Host{Opener: host, Library: host})
	id := s.send("session/resume", object{"sessionId": "s", "cwd": host.dir})
	if got := heardBefore(t, s, id); len(got) > 0 {
		t.Errorf("heard %s", fmt.Sprint(got...))
	}
}

// A journal whose last records are damaged is shown as far as it goes.
func TestADamagedEndKeepsNothingFromBeingShown(t *testing.T) {
	host := &remembering{playing: playing{told: make(chan event.Payload, 1), closed: make(chan struct{})}, past: past(), dir: t.TempDir(), lost: 2}
	s := serveHost(t, nil, protocol.Host{Opener: host, Library: host})
	for _, which := range []string{"from the disk", "while it is open"} {
		s.forget()
		id := s.send("session/load", object{"sessionId": "s", "cwd": host.dir, "mcpServers": []any{}})
		if got := heardBefore(t, s, id); len(got) != 13 {
			t.Errorf("%s: %d updates", which, len(got))
		}
	}
}

// A session whose past cannot be read is closed again, and whoever opens it learns why.
func TestASessionThatCannotBeReadDoesNotOpen(t *testing.T) {
	host := &remembering{dir: t.TempDir(), err: errors.New("input/output error")}
	s := serveHost(t, nil, protocol.Host{Opener: host, Library: host})
	for _, method := range []string{"session/load", "session/resume", "session/new"} {
		host.playing = playing{told: make(chan event.Payload, 1), closed: make(chan struct{})}
		m := s.call(method, object{"sessionId": "s", "cwd": host.dir, "mcpServers": []any{}})
		if m.Error == nil || m.Error.Code != -32603 || !strings.Contains(m.Error.Message, "input/output error") {
			t.Errorf("%s: %s", method, m.raw)
		}
		<-host.closed
		if m := s.call("session/prompt", said("s", "x")); m.Error == nil || m.Error.Code != -32002 {
			t.Errorf("it is prompted: %s", m.raw)
		}
	}
}
