package durable_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/durable"
)

// What the kernel makes up looks regular. The program's own files are never there.
func TestOpenRefusesTheKernelsFiles(t *testing.T) {
	for _, target := range []string{"/proc/kmsg", "/proc/self/status", "/proc/self/pagemap", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		if _, err := os.Stat(target); err != nil {
			continue // not every machine has all
		}
		link := filepath.Join(t.TempDir(), "f")
		noErr(t, os.Symlink(target, link))
		err := soon(t, target, func() error { _, err := durable.ReadFile(link, 1<<20); return err })
		if errors.Is(err, fs.ErrPermission) {
			continue // kmsg is root's
		}
		if !errors.Is(err, durable.ErrNotRegular) || !strings.Contains(err.Error(), link) {
			t.Errorf("%s: %v, want not a regular file", target, err)
		}
	}
}

func TestNoWaitReadsWhatIsThere(t *testing.T) {
	f, err := durable.OpenNoWait("/proc/self/status")
	noErr(t, err)
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil || !strings.Contains(string(text), "Name:") {
		t.Errorf("got %q, %v", text, err)
	}
}

// The kernel's log is the well-known regular file that blocks. Who may not open it
// gets that as the error, at once too.
func TestNoWaitDoesNotWaitForTheKernelsLog(t *testing.T) {
	err := soon(t, "/proc/kmsg", func() error {
		f, err := durable.OpenNoWait("/proc/kmsg")
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(io.Discard, f)
		return err
	})
	if !errors.Is(err, durable.ErrWouldWait) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it would wait", err)
	}
}
