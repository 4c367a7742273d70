//go:build unix

package durable_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"reasonix/core/durable"
)

// A killed holder's lock may live on for a moment in a child that was being
// started: whoever comes then waits for it instead of being refused.
func TestALockOutlivesItsKilledHolderForAMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, " pid %d on %s\n", dead.Process.Pid, host), 0o600); err != nil {
		t.Fatal(err)
	}
	child := flock.New(path)
	if err := child.Lock(); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		l, err := durable.Acquire(path)
		if err == nil {
			err = l.Release()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("did not wait: %v", err)
	default:
	}
	if err := child.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}
