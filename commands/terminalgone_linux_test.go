package commands_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"reasonix/core/provider/providertest"
)

// SE-04: the terminal goes away in the middle of a turn. What was done is saved, the
// process is gone, and that session is the one that is gone on with.
func TestSE04TheTerminalGoesAway(t *testing.T) {
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	v := newVictim(t, providertest.New(t, providertest.Text("an older answer"),
		providertest.Calls(providertest.Call{Name: "write_file", Arguments: `{"path":"made","content":"kept\n"}`}),
		providertest.Text("never comes").GateAt(0, held), providertest.Text("going on")))
	if out, err := v.command("run", "older work").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := v.command("run", "--on-ask", "prompt", "--permission-mode", "yolo", "newer work")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.model.Wait(t.Context(), 3); err != nil { // the file is written, the answer is awaited
		t.Fatal(err)
	}
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatal("the process stays without its terminal")
	}
	out, err := v.command("session", "list").CombinedOutput()
	if first, _, _ := strings.Cut(string(out), "older work"); err != nil || !strings.Contains(first, "newer work") {
		t.Fatalf("%v: the newest session is not first:\n%s", err, out)
	}
	if out, err := v.command("run", "--continue", "go on").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	requests := v.model.Requests()
	if body := string(requests[len(requests)-1].Body); !strings.Contains(body, "newer work") || !strings.Contains(body, "write_file") {
		t.Errorf("what goes on is not that session: %s", body[max(0, len(body)-600):])
	}
	if made, err := os.ReadFile(filepath.Join(v.workspace, "made")); err != nil || string(made) != "kept\n" {
		t.Errorf("%v, %q", err, made)
	}
}
