package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/sandbox"
)

// A command can kill its supervisor. That costs the call, not the session, and
// what shares the command's session is still ended.
func TestCommandThatKillsItsSupervisor(t *testing.T) {
	r := sandbox.NewOff()
	defer r.Close()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := func(script string) error {
		_, err := r.Run(ctx, sandbox.Cmd{Argv: []string{"/bin/sh", "-c", script}, Dir: dir, Env: os.Environ()})
		return err
	}
	failed := make(chan error, 1)
	go func() {
		failed <- run("sleep 999 & echo $! >pid; while [ ! -e go ]; do sleep 0.01; done; kill -9 $PPID; sleep 999")
	}()
	until(t, "the command runs", func() bool { return pidIn(dir) > 0 })
	if err := run("touch go"); err != nil { // on a supervisor of its own
		t.Errorf("beside it: %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("want an error")
	}
	until(t, "the background process is gone", func() bool { return syscall.Kill(pidIn(dir), 0) != nil })
	if err := run(":"); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// The error says how the supervisor ended, and what it said itself.
func TestSupervisorLeavesALastWord(t *testing.T) {
	r := sandbox.NewOff()
	defer r.Close()
	for signal, want := range map[string]string{
		"KILL": "supervisor is gone: signal: killed",
		"ABRT": "supervisor is gone: exit status 2: SIGABRT: abort",
		"SEGV": "supervisor is gone: exit status 2: SIGSEGV: segmentation violation",
	} {
		_, err := r.Run(t.Context(), sandbox.Cmd{
			Argv: []string{"/bin/sh", "-c", "kill -" + signal + " $PPID; exec sleep 999"}, Dir: t.TempDir(), Env: os.Environ(),
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", signal, err, want)
		}
	}
}

func pidIn(dir string) int {
	data, _ := os.ReadFile(filepath.Join(dir, "pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid
}

// An idle supervisor that died is replaced without anybody noticing.
func TestIdleSupervisorThatDiedIsReplaced(t *testing.T) {
	r := sandbox.NewOff()
	defer r.Close()
	var out bytes.Buffer
	cmd := sandbox.Cmd{Argv: []string{"/bin/sh", "-c", "echo $PPID"}, Dir: t.TempDir(), Env: os.Environ(), Out: &out}
	if _, err := r.Run(t.Context(), cmd); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	proc := "/proc/" + strconv.Itoa(pid)
	until(t, "every thread of the supervisor is dead", func() bool {
		stat, err := os.ReadFile(proc + "/stat")
		threads, _ := os.ReadDir(proc + "/task")
		return err != nil || strings.Contains(string(stat), ") Z ") && len(threads) <= 1
	})
	if exit, err := r.Run(t.Context(), cmd); err != nil || exit.Code != 0 {
		t.Errorf("got %+v, %v", exit, err)
	}
}

// until polls a condition of another process.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
