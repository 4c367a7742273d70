package durable_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/durable"
)

func TestWriteFileReplacesWholeAndLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.txt")
	for _, text := range []string{"long first text", "short", ""} {
		if err := durable.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := fileText(t, path); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	wantOnly(t, dir, "f.txt")
}

func TestWriteFileRefuses(t *testing.T) {
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop")
	tests := []struct{ name, path, want string }{
		{"a directory", dir, "not a regular file"},
		{"a missing directory", filepath.Join(dir, "none", "f"), "none"},
	}
	if os.Symlink("loop", loop) == nil {
		tests = append(tests, struct{ name, path, want string }{"a loop", loop, "too many symbolic links"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := durable.WriteFile(tt.path, []byte("x"), 0)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	noErr(t, err)
	return string(b)
}

func wantOnly(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	noErr(t, err)
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("directory holds %v, want only %s", entries, name)
	}
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
