package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"reasonix/sandbox"
)

// A command can reach whatever serves it, as its parent: these do.

// shed are ways to hide from whoever looks for what a command left. They come on
// top of the escapes.
var shed = map[string]string{
	"without environment": `env -i setsid sh -c 'echo $$ >>pids; exec sleep 999' &`,
	"parent has ended":    `env -i setsid sh -c 'sh -c "echo \$\$ >>pids; exec setsid sleep 999" & exec sleep 0.01' &`,
}

func hostile() map[string]string {
	all := maps.Clone(escapes)
	maps.Copy(all, shed)
	return all
}

// strike is what a command does to its supervisor. A sandbox may not let it; then
// the test does it, see striking.
func strike(signal string) string { return "\nkill -" + signal + " $PPID; : >survived\n" }

// striking sends the signal of a strike in dir from outside if the one from inside
// is without effect. It ends with the test's context.
func striking(t *testing.T, dir string, signal syscall.Signal) {
	var done sync.WaitGroup
	t.Cleanup(done.Wait)
	ctx := t.Context()
	done.Go(func() {
		until(ctx, func() bool {
			_, err := os.Stat(filepath.Join(dir, "survived"))
			return err == nil
		})
		if pid := supervisorOf(dir); pid > 0 {
			_ = syscall.Kill(pid, signal)
		}
	})
}

// until polls a condition of another process, not longer than ctx lasts.
func until(ctx context.Context, ok func() bool) {
	for !ok() && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
}

// mustBePrompt fails a test of which one step takes long.
func mustBePrompt(t *testing.T, start time.Time) {
	t.Helper()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// killedSupervisor has one case more: a nested owner, with a supervisor of its own.
func killedSupervisor(t *testing.T, r sandbox.Runner) {
	t.Run("nested owner", func(t *testing.T) {
		dir := t.TempDir()
		script(t, dir, "echo $$ $PPID >>pids; exec sleep 999")
		nested := ownerCommand(t, "/SupervisorThatIsKilled", dir)
		cmd := shIn(dir, `(setsid "$0" "$@" &)`+noted+strike("9")+"exec sleep 999", nil)
		cmd.Argv = append(cmd.Argv, nested.Args...)
		cmd.Env = append(append(cmd.Env, nested.Env...), nestedEnv+"=1", "TMPDIR="+dir)
		striking(t, dir, syscall.SIGKILL)
		if _, err := r.Run(timely(t), cmd); err == nil {
			t.Error("want an error")
		}
		mustBeGone(t, dir, 3*time.Second) // the nested supervisor may be at it still
	})
	for name, script := range hostile() {
		t.Run(name, func(t *testing.T) {
			cmd := sh(t, script+noted+"echo $$ >>pids"+strike("9")+"exec sleep 999", nil)
			striking(t, cmd.Dir, syscall.SIGKILL)
			start := time.Now()
			if _, err := r.Run(timely(t), cmd); err == nil {
				t.Error("want an error")
			}
			mustBePrompt(t, start)
			mustBeGone(t, cmd.Dir, 3*time.Second) // killed, but perhaps not reaped yet
			mustRun(t, r, sh(t, ":", nil))        // the session goes on
		})
	}
}

// othersOfTheOwner expects that what does not belong to the command stays: a
// child of the owner's, a process that one left behind, and another command with
// a background process.
func othersOfTheOwner(t *testing.T, r sandbox.Runner) {
	mustRun(t, r, sh(t, ":", nil))
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), "/bin/sh", "-c", "(sleep 999 & echo $! >>pids); echo $$ >>pids; exec sleep 999")
	child.Dir = dir
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, pid := range pids(dir) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = child.Wait()
	}()
	ctx, cancel := context.WithCancelCause(timely(t))
	defer cancel(nil)
	out := &gate{want: "ready", open: make(chan struct{})}
	beside := sh(t, escapes["own session"]+noted+"echo ready; exec sleep 999", out)
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, beside)
		ended <- err
	}()
	<-out.open
	within(t, 5*time.Second, "the owner's child runs", func() bool { return len(pids(dir)) == 2 })

	killing := sh(t, "setsid sleep 999 &"+strike("9")+"exec sleep 999", nil)
	striking(t, killing.Dir, syscall.SIGKILL)
	if _, err := r.Run(timely(t), killing); err == nil {
		t.Error("want an error")
	}
	for _, pid := range pids(dir) {
		if !living(pid) {
			t.Errorf("process %d of others was ended", pid)
		}
	}
	if n := len(livingIn(beside.Dir)); n < 2 {
		t.Errorf("of the command beside it %d processes are left, want 2", n)
	}
	cancel(errStop)
	if err := <-ended; !errors.Is(err, errStop) {
		t.Errorf("the command beside it: %v", err)
	}
	mustBeGone(t, beside.Dir, 0)
}

// stoppedAtACancel runs all at once: each waits until its supervisor has had its
// time.
func stoppedAtACancel(t *testing.T, r sandbox.Runner) {
	var all sync.WaitGroup
	for name, script := range hostile() {
		all.Go(func() {
			ctx, cancel := context.WithCancelCause(timely(t))
			var stopped time.Time
			out := &gate{want: "ready", open: make(chan struct{})}
			cmd := sh(t, script+noted+"echo $$ >>pids"+strike("STOP")+"echo ready; exec sleep 999", out)
			go func() {
				<-out.open
				stopSupervisor(cmd.Dir)
				stopped = time.Now()
				cancel(errStop)
			}()
			if _, err := r.Run(ctx, cmd); !errors.Is(err, errStop) {
				t.Errorf("%s: got %v", name, err)
			}
			if took := time.Since(stopped); took > 5*time.Second {
				t.Errorf("%s: took %v", name, took)
			}
			mustBeGone(t, cmd.Dir, 0)
		})
	}
	all.Wait()
	mustRun(t, r, sh(t, ":", nil))
}

// stopSupervisor does what the command itself could not.
func stopSupervisor(dir string) {
	if pid := supervisorOf(dir); pid > 0 {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
}

func stoppedAtClose(t *testing.T, r sandbox.Runner) {
	out := &gate{want: "ready", open: make(chan struct{})}
	cmd := sh(t, shed["without environment"]+noted+"echo $$ >>pids"+strike("STOP")+"echo ready; exec sleep 999", out)
	failed := make(chan error, 1)
	go func() {
		_, err := r.Run(timely(t), cmd)
		failed <- err
	}()
	<-out.open
	stopSupervisor(cmd.Dir)
	if err := r.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	mustBeGone(t, cmd.Dir, 0)
	if err := <-failed; !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// living tells whether a process runs; a zombie does not.
func living(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}
