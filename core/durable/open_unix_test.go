//go:build unix

package durable_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/durable"
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

func TestNothingWaitsForWhatIsNoRegularFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "d") // the name of a socket must be short
	noErr(t, err)
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	noErr(t, syscall.Mkfifo(in("pipe"), 0o600))
	noErr(t, os.Symlink("/dev/zero", in("zero")))
	noErr(t, os.Symlink("pipe", in("link")))
	noErr(t, os.Mkdir(in("dir"), 0o700))
	l, err := net.Listen("unix", in("socket"))
	noErr(t, err)
	defer l.Close()
	root, err := os.OpenRoot(dir)
	noErr(t, err)
	defer root.Close()
	ways := map[string]func(string) error{
		"Open":     func(name string) error { _, err := durable.Open(in(name)); return err },
		"OpenIn":   func(name string) error { _, err := durable.OpenIn(root, name); return err },
		"ReadFile": func(name string) error { _, err := durable.ReadFile(in(name), 1<<20); return err },
		"NoWait":   func(name string) error { _, err := durable.OpenNoWait(in(name)); return err },
		"Lines":    func(name string) error { _, err := durable.OpenLines(in(name), nil); return err },
		"Lock":     func(name string) error { _, err := durable.Acquire(in(name)); return err },
	}
	for name, kind := range map[string]string{
		"pipe": "named pipe", "link": "named pipe", "zero": "device", "socket": "socket", "dir": "directory",
	} {
		for way, try := range ways {
			want := kind
			switch {
			case way == "OpenIn" && name == "zero":
				continue // out of the root: another error, tested elsewhere
			case way == "Lock" && (name == "link" || name == "zero"):
				want = "link" // where it leads does not count
			}
			err := soon(t, way+" of a "+kind, func() error { return try(name) })
			if !errors.Is(err, durable.ErrNotRegular) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %s: %v, want not a regular file (%s)", way, name, err, want)
			}
		}
	}
}

// A lock file that is a link would have its target written to.
func TestLockWritesThroughNoLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	noErr(t, os.WriteFile(target, []byte("keep"), 0o600))
	noErr(t, os.Symlink("target", filepath.Join(dir, "x.lock")))
	if _, err := durable.Acquire(filepath.Join(dir, "x.lock")); !errors.Is(err, durable.ErrNotRegular) {
		t.Errorf("got %v, want not a regular file", err)
	}
	if got := fileText(t, target); got != "keep" {
		t.Errorf("the target says %q", got)
	}
}

// Open of a missing file is the io/fs error, as ever.
func TestOpenOfNothing(t *testing.T) {
	if _, err := durable.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
