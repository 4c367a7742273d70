package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"reasonix/core/durable"
)

// A session's temporary directory goes when it closes; one that a killed session
// left goes with the next session, and a living session's stays.
func TestTemporaryDirectoriesOfKilledSessionsGo(t *testing.T) {
	root := filepath.Join(t.TempDir(), "tmp")
	living, err := openTemporary(root, "living")
	if err != nil {
		t.Fatal(err)
	}
	killed, err := openTemporary(root, "killed")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{living.dir, killed.dir} {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := killed.lock.Release(); err != nil { // what the system does with its process
		t.Fatal(err)
	}
	next, err := openTemporary(root, "next")
	if err != nil {
		t.Fatal(err)
	}
	names(t, root, "living", "living.lock", "next", "next.lock")
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(living.dir, "f")); err != nil {
		t.Error(err)
	}
	if _, err := durable.Acquire(living.dir + lockSuffix); err == nil {
		t.Error("the living session's lock could be taken")
	}
	if err := living.Close(); err != nil {
		t.Error(err)
	}
	names(t, root)
}

func names(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// Many that start and end at once neither fail nor leave anything.
func TestSweepingDisturbsNobodyWhoStarts(t *testing.T) {
	root := filepath.Join(t.TempDir(), "tmp")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 20 {
				one, err := openTemporary(root, fmt.Sprintf("s%d-%d", i, j))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(one.dir); err != nil {
					t.Error(err)
				}
				if err := one.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	names(t, root)
}
