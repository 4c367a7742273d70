//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMoveAcrossKeepsModesAndLinks(t *testing.T) {
	s := newShop(t, t.TempDir())
	d := filepath.Join(s.dir, "d")
	modes := map[string]fs.FileMode{"run": 0o755, "key": 0o600, "ro": 0o444, "sub": fs.ModeDir | 0o750, "sgid": fs.ModeSetgid | 0o755}
	for name, mode := range modes {
		path := filepath.Join(d, name)
		if mode.IsDir() {
			s.put(filepath.Join(path, "x"), "x")
		} else {
			s.put(path, name)
		}
		must(t, os.Chmod(path, mode))
	}
	must(t, os.Symlink("../elsewhere", filepath.Join(d, "dangling")))
	must(t, os.Symlink("sub", filepath.Join(d, "dirlink")))
	must(t, os.Link(filepath.Join(d, "run"), filepath.Join(d, "sub", "hard")))
	must(t, s.across(t.Context(), d, filepath.Join(s.far, "e")))
	for name, mode := range modes {
		info, err := os.Lstat(filepath.Join(s.far, "e", name))
		must(t, err)
		if info.Mode() != mode {
			t.Errorf("%s: mode %v, want %v", name, info.Mode(), mode)
		}
	}
	for name, want := range map[string]string{"dangling": "../elsewhere", "dirlink": "sub"} {
		if got, err := os.Readlink(filepath.Join(s.far, "e", name)); err != nil || got != want {
			t.Errorf("%s leads to %q, %v; want %q", name, got, err, want)
		}
	}
	a, err := os.Stat(filepath.Join(s.far, "e", "run"))
	must(t, err)
	b, err := os.Stat(filepath.Join(s.far, "e", "sub", "hard"))
	must(t, err)
	if !os.SameFile(a, b) {
		t.Error("two names of one file became two files")
	}
	if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the source is still there: %v", err)
	}
}

func TestMoveAcrossRefusesPipes(t *testing.T) {
	s := newShop(t, t.TempDir())
	d := filepath.Join(s.dir, "d")
	s.put(filepath.Join(d, "a"), "1")
	must(t, syscall.Mkfifo(filepath.Join(d, "p"), 0o600))
	if err := s.across(t.Context(), d, filepath.Join(s.far, "e")); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v, want %v", err, ErrNotRegular)
	}
	if left := s.names(s.far); len(left) != 0 {
		t.Errorf("half of it is there: %v", left)
	}
	must(t, s.fs.Move(t.Context(), d, filepath.Join(s.dir, "e"))) // a rename can
}

func TestMoveDirectorySwappedForALink(t *testing.T) {
	s := newShop(t, t.TempDir())
	outside := t.TempDir()
	f := s.put(filepath.Join(s.dir, "f"), "mine")
	must(t, os.Symlink(outside, filepath.Join(s.dir, "sub"))) // was a directory when the path was resolved
	if err := s.fs.Move(t.Context(), f, filepath.Join(s.dir, "sub", "f")); err == nil {
		t.Error("moved through a link that leads out")
	}
	s.put(filepath.Join(outside, "theirs"), "2")
	if err := s.fs.Move(t.Context(), filepath.Join(s.dir, "sub", "theirs"), filepath.Join(s.dir, "g")); err == nil {
		t.Error("moved from behind a link that leads out")
	}
	if got := s.names(outside); len(got) != 1 {
		t.Errorf("outside there is %v", got)
	}
}

// readOnly puts a file into d/ro, from which nothing can be removed.
func (s shop) readOnly() (d string) {
	s.Helper()
	d = filepath.Join(s.dir, "d")
	ro := filepath.Dir(s.put(filepath.Join(d, "ro", "f"), "1"))
	s.put(filepath.Join(d, "z"), "2")
	must(s, os.Chmod(ro, 0o555))
	s.Cleanup(func() { _ = os.Chmod(ro, 0o755) })
	return d
}

// TestMoveAcrossOfAReadOnlyDirectory is refused before anything is copied, unless
// the user may do everything.
func TestMoveAcrossOfAReadOnlyDirectory(t *testing.T) {
	s := newShop(t, t.TempDir())
	d := s.readOnly()
	err := s.across(t.Context(), d, filepath.Join(s.far, "e"))
	if os.Geteuid() == 0 {
		must(t, err)
		must(t, os.Chmod(filepath.Join(s.far, "e", "ro"), 0o755))
		return
	}
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), filepath.Join(d, "ro")) {
		t.Errorf("got %v, want that d/ro is not writable", err)
	}
	if left := s.names(s.far); len(left) != 0 {
		t.Errorf("half of it is there: %v", left)
	}
	if got := s.names(d); len(got) != 3 {
		t.Errorf("of the source there is %v", got)
	}
}

func TestUndoRemovesReadOnlyCopies(t *testing.T) {
	s := newShop(t, t.TempDir())
	src, err := s.fs.end(s.readOnly())
	must(t, err)
	defer src.root.Close()
	dst, err := s.fs.end(filepath.Join(s.far, "e"))
	must(t, err)
	defer dst.root.Close()
	c := copier{ctx: t.Context(), from: src.root, to: dst.root}
	must(t, c.copy(src.name, dst.name))
	cause := errors.New("why it failed")
	if err := c.undo(src, dst, cause); err != cause { //nolint:errorlint // nothing is added
		t.Errorf("got %v, want the cause alone", err)
	}
	if left := s.names(s.far); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
