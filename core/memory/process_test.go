package memory_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"reasonix/core/memory"
)

// TestMain is also the second process of a test.
func TestMain(m *testing.M) {
	if dir := os.Getenv("MEMORY_WRITER"); dir != "" {
		if err := contend(dir, os.Getenv("MEMORY_FACT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const changes = 15

// contend changes one fact, which others change, too, and adds facts of its own.
func contend(dir, id string) error {
	s := memory.Open(memory.Dirs{Project: dir}, memory.Options{})
	for i := range changes {
		if err := change(s, id, fmt.Sprintf("%d of process %d", i, os.Getpid())); err != nil {
			return err
		}
	}
	_, err := s.Save(memory.Draft{Title: fmt.Sprintf("of %d", os.Getpid()), Body: "b"})
	return err
}

func change(s *memory.Store, id, body string) error {
	for {
		f, err := s.Get(id)
		if err != nil {
			return err
		}
		draft := f.Draft()
		draft.Body = body
		_, err = s.Save(draft)
		var conflict *memory.ConflictError
		if !errors.As(err, &conflict) {
			return err
		}
	}
}

func TestTwoProcessesLoseNoRevision(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "MEMORY_WRITER="+d.dirs.Project, "MEMORY_FACT="+f.ID)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	got, err := d.Get(f.ID)
	if err != nil || got.Revision != 1+2*changes || got.Edited {
		t.Errorf("got %+v, %v", got, err)
	}
	old, err := d.Revisions(f.ID)
	if err != nil || len(old) != 2*changes {
		t.Errorf("%d old revisions, %v", len(old), err)
	}
	if found := d.list(memory.Filter{}); len(found.Facts) != 3 || len(found.Problems) != 0 {
		t.Errorf("%d facts, problems %v", len(found.Facts), found.Problems)
	}
}
