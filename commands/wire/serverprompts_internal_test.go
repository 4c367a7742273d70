package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
)

// webServer is a session with the one server web, which answers what the test says.
func webServer(t *testing.T, capabilities string, answers map[string]func(params json.RawMessage) string, emit func(event.Payload) error) *servers {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := "{}"
		switch answer := answers[m.Method]; {
		case m.Method == "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":` + capabilities + `,"serverInfo":{"name":"web","version":"1"}}`
		case answer != nil:
			result = answer(m.Params)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(web.Close)
	s := &servers{declared: &declared{}, changes: newBell(), grace: time.Minute, emit: emit}
	dir := t.TempDir()
	s.set = mcp.Start(mcp.World{Workspace: dir, CacheDir: dir, LogDir: dir, StateDir: dir, Emit: s.tell}, []mcp.Config{{Name: "web", Type: "http", URL: web.URL}})
	t.Cleanup(func() { _ = s.set.Close() })
	return s
}

// TestThePromptsLastArgumentIsWhatWasTyped: whether the server's prompts are known or
// not, the last argument keeps its line ends and spaces.
func TestThePromptsLastArgumentIsWhatWasTyped(t *testing.T) {
	s := webServer(t, `{"prompts":{}}`, map[string]func(json.RawMessage) string{
		"prompts/list": func(json.RawMessage) string {
			return `{"prompts":[{"name":"ask","arguments":[{"name":"who"},{"name":"what"}]}]}`
		},
		"prompts/get": func(params json.RawMessage) string {
			var p struct{ Arguments json.RawMessage }
			_ = json.Unmarshal(params, &p)
			text, _ := json.Marshal(string(p.Arguments))
			return `{"messages":[{"role":"user","content":{"type":"text","text":` + string(text) + `}}]}`
		},
	}, func(event.Payload) error { return nil })
	want := `{"what":"a\n\n    b   c","who":"me"}`
	late, ok := s.late("mcp__web__ask", "/mcp__web__ask  me a\n\n    b   c")
	if !ok {
		t.Fatal("no command")
	}
	if got, err := late.Text(t.Context()); err != nil || got != want {
		t.Errorf("before: got %s, %v, want %s", got, err, want)
	}
	for _, c := range s.commands() {
		if got, err := c.Text(t.Context(), "me a\n\n    b   c"); err != nil || got != want {
			t.Errorf("after: got %s, %v, want %s", got, err, want)
		}
	}
	if len(s.commands()) != 1 {
		t.Error(s.commands())
	}
}
