//go:build !windows

package durable_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"reasonix/core/durable"
)

func TestWriteFileModes(t *testing.T) {
	tests := []struct {
		name      string
		old, perm os.FileMode // old 0: no file yet
		want      os.FileMode
	}{
		{"new file, no wish", 0, 0, 0o600},
		{"new file beyond the umask", 0, 0o666, 0o666},
		{"existing mode kept", 0o751, 0, 0o751},
		{"mode forced", 0o644, 0o600, 0o600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if tt.old != 0 {
				noErr(t, os.WriteFile(path, nil, 0o600))
				noErr(t, os.Chmod(path, tt.old))
			}
			noErr(t, durable.WriteFile(path, []byte("x"), tt.perm))
			info, err := os.Stat(path)
			noErr(t, err)
			if info.Mode().Perm() != tt.want {
				t.Errorf("got %o, want %o", info.Mode().Perm(), tt.want)
			}
		})
	}
}

func TestWriteFileKeepsSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	noErr(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	target := filepath.Join(dir, "real", "f")
	link := filepath.Join(dir, "link")
	link2 := filepath.Join(dir, "link2")
	noErr(t, os.Symlink(filepath.Join("real", "f"), link))
	noErr(t, os.Symlink("link", link2))
	// The first write finds a dangling chain and makes what it names.
	for _, text := range []string{"one", "two"} {
		noErr(t, durable.WriteFile(link2, []byte(text), 0))
		if got := fileText(t, target); got != text {
			t.Errorf("target: got %q, want %q", got, text)
		}
	}
	for _, l := range []string{link, link2} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no longer a link (%v)", l, err)
		}
	}
}

// Readers beside two writers see one of the two texts, whole.
func TestWriteFileIsWholeForReadersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	a, b := bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<15)
	noErr(t, durable.WriteFile(path, a, 0))
	var wg sync.WaitGroup
	errs := make(chan error, 4)
	for _, text := range [][]byte{a, b} {
		wg.Go(func() {
			for range 20 {
				if err := durable.WriteFile(path, text, 0); err != nil {
					errs <- err
					return
				}
			}
		})
		wg.Go(func() {
			for range 100 {
				got, err := os.ReadFile(path)
				if err != nil || (!bytes.Equal(got, a) && !bytes.Equal(got, b)) {
					errs <- fmt.Errorf("read %d bytes: %w", len(got), err)
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	wantOnly(t, dir, "f")
}
