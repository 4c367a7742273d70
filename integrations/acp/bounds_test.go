package acp_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
)

// mostRead is what other readers of the protocol take of one message, in bytes.
const mostRead = 10 << 20

// A conversation with texts that no line has room for is shown whole: in pieces of whole
// characters, of one message. What calls were told and said is shown by its ends.
func TestNoLineIsTooLongForALongConversation(t *testing.T) {
	const unit = "字é🙂\x01, and more of it; "
	long := strings.Repeat(unit, 2<<20/len(unit))
	longer := strings.Repeat(unit, 33<<20/len(unit))
	call := message.ToolCall{ID: "c", Name: "write_file", Arguments: `{"content":"` + strings.Repeat("x", 2<<20) + `"}`}
	old, changed := strings.Repeat("old\n", 1<<20), strings.Repeat("new\n", 1<<20)
	finished := func(diffs ...event.Diff) event.Payload {
		return event.ToolFinished{Call: "c", Title: "Write", Status: event.StatusOK, Message: message.Message{ID: "r", Content: "begins " + long + " ends"}, Diffs: diffs}
	}
	host := &remembering{playing: playing{told: make(chan event.Payload, 1), closed: make(chan struct{})}, dir: t.TempDir(), past: []event.Payload{
		event.UserSaid{Prompt: "p", Display: long, Message: message.Message{ID: "u", Role: message.User}},
		event.Replied{Message: message.Message{ID: "m", Role: message.Assistant, Content: longer, ToolCalls: []message.ToolCall{call}}},
		finished(),
		event.Replied{Message: message.Message{ID: "n", Role: message.Assistant, ToolCalls: []message.ToolCall{call}}},
		finished(event.Diff{Path: "/w/a", Old: &old, New: &changed}),
	}}
	s := serveHost(t, nil, protocol.Host{Opener: host, Library: host})
	s.patience = 30 * time.Second
	id := s.send("session/load", object{"sessionId": "s", "cwd": host.dir, "mcpServers": []any{}})
	s.response(id)
	var said, replied strings.Builder
	var shown []string
	for _, m := range s.all() {
		if len(m.raw) > mostRead {
			t.Errorf("a line of %d bytes: %.300s", len(m.raw), m.raw)
		}
		if m.Method != "session/update" {
			continue
		}
		switch u := m.update(t).Update; u.SessionUpdate + u.MessageID {
		case "user_message_chunku":
			said.WriteString(u.Content.(object)["text"].(string))
		case "agent_message_chunkm":
			replied.WriteString(u.Content.(object)["text"].(string))
		case "tool_call_update":
			content := u.Content.([]any)[0].(object)["content"].(object)["text"].(string)
			output := u.RawOutput.(object)["output"].(string)
			for _, part := range []string{content, output} {
				if !utf8.ValidString(part) {
					t.Error("half a character is shown")
				}
			}
			if !strings.HasPrefix(output, "begins ") || !strings.HasSuffix(output, " ends") || !strings.Contains(output, "bytes are left out") {
				t.Errorf("the output is shown as %.80s", output)
			}
			shown = append(shown, content)
		}
	}
	if said.String() != long || replied.String() != longer {
		t.Errorf("%d and %d bytes of %d and %d are shown", said.Len(), replied.Len(), len(long), len(longer))
	}
	if len(shown) != 2 || !strings.Contains(shown[0], "bytes are left out") || shown[1] != "/w/a: there are too many changes to be shown" {
		t.Errorf("%d calls: %.80q", len(shown), shown)
	}
}
