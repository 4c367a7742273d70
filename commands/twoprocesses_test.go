package commands_test

import (
	"bufio"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// SE-07: while one process writes a session, a second is refused and told who has it,
// can look on, and can go on with a copy; when the first is killed, the session is the
// second's.
func TestSE07TwoProcessesOnOneSession(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	v.model.Respond(func(r *providertest.Received) providertest.Reply {
		if strings.Contains(string(r.Body), "go on") {
			return providertest.Text("gone on")
		}
		return providertest.Calls(shell("sleep 60"))
	})
	first := v.command("run", "--output-format", "events", "work")
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), `"type":"tool.started"`) {
				close(begun)
			}
		}
	}()
	<-begun
	infos, err := v.host().Sessions(t.Context(), protocol.Query{Workspace: v.workspace})
	if err != nil || len(infos) != 1 {
		t.Fatalf("%v, %v", infos, err)
	}
	id := infos[0].ID

	refused, err := v.command("run", "--session", string(id), "go on").CombinedOutput()
	if text := string(refused); err == nil || !strings.Contains(text, "pid ") || !strings.Contains(text, "--fork") {
		t.Errorf("the second: %v\n%s", err, text)
	}
	view, err := v.host().Open(t.Context(), protocol.Spec{Session: id, Workspace: v.workspace, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := protocoltest.Collect(t.Context(), view, 0)
	protocoltest.Wait[event.ToolStarted](t, seen, nil)
	if out, err := v.command("run", "--session", string(id), "--fork", "go on").CombinedOutput(); err != nil {
		t.Errorf("the copy: %v\n%s", err, out)
	}

	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // killed
	if out, err := v.command("run", "--session", string(id), "go on").CombinedOutput(); err != nil {
		t.Errorf("after the kill: %v\n%s", err, out)
	}
	opened := protocoltest.Wait(t, seen, func(o event.Opened) bool { return o.Reason != event.OpenedNew })
	if opened.Reason != event.OpenedTakenOver {
		t.Errorf("opened %+v", opened)
	}
	protocoltest.Wait(t, seen, func(e event.TurnEnded) bool { return e.Outcome == event.Completed })
	if err := view.Close(); err != nil {
		t.Error(err)
	}
	if all, _ := filepath.Glob(filepath.Join(v.home, "projects", "*", "sessions", "*.jsonl")); len(all) != 2 {
		t.Errorf("journals %v, want the session and its copy", all)
	}
}
