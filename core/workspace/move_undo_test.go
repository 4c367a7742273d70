package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMoveOntoARememberedName: a file the model has read is removed by a command,
// and another takes its name.
func TestMoveOntoARememberedName(t *testing.T) {
	s := newShop(t, t.TempDir())
	a, b := s.put(filepath.Join(s.dir, "a"), "new"), filepath.Join(s.dir, "b")
	s.fs.Remember(a, []byte("new"))
	s.fs.Remember(b, []byte("removed"))
	s.fs.Remember(filepath.Join(b, "below"), []byte("removed"))
	must(t, s.fs.Move(t.Context(), a, b))
	if text, ok := s.fs.Recall(b); !ok || string(text) != "new" {
		t.Errorf("recalled %q, %v", text, ok)
	}
	if d := cmp.Diff([]string{b}, s.fs.text.order); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	for i := range keepTotal/MaxKept + 2 {
		s.fs.Remember(filepath.Join(s.dir, strconv.Itoa(i)), bytes.Repeat([]byte("x"), MaxKept))
	}
	if m := s.fs.text; m.size > keepTotal || len(m.order) != len(m.text) || m.size != len(m.text)*MaxKept {
		t.Errorf("%d bytes of %d texts under %d names", m.size, len(m.text), len(m.order))
	}
}

func TestDropTakesANameWithoutATextOutOfTheOrder(t *testing.T) {
	m := newMemory()
	m.order = []string{"a", "b", "a"}
	m.drop("a")
	if d := cmp.Diff([]string{"b"}, m.order); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestFailedMoveLeavesNoNewDirectories: only those it made itself go, and only
// while they are empty.
func TestFailedMoveLeavesNoNewDirectories(t *testing.T) {
	s := newShop(t, t.TempDir())
	from := s.put(filepath.Join(s.dir, "f"), "1")
	must(t, os.Mkdir(filepath.Join(s.far, "old"), 0o755))
	src, err := s.fs.end(from)
	must(t, err)
	defer src.root.Close()
	dst, err := s.fs.end(filepath.Join(s.far, "old", "new", "newer", "f"))
	must(t, err)
	defer dst.root.Close()
	info, err := os.Lstat(from)
	must(t, err)
	must(t, os.Remove(from))
	if err := s.fs.move(t.Context(), src, dst, info); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the source is gone", err)
	}
	if d := cmp.Diff([]string{"old"}, s.names(s.far)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	made, err := makeParents(dst)
	must(t, err)
	want := []string{filepath.Join("old", "new"), filepath.Join("old", "new", "newer")}
	if d := cmp.Diff(want, made); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	must(t, syncAbove(dst, made))
}

func TestFailedUndoNamesBothTrees(t *testing.T) {
	s := newShop(t, t.TempDir())
	d := filepath.Dir(s.put(filepath.Join(s.dir, "d", "f"), "1"))
	src, err := s.fs.end(d)
	must(t, err)
	defer src.root.Close()
	dst, err := s.fs.end(filepath.Join(s.far, "e"))
	must(t, err)
	c := copier{ctx: t.Context(), from: src.root, to: dst.root}
	must(t, c.copy(src.name, dst.name))
	must(t, dst.root.Close()) // now nothing can be removed
	cause := errors.New("why it failed")
	err = c.undo(src, dst, cause)
	if !errors.Is(err, cause) {
		t.Fatalf("got %v, want the cause in it", err)
	}
	text := refuse("move", "d", err).Error()
	for _, want := range []string{cause.Error(), filepath.ToSlash(src.abs), filepath.ToSlash(dst.abs)} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}
