package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"reasonix/core/config"
	"reasonix/core/event"
)

// TestWhatAPersonDoesToAServer: /mcp with an action does it and says how the server is
// then; what the model was told of its tools stays, and a call of one that is not there
// says why.
func TestWhatAPersonDoesToAServer(t *testing.T) {
	s := webServer(t, `{"tools":{}}`, map[string]func(json.RawMessage) string{
		"tools/list": func(json.RawMessage) string {
			return `{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}`
		},
		"tools/call": func(json.RawMessage) string { return `{"content":[{"type":"text","text":"seen"}]}` },
	}, func(event.Payload) error { return nil })
	if err := s.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.declared.untrusted = []config.Part{{Kind: config.PartServer, Key: "plugins.theirs"}}
	r := &reports{servers: s}
	told := s.tools()[0]
	for _, c := range []struct{ args, want, call string }{
		{"disconnect web", "web: stopped, tools 1, prompts 0, resources 0\n", "call: MCP server web: it was disconnected; only a person can connect it again (/mcp connect NAME)"},
		{"restart web", "web: ready, tools 1, prompts 0, resources 0\n", "seen"},
		{"disconnect  web", "web: stopped, tools 1, prompts 0, resources 0\n", "call: MCP server web: it was disconnected; only a person can connect it again (/mcp connect NAME)"},
		{"connect web", "web: ready, tools 1, prompts 0, resources 0\n", "seen"},
		{"connect webs", "error: there is no MCP server webs in this session; /mcp lists those that there are", "seen"},
		{"connect theirs", "error: the MCP server theirs is declared by this project and not trusted; `reasonix mcp trust theirs` lets it start", "seen"},
		{"connect", "error: usage: /mcp, or /mcp connect NAME, /mcp disconnect NAME, /mcp restart NAME", "seen"},
		{"stop web", "error: usage: /mcp, or /mcp connect NAME, /mcp disconnect NAME, /mcp restart NAME", "seen"},
	} {
		got, err := r.mcp(t.Context(), c.args)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("/mcp %s: got %q, want %q", c.args, got, c.want)
		}
		got, err = told.Execute(t.Context(), json.RawMessage(`{}`))
		if err != nil {
			got = "call: " + err.Error()
		}
		if got != c.call {
			t.Errorf("/mcp %s: the call: got %q, want %q", c.args, got, c.call)
		}
		if now := s.tools(); len(now) != 1 || string(now[0].Schema()) != string(told.Schema()) || now[0].Name() != told.Name() {
			t.Errorf("/mcp %s: the model is told of %v", c.args, now)
		}
	}
	s.set.Close()
	if got, err := r.mcp(t.Context(), "connect web"); err == nil || !strings.Contains(err.Error(), "closing") {
		t.Errorf("at the end: got %q, %v", got, err)
	}
}
