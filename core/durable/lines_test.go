package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"reasonix/core/durable"
)

func TestLinesAppendAndReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := durable.CreateLines(path, []byte("a\n"))
	noErr(t, err)
	noErr(t, l.Append([]byte("b\nc\n")))
	noErr(t, l.Append(nil))
	noErr(t, l.Sync())
	noErr(t, l.Close())
	noErr(t, l.Close())
	if err := l.Append([]byte("d\n")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	if err := l.Sync(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("sync after close: %v", err)
	}
	if _, err := durable.CreateLines(path, []byte("x\n")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create over a file: %v", err)
	}
	l, err = durable.OpenLines(path, nil)
	noErr(t, err)
	noErr(t, l.Append([]byte("d\n")))
	noErr(t, l.Close())
	if got := fileText(t, path); got != "a\nb\nc\nd\n" {
		t.Errorf("file: %q", got)
	}
	if _, err := durable.OpenLines(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open nothing: %v", err)
	}
}

func TestOpenLinesMendsTheTail(t *testing.T) {
	isWhole := func(tail []byte) bool { return string(tail) == "whole" }
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct{ name, text, want, torn string }{
		{"nothing", "", "", ""},
		{"clean", "a\n", "a\n", ""},
		{"torn", "a\nb", "a\n", "b"},
		{"torn long", "a\n" + long, "a\n", long},
		{"torn first", "b", "", "b"},
		{"only the newline missing", "a\nwhole", "a\nwhole\n", ""},
		{"zeros of a power loss", "a\n\x00\x00\x00", "a\n", "\x00\x00\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			noErr(t, os.WriteFile(path, []byte(c.text), 0o600))
			l, err := durable.OpenLines(path, isWhole)
			noErr(t, err)
			if string(l.Torn()) != c.torn {
				t.Errorf("torn %d bytes, want %d", len(l.Torn()), len(c.torn))
			}
			noErr(t, l.Append([]byte("next\n")))
			noErr(t, l.Close())
			if got := fileText(t, path); got != c.want+"next\n" {
				t.Errorf("file %q, want %q", got, c.want+"next\n")
			}
		})
	}
}

func TestBatchesOfManyGoroutinesStayWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := durable.CreateLines(path, []byte("\n"))
	noErr(t, err)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 50 {
				if err := l.Append(fmt.Appendf(nil, "%d begin\n%d end\n", g, g)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	noErr(t, l.Close())
	lines := strings.Split(strings.TrimSpace(fileText(t, path)), "\n")
	if len(lines) != 800 {
		t.Fatalf("%d lines, want 800", len(lines))
	}
	for i := 0; i < len(lines); i += 2 {
		if lines[i][0] != lines[i+1][0] || !strings.HasSuffix(lines[i], " begin") {
			t.Fatalf("lines %d: %q %q", i, lines[i], lines[i+1])
		}
	}
}

func TestMkdirAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	noErr(t, durable.MkdirAll(dir))
	noErr(t, durable.MkdirAll(dir))
	info, err := os.Stat(filepath.Dir(dir))
	noErr(t, err)
	if os.PathSeparator == '/' && info.Mode().Perm() != 0o700 {
		t.Errorf("mode %o, want 700", info.Mode().Perm())
	}
	noErr(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	if err := durable.MkdirAll(filepath.Join(dir, "file", "x")); err == nil {
		t.Error("made a directory in a file")
	}
}

func BenchmarkLinesAppend(b *testing.B) {
	l, err := durable.CreateLines(filepath.Join(b.TempDir(), "log"), []byte("\n"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	line := []byte(strings.Repeat("x", 299) + "\n")
	for b.Loop() {
		if err := l.Append(line); err != nil {
			b.Fatal(err)
		}
	}
}
