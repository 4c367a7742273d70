//go:build unix

package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/durable"
	"reasonix/core/workspace"
)

// soon fails the test when f does not return within two seconds.
func soon(t *testing.T, what string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(2 * time.Second):
		t.Fatalf("%s does not return", what)
		return nil
	}
}

// A read waits for nobody, and takes no more memory than MaxFile.
func TestReadWaitsForNothing(t *testing.T) {
	p := newPlace(t, nil)
	noErr(t, syscall.Mkfifo(p.at("w/fifo"), 0o600))
	p.link("fifo", "w/link")
	p.link("/dev/zero", "w/zero")
	p.link("/proc/kmsg", "w/log")
	p.put("w/hole", "")
	noErr(t, os.Truncate(p.at("w/hole"), 3<<30))
	for name, want := range map[string][]error{
		"fifo": {workspace.ErrNotRegular},
		"link": {workspace.ErrNotRegular},
		"zero": {workspace.ErrNotRegular},
		"hole": {workspace.ErrTooLarge},
		// Not every system has these, and not every user may read them.
		"log": {durable.ErrWouldWait, fs.ErrPermission, fs.ErrNotExist},
	} {
		err := soon(t, name, func() error {
			abs, err := p.fs.ReadPath(name)
			if err != nil {
				return err
			}
			_, err = p.fs.ReadFile(t.Context(), abs)
			return err
		})
		known := false
		for _, e := range want {
			known = known || errors.Is(err, e)
		}
		var pe *workspace.PathError
		if !known || !errors.As(err, &pe) || strings.Count(err.Error(), pe.Path) != 1 {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
