//go:build interop && unix

package acp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// The acpx command, version 0.19.1, is a client that others wrote. make interop
// installs it and names the binary in REASONIX_BIN; without that the test binary
// is the server.
func TestInteropAcpxPrompts(t *testing.T) {
	for _, c := range []struct {
		flag   string
		exit   int
		ran    bool
		text   string
		status string
	}{
		{"--approve-all", 0, true, "It is made.", "completed"},
		{"--deny-all", 5, false, "I may not.", "failed"},
	} {
		t.Run(c.flag, func(t *testing.T) {
			model := providertest.New(t,
				providertest.TextCalls("I make it. ", bash("echo made > note.txt")), providertest.Text(c.text))
			p := prepare(t, fmt.Sprintf(oneProvider, model.BaseURL(), ""))
			p.reasonixAt(t)
			out, code := p.acpx(t, c.flag, "--format", "json", "--json-strict", "exec", "make a note")
			if code != c.exit {
				t.Errorf("acpx exits with %d, want %d", code, c.exit)
			}
			if p.has("note.txt") != c.ran {
				t.Errorf("the call ran: %v", !c.ran)
			}
			got := acpxSaw(t, out)
			want := seen{asked: 1, statuses: "pending in_progress " + c.status, text: "I make it. " + c.text, stop: "end_turn"}
			if !c.ran {
				want.statuses = "pending " + c.status
			}
			if got != want {
				t.Errorf("acpx saw %+v, want %+v; output\n%s", got, want, out)
			}
			protocoltest.Until(t, "reasonix has ended", func() bool { return p.has("exit.code") })
			if code, err := os.ReadFile(filepath.Join(p.dir, "exit.code")); err != nil || string(code) != "0\n" {
				t.Errorf("reasonix exits with %q, %v", code, err)
			}
			if !strings.Contains(p.journal(), `"session.ended"`) {
				t.Error("the session was not closed in order")
			}
		})
	}
}

// reasonixBinary is what acpx starts.
func reasonixBinary() string {
	if binary := os.Getenv("REASONIX_BIN"); binary != "" {
		return binary
	}
	return os.Args[0]
}

// reasonixAt writes the script acpx starts: the server, and its exit code.
func (p *process) reasonixAt(t *testing.T) {
	t.Helper()
	script := fmt.Sprintf("trap : TERM\n%q acp --permission-mode ask\necho $? > %q\n", reasonixBinary(), filepath.Join(p.dir, "exit.code"))
	if err := os.WriteFile(filepath.Join(p.home, "agent.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *process) acpx(t *testing.T, args ...string) (out []byte, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	all := append([]string{"--cwd", p.dir, "--agent", "sh " + filepath.Join(p.home, "agent.sh")}, args...)
	cmd := exec.CommandContext(ctx, "acpx", all...)
	cmd.Env = append(os.Environ(), beReasonix+"=1", "REASONIX_HOME="+p.home, "HOME="+p.home)
	cmd.Stderr = &p.stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil || ctx.Err() != nil {
		t.Fatalf("acpx: %v %v, stderr %s", err, ctx.Err(), p.stderr.String())
	}
	return out, cmd.ProcessState.ExitCode()
}

// seen is what acpx says of one prompt.
type seen struct {
	asked                int
	statuses, text, stop string
}

func acpxSaw(t *testing.T, out []byte) (s seen) {
	t.Helper()
	for line := range bytes.Lines(out) {
		var m rpc
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("acpx says %s", line)
		}
		var result struct{ StopReason string }
		switch {
		case m.Method == "session/request_permission":
			s.asked++
		case m.Method == "session/update":
			u := m.update(t).Update
			if u.SessionUpdate == "agent_message_chunk" {
				s.text += u.Content.(object)["text"].(string)
			}
			s.statuses = strings.TrimSpace(s.statuses + " " + u.Status)
		case len(m.Result) > 0 && json.Unmarshal(m.Result, &result) == nil && result.StopReason != "":
			s.stop = result.StopReason
		}
	}
	return s
}
