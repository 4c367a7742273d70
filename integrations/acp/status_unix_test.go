//go:build unix

package acp_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// Two clients in one directory: who wants to write waits visibly and can be cancelled,
// who reads does not wait.
func TestTheWorkspaceIsWaitedForVisibly(t *testing.T) {
	command, words := sleeping(t)
	p := startTwo(t, providertest.Calls(bash(command)))
	first := p.open(p.dir)
	p.set(first, "tool_approval", "yolo")
	running := p.prompt(first, "x")
	protocoltest.Until(t, "the command runs", func() bool { return p.has("started") })

	other := providertest.New(t,
		providertest.Calls(providertest.Call{Name: "ls", Arguments: `{}`}), providertest.Text("Looked."),
		providertest.Calls(bash("touch second")), providertest.Text("never"))
	q := prepare(t, "")
	q.home, q.dir, q.model = p.home, p.dir, other
	if err := os.WriteFile(filepath.Join(q.home, "config.toml"), []byte(fmt.Sprintf(twoModels, other.BaseURL())), 0o600); err != nil {
		t.Fatal(err)
	}
	q.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "yolo"))
	second := q.open(q.dir)
	if got := q.stopped(q.prompt(second, "look")); got != "end_turn" {
		t.Errorf("the reader stopped with %s", got)
	}
	id := q.prompt(second, "write")
	var s sessionStatus
	protocoltest.Until(t, "it waits for the workspace", func() bool {
		s = q.status(second)
		return s.Phase == "waiting_workspace"
	})
	if s.LeaseHolder == "" || s.State != "running" {
		t.Errorf("%+v", s)
	}
	q.write(notification("session/cancel", object{"sessionId": second}))
	if got := q.stopped(id); got != "cancelled" {
		t.Errorf("the waiting one stopped with %s", got)
	}
	p.write(notification("session/cancel", object{"sessionId": first}))
	p.stopped(running)
	for _, each := range []*process{p, q} {
		each.in.Close()
		each.ends(words)
	}
}

func TestStatusUpdatesAreForWhoAsks(t *testing.T) {
	p := startTwo(t, providertest.Text("One."), providertest.Text("Two."))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "x"))
	for _, m := range p.all() {
		if strings.HasPrefix(m.Method, "_") {
			t.Errorf("unasked: %s", m.raw)
		}
	}
	p.result("initialize", object{"protocolVersion": 1, "clientCapabilities": object{"_meta": object{"reasonix.io": object{"statusUpdate": true}}}}, &object{})
	asked := p.open(p.dir)
	p.stopped(p.prompt(asked, "x"))
	var events []string
	for _, m := range p.all() {
		if m.Method != "_reasonix.io/session/status_update" {
			continue
		}
		var u struct {
			SessionID, Event string
			Sequence         int
			Status           sessionStatus
		}
		decode(t, m.Params, &u)
		if u.SessionID != asked || u.Status.LastActivity == "" || u.Sequence != u.Status.Sequence {
			t.Errorf("%s", m.raw)
		}
		events = append(events, u.Event)
	}
	for _, want := range []string{"phase", "usage", "completion"} {
		if !slices.Contains(events, want) {
			t.Errorf("no %s among %v", want, events)
		}
	}
	p.in.Close()
	p.ends("")
}

// What a project declares and nobody granted stays off and is named; --trust grants it.
func TestUngrantedPartsAreNamed(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		p := prepare(t, fmt.Sprintf(twoModels, "http://127.0.0.1:1/v1"))
		if err := os.WriteFile(filepath.Join(p.dir, "reasonix.toml"), []byte("[permissions]\nallow = [\"Bash(make:*)\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"acp", "--work-mode", "economy", "--add-dir", t.TempDir()}
		if trusted {
			args = append(args, "--trust")
		}
		p.run(t, exec.Command(os.Args[0], args...))
		var opened openedSession
		p.result("session/new", object{"cwd": p.dir, "mcpServers": []any{}}, &opened)
		if off := opened.Meta.Ours.Off; (len(off) == 0) != trusted {
			t.Errorf("trust %v: off %v", trusted, off)
		}
		s := opened.Meta.Ours.Status
		if s.WorkMode.Effective != "economy" || len(s.Sandbox["allow_write"].([]any)) == 0 || s.Sandbox["workspace_root"] != p.dir || s.Sandbox["config_file"] == "" {
			t.Errorf("%+v", s)
		}
		p.in.Close()
		p.ends("")
	}
}
