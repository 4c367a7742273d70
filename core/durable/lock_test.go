package durable_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/durable"
)

const holdEnv = "DURABLE_TEST_HOLD"

// TestMain lets the test binary be the other process: it takes the lock, says so and
// keeps it until its input ends.
func TestMain(m *testing.M) {
	path := os.Getenv(holdEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	if _, err := durable.Acquire(path); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	bufio.NewReader(os.Stdin).ReadByte()
}

func TestLockIsHeldOnceAndNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := durable.Acquire(path)
	noErr(t, err)
	_, err = durable.Acquire(path)
	held, ok := errors.AsType[*durable.HeldError](err)
	if want := fmt.Sprintf("pid %d on ", os.Getpid()); !ok || !strings.HasPrefix(held.Holder, want) || held.Path != path {
		t.Fatalf("second: %v, want held by %q", err, want)
	}
	noErr(t, l.Release())
	noErr(t, l.Release())
	l, err = durable.Acquire(path)
	noErr(t, err)
	noErr(t, l.Release())
}

func TestLockOfARemovedFileIsNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := durable.Acquire(path)
	noErr(t, err)
	if err := os.Remove(path); err != nil {
		return // Windows refuses, so that nothing can go wrong
	}
	second, err := durable.Acquire(path)
	noErr(t, err)
	if _, err := durable.Acquire(path); err == nil {
		t.Error("the new file is not locked")
	}
	noErr(t, first.Release())
	if _, err := durable.Acquire(path); err == nil {
		t.Error("releasing the old file freed the new one")
	}
	noErr(t, second.Release())
}

func TestKillFreesTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+path)
	in, err := cmd.StdinPipe()
	noErr(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	noErr(t, err)
	noErr(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("child says %q, %v", line, err)
	}
	_, err = durable.Acquire(path)
	held, ok := errors.AsType[*durable.HeldError](err)
	if want := fmt.Sprintf("pid %d on ", cmd.Process.Pid); !ok || !strings.HasPrefix(held.Holder, want) {
		t.Errorf("beside the child: %v, want held by %q", err, want)
	}
	noErr(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	l, err := durable.Acquire(path)
	noErr(t, err)
	noErr(t, l.Release())
}
