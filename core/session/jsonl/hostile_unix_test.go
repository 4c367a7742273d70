//go:build unix

package jsonl_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/session"
)

// hostile are things that may lie in a file's place.
var hostile = map[string]func(path string) error{
	"pipe":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
	"device": func(p string) error { return os.Symlink("/dev/zero", p) },
	"hole":   func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 3<<30)) },
}

// soon fails the test when f does not return within two seconds, or, when what is
// about a hole, of which 64 MB are read, within twenty: that is work, and a busy
// machine takes its time for it.
func soon(t *testing.T, what string, f func() error) error {
	t.Helper()
	limit := 2 * time.Second
	if strings.HasPrefix(what, "hole") {
		limit *= 10
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		t.Fatalf("%s does not return", what)
		return nil
	}
}

func TestAHostileJournalIsAnErrorAtOnce(t *testing.T) {
	const bad event.SessionID = "20260102-150406-a1b2c3"
	for what, put := range hostile {
		s, dir := newJournal(t, note(1))
		noErr(t, put(filepath.Join(dir, string(bad)+".jsonl")))
		err := soon(t, what+": open", func() error { _, err := s.Open(t.Context(), bad); return err })
		if err == nil || !strings.Contains(err.Error(), string(bad)) {
			t.Errorf("%s: open: %v, want an error with the session's name", what, err)
		}
		err = soon(t, what+": read", func() error {
			var all []error
			for _, err := range s.Read(t.Context(), bad, 0) {
				all = append(all, err)
			}
			return errors.Join(all...)
		})
		if err == nil || !strings.Contains(err.Error(), string(bad)) {
			t.Errorf("%s: read: %v, want an error with the session's name", what, err)
		}
		err = soon(t, what+": list", func() error {
			list, err := s.List(t.Context(), session.Query{})
			if len(list) != 1 || list[0].ID != id {
				t.Errorf("%s: the list is %v, want the good session", what, list)
			}
			return err
		})
		noErr(t, err)
		noErr(t, soon(t, what+": delete", func() error { return s.Delete(t.Context(), bad) }))
	}
}

func TestAHostileLockIsAnErrorAtOnce(t *testing.T) {
	for what, put := range hostile {
		s, dir := newJournal(t, note(1))
		path := filepath.Join(dir, string(id)+".lock")
		noErr(t, os.Remove(path))
		noErr(t, put(path))
		err := soon(t, what, func() error {
			l, err := s.Open(t.Context(), id)
			if err == nil {
				err = l.Close()
			}
			return err
		})
		if bad := what != "hole"; bad != (err != nil) || bad && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error with the file's name; a large lock file is one all the same", what, err)
		}
	}
}

func TestHostileBytesBesideASessionAreAnErrorAtOnce(t *testing.T) {
	for what, put := range hostile {
		s, _ := newJournal(t, note(1))
		hash, path, err := s.Save(t.Context(), id, strings.NewReader("x"))
		noErr(t, err)
		noErr(t, os.Remove(path))
		noErr(t, put(path))
		err = soon(t, what, func() error { _, err := s.Load(t.Context(), id, hash); return err })
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error with the file's name", what, err)
		}
	}
}
