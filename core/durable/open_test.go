package durable_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/durable"
)

func TestReadFileIsWholeUpToItsLimit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	noErr(t, os.WriteFile(path, []byte("12345"), 0o600))
	for _, limit := range []int64{5, 6, 1 << 40} {
		got, err := durable.ReadFile(path, limit)
		noErr(t, err)
		if d := cmp.Diff("12345", string(got)); d != "" {
			t.Errorf("limit %d: -want +got\n%s", limit, d)
		}
	}
	_, err := durable.ReadFile(path, 4)
	want := "read " + path + ": too large: 5 bytes, the limit is 4"
	if !errors.Is(err, durable.ErrTooLarge) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := durable.ReadFile(filepath.Join(dir, "none"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := durable.ReadFile(dir, 4); !errors.Is(err, durable.ErrNotRegular) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
}

// A file with a hole costs no memory: its size alone refuses it.
func TestReadFileRefusesAFileOfGigabytes(t *testing.T) {
	path := sparse(t, 3<<30)
	if _, err := durable.ReadFile(path, 1<<20); !errors.Is(err, durable.ErrTooLarge) {
		t.Errorf("got %v, want too large", err)
	}
}

// The same with a name: "open" says where, and no link leads out of the root.
func TestOpenInStaysInItsRoot(t *testing.T) {
	dir := t.TempDir()
	noErr(t, os.WriteFile(filepath.Join(dir, "out"), []byte("secret"), 0o600))
	noErr(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
	noErr(t, os.WriteFile(filepath.Join(dir, "in", "f"), []byte("text"), 0o600))
	root, err := os.OpenRoot(filepath.Join(dir, "in"))
	noErr(t, err)
	defer root.Close()
	f, err := durable.OpenIn(root, "f")
	noErr(t, err)
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	if os.Symlink(filepath.Join("..", "out"), filepath.Join(dir, "in", "link")) != nil {
		return // Windows without the right to make links
	}
	if f, err := durable.OpenIn(root, "link"); err == nil {
		t.Errorf("a link leads out of the root: %v", f.Close())
	}
}

func TestOpenLinesRefusesAnEndlessLastLine(t *testing.T) {
	path := sparse(t, 3<<30)
	if _, err := durable.OpenLines(path, nil); !errors.Is(err, durable.ErrTooLarge) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want too large, with the file's name", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 3<<30 {
		t.Errorf("the file did not stay as it was: %v %v", info, err)
	}
}

// A hole at the end of a file that has lines is ended, and stays.
func TestOpenLinesEndsALastLineThatIsTooLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	noErr(t, os.WriteFile(path, []byte("first\n"), 0o600))
	const size = durable.MaxTail + 1<<20
	noErr(t, os.Truncate(path, size))
	l, err := durable.OpenLines(path, nil)
	noErr(t, err)
	noErr(t, l.Append([]byte("second\n")))
	noErr(t, l.Close())
	f, err := os.Open(path)
	noErr(t, err)
	defer f.Close()
	end := make([]byte, 16)
	n, err := f.ReadAt(end, size-1)
	if got := string(end[:n]); got != "\x00\nsecond\n" {
		t.Errorf("behind the hole: %q, %v", got, err)
	}
}

// sparse makes a file of size bytes that takes no room on the disk.
func sparse(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	noErr(t, err)
	defer f.Close()
	noErr(t, f.Truncate(size))
	return path
}
