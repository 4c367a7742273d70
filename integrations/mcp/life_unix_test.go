//go:build unix

package mcp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// pids reads what servers wrote when they started.
func pids(t *testing.T, path string) (all []int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	return all
}

func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// TestMC16NoProcessIsLeft: of a server that a shell started, of one that ignores
// the end of its input, of one that hangs at its start and of one that is started
// in this moment; and what can leave by itself is not killed.
func TestMC16NoProcessIsLeft(t *testing.T) {
	d := newDesk(t)
	d.world.Grace = 500 * time.Millisecond
	dir := t.TempDir()
	starts, left := filepath.Join(dir, "starts"), filepath.Join(dir, "left")
	wrapped := fakeServer("wrapped", "plain", "MCP_TEST_STARTS", starts)
	wrapped.Command, wrapped.Args = "sh", []string{"-c", `"$0" serve; touch "$1"`, self(), left}
	set := d.start(wrapped,
		fakeServer("stubborn", "stubborn", "MCP_TEST_STARTS", starts),
		fakeServer("hangs", "hang-start", "MCP_TEST_STARTS", starts),
		fakeServer("good", "plain", "MCP_TEST_STARTS", starts))
	d.awaitState("wrapped", event.ServerReady)
	d.awaitState("good", event.ServerReady)
	until(t, "four processes", func() bool { return exists(starts) && len(pids(t, starts)) == 4 })
	d.echo(set, "wrapped")
	began := time.Now()
	if err := set.Close(); err != nil {
		t.Error(err)
	}
	for _, pid := range pids(t, starts) {
		if alive(pid) {
			t.Errorf("process %d is left after %s", pid, time.Since(began))
		}
	}
	if !exists(left) {
		t.Error("the wrapped server was killed")
	}
	if _, err := invoke(t.Context(), set, "mcp__good__echo", `{}`); err == nil {
		t.Error("a closed set calls")
	}
	if err := set.Add(fakeServer("late", "plain")); err == nil {
		t.Error("a closed set starts servers")
	}
	if err := set.Close(); err != nil {
		t.Error("closing again:", err)
	}
}

// TestCloseEndsACall: it fails, and the close does not wait for it.
func TestCloseEndsACall(t *testing.T) {
	d := newDesk(t)
	called := filepath.Join(t.TempDir(), "called")
	set := d.ready(fakeServer("s", "hang-call", "MCP_TEST_CALLED", called))
	ended := make(chan error, 1)
	go func() {
		_, err := invoke(t.Context(), set, "mcp__s__echo", `{}`)
		ended <- err
	}()
	until(t, "called", func() bool { return exists(called) })
	_ = set.Close()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
}

// TestActions: disconnect stays until connect, restart is another process, and
// what is added later is found by name.
func TestActions(t *testing.T) {
	d := newDesk(t)
	starts := filepath.Join(t.TempDir(), "starts")
	set := d.ready(fakeServer("s", "plain", "MCP_TEST_STARTS", starts))
	if err := set.Act(t.Context(), "s", "restart"); err != nil {
		t.Fatal(err)
	}
	d.echo(set, "s")
	all := pids(t, starts)
	if len(all) != 2 || alive(all[0]) || !alive(all[1]) {
		t.Errorf("processes %v", all)
	}
	if err := set.Act(t.Context(), "s", "disconnect"); err != nil {
		t.Fatal(err)
	}
	if alive(all[1]) || state(t, set, "s").State != event.ServerStopped {
		t.Error("it runs")
	}
	_, err := invoke(t.Context(), set, "mcp__s__echo", `{}`)
	if err == nil {
		t.Fatal("it answers")
	}
	contains(t, err.Error(), "disconnected")
	if err := set.Act(t.Context(), "s", "connect"); err != nil {
		t.Fatal(err)
	}
	d.echo(set, "s")
	if set.Act(t.Context(), "s", "dance") == nil || set.Act(t.Context(), "nobody", "connect") == nil {
		t.Error("anything goes")
	}
	if err := set.Add(fakeServer("added", "plain")); err != nil {
		t.Fatal(err)
	}
	if set.Add(fakeServer("added", "plain")) == nil {
		t.Error("twice")
	}
	d.awaitState("added", event.ServerReady)
	d.echo(set, "added")
}

// TestDisconnectDoesNotWaitForAStart: nor does anything of it go on.
func TestDisconnectDoesNotWaitForAStart(t *testing.T) {
	d := newDesk(t)
	d.world.Grace = time.Millisecond
	set := d.start(fakeServer("s", "stubborn"))
	d.awaitState("s", event.ServerStarting)
	began := time.Now()
	if err := set.Act(t.Context(), "s", "disconnect"); err != nil || time.Since(began) > patience/2 {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	if s := state(t, set, "s").State; s != event.ServerStopped {
		t.Errorf("it is %s", s)
	}
}

// TestServerInTheSandbox: it starts confined, may write its own directory and its
// temporary one, and not another.
func TestServerInTheSandbox(t *testing.T) {
	d := newDesk(t)
	run := sandbox.New(sandbox.Options{})
	t.Cleanup(func() { _ = run.Close() })
	if way := run.Way(); way == "" {
		t.Log("no sandbox can be had here")
		return
	}
	outside := t.TempDir()
	d.world.Runner = func(mcp.Config) sandbox.Runner { return run }
	d.world.Hold = func(mcp.Config) sandbox.Cmd {
		return sandbox.Cmd{Writable: []string{d.world.Workspace}, Network: true}
	}
	c := fakeServer("s", "plain")
	c.Sandboxed = true
	c.Command, c.Args = "sh", []string{"-c", `touch "$1/no"; touch "$2/yes"; mktemp >"$2/temp"; exec "$0" serve`, self(), outside, d.world.Workspace}
	set := d.ready(c)
	d.echo(set, "s")
	temp, err := os.ReadFile(filepath.Join(d.world.Workspace, "temp"))
	if exists(filepath.Join(outside, "no")) || !exists(filepath.Join(d.world.Workspace, "yes")) ||
		!strings.HasPrefix(string(temp), filepath.Join(d.world.StateDir, "s", "tmp")) {
		t.Errorf("temporary file %q, %v", temp, err)
	}
}
