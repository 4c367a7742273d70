//go:build interop && unix

package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// persistent writes the script acpx starts for a session that it keeps: the server in
// its place, with a note of its process.
func (p *process) persistent(t *testing.T) {
	t.Helper()
	script := fmt.Sprintf("echo $$ > %q\nexec %q acp --permission-mode ask\n", filepath.Join(p.home, "agent.pid"), reasonixBinary())
	if err := os.WriteFile(filepath.Join(p.home, "agent.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
}

// server is the process that acpx started last.
func (p *process) server(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.home, "agent.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// did is acpx for a command that must succeed.
func (p *process) did(t *testing.T, args ...string) []byte {
	t.Helper()
	out, code := p.acpx(t, append([]string{"--format", "json", "--ttl", "60"}, args...)...)
	if code != 0 {
		t.Fatalf("acpx %v exits with %d: %s\n%s", args, code, out, p.stderr.String())
	}
	return out
}

// A session that acpx keeps: prompts of several acpx processes go to one server, model,
// mode and approval are set, and after the server was killed the next prompt goes on
// with all of that.
func TestInteropAcpxKeepsASession(t *testing.T) {
	model := providertest.New(t, providertest.Text("Blue."), providertest.Text("I said blue."),
		providertest.Calls(bash("echo made > note.txt")), providertest.Text("Still blue."))
	p := prepare(t, fmt.Sprintf(twoModels, model.BaseURL()))
	p.model = model
	p.persistent(t)
	p.did(t, "sessions", "new")
	t.Cleanup(func() { p.acpx(t, "sessions", "close") }) // after a failure only

	if got := acpxSaw(t, p.did(t, "prompt", "a colour?")); got.text != "Blue." || got.stop != "end_turn" {
		t.Errorf("the first prompt: %+v", got)
	}
	first := p.server(t)
	p.did(t, "set", "model", "scripted/two")
	p.did(t, "set-mode", "normal")
	p.did(t, "set", "tool_approval", "yolo")
	if got := acpxSaw(t, p.did(t, "prompt", "which?")); got.text != "I said blue." {
		t.Errorf("the second prompt: %+v", got)
	}
	p.asks(t, 1, `"model":"two"`, "a colour?", "Blue.")
	if pid := p.server(t); pid != first {
		t.Errorf("the second prompt went to process %d, not to %d", pid, first)
	}

	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	protocoltest.Until(t, "the server is gone", func() bool { return syscall.Kill(first, 0) != nil })
	got := acpxSaw(t, p.did(t, "prompt", "and now?"))
	if got.text != "Still blue." || got.stop != "end_turn" || got.asked != 0 || !p.has("note.txt") {
		t.Errorf("the prompt after the server died: %+v", got)
	}
	p.asks(t, 2, `"model":"two"`, "a colour?", "I said blue.")
	last := p.server(t)
	if last == first {
		t.Error("no other server was started")
	}
	p.did(t, "sessions", "close")
	protocoltest.Until(t, "the server has ended", func() bool { return syscall.Kill(last, 0) != nil })
	if !strings.Contains(p.journal(), `"session.ended"`) {
		t.Error("the session was not closed in order")
	}
}

// asks holds request n of the model to have all of these words.
func (p *process) asks(t *testing.T, n int, words ...string) {
	t.Helper()
	requests := p.model.Requests()
	if n >= len(requests) {
		t.Fatalf("%d requests", len(requests))
	}
	for _, w := range words {
		if !strings.Contains(string(requests[n].Body), w) {
			t.Errorf("request %d is without %s: %s", n, w, requests[n].Body)
		}
	}
}

// acpx lists our sessions from disk.
func TestInteropAcpxListsSessions(t *testing.T) {
	model := providertest.New(t, providertest.Text("Blue."))
	p := prepare(t, fmt.Sprintf(oneProvider, model.BaseURL(), ""))
	p.reasonixAt(t)
	p.did(t, "exec", "a colour?")
	var r struct {
		Sessions []struct{ SessionID, Title string }
	}
	if err := json.Unmarshal(p.did(t, "sessions", "list"), &r); err != nil || len(r.Sessions) != 1 || r.Sessions[0].Title != "a colour?" {
		t.Errorf("acpx lists %+v, %v", r, err)
	}
}
