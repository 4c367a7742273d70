package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullDisk is a file on a disk with room for so many more bytes.
type fullDisk struct {
	*os.File
	room      int
	truncates error // what Truncate fails with
	silent    bool  // short writes without an error
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.File.Write(p)
	}
	n, err := d.File.Write(p[:d.room])
	d.room = 0
	if err == nil && !d.silent {
		err = &os.PathError{Op: "write", Path: d.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (d *fullDisk) Truncate(size int64) error {
	if d.truncates != nil {
		return d.truncates
	}
	return d.File.Truncate(size)
}

func newFullDisk(t *testing.T, room int) (*Lines, *fullDisk) {
	t.Helper()
	l, err := CreateLines(filepath.Join(t.TempDir(), "log"), []byte("first\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	d := &fullDisk{File: l.file.(osFile).File, room: room}
	l.file = d
	return l, d
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("file: %q, %v, want %q", got, err, want)
	}
}

// SE-15: a full disk costs the batch in flight; old lines stay, and when there is
// room again the next batch starts on its own line.
func TestSE15FullDiskLeavesNoHalfLine(t *testing.T) {
	for _, silent := range []bool{false, true} {
		l, d := newFullDisk(t, 4)
		d.silent = silent
		err := l.Append([]byte("second\nthird\n"))
		if err == nil || !strings.Contains(err.Error(), "append to "+l.path) {
			t.Fatalf("append: %v, want an error naming the file", err)
		}
		if !silent && !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("append: %v, want ENOSPC", err)
		}
		wantText(t, l.path, "first\n")
		d.room = 100
		if err := l.Append([]byte("second\n")); err != nil {
			t.Fatal(err)
		}
		wantText(t, l.path, "first\nsecond\n")
		if got, want := l.Size(), int64(len("first\nsecond\n")); got != want {
			t.Errorf("size %d, want %d", got, want)
		}
	}
}

func TestHalfLineThatCannotBeTakenBackIsTakenBackLater(t *testing.T) {
	l, d := newFullDisk(t, 4)
	d.truncates = syscall.EIO
	if err := l.Append([]byte("second\n")); !errors.Is(err, syscall.EIO) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("append: %v, want both causes", err)
	}
	d.room = 100
	if err := l.Append([]byte("second\n")); !errors.Is(err, syscall.EIO) {
		t.Fatalf("append behind half a line: %v", err)
	}
	wantText(t, l.path, "first\nseco")
	d.truncates = nil
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	wantText(t, l.path, "first\n")
}

func TestCreateOnAFullDiskLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if _, err := CreateLines(path, []byte("no newline")); err == nil {
		t.Fatal("created")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat: %v, want nothing there", err)
	}
}
