package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shop is a workspace with a second writable root, as if on another file system.
type shop struct {
	*testing.T
	fs       *FS
	dir, far string
}

func newShop(t *testing.T, far string) shop {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	far, err = filepath.EvalSymlinks(far)
	must(t, err)
	files, err := Open(Roots{Dir: dir, Write: []string{far}}, nil)
	must(t, err)
	return shop{T: t, fs: files, dir: dir, far: far}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s shop) put(path, text string) string {
	s.Helper()
	must(s, os.MkdirAll(filepath.Dir(path), 0o755))
	must(s, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// across copies and removes, whatever the file systems are.
func (s shop) across(ctx context.Context, from, to string) error {
	s.Helper()
	src, err := s.fs.end(from)
	must(s, err)
	defer src.root.Close()
	dst, err := s.fs.end(to)
	must(s, err)
	defer dst.root.Close()
	return copyAcross(ctx, src, dst, nil)
}

func (s shop) names(dir string) []string {
	s.Helper()
	var names []string
	must(s, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	return names
}

func TestMoveAcrossCopiesATree(t *testing.T) {
	s := newShop(t, t.TempDir())
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for name, text := range map[string]string{"a": "1\r\n", "sub/b": "", "sub/deep/c": "3"} {
		must(t, os.Chtimes(s.put(filepath.Join(s.dir, "d", name), text), old, old))
	}
	must(t, os.Chtimes(filepath.Join(s.dir, "d", "sub"), old, old))
	must(t, s.across(t.Context(), filepath.Join(s.dir, "d"), filepath.Join(s.far, "e")))
	if d := cmp.Diff([]string{"e", "e/a", "e/sub", "e/sub/b", "e/sub/deep", "e/sub/deep/c"}, s.names(s.far)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if left := s.names(s.dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, name := range []string{"a", "sub", "sub/b"} {
		info, err := os.Stat(filepath.Join(s.far, "e", name))
		must(t, err)
		if !info.ModTime().Equal(old) {
			t.Errorf("%s: time %v, want %v", name, info.ModTime(), old)
		}
	}
}

func TestMoveAcrossIsUndoneWhenItFails(t *testing.T) {
	s := newShop(t, t.TempDir())
	f := s.put(filepath.Join(s.dir, "d", "f"), "1")
	s.put(filepath.Join(s.far, "taken"), "theirs")
	if err := s.across(t.Context(), filepath.Dir(f), filepath.Join(s.far, "taken")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want that it exists", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stop")
	cancel(cause)
	if err := s.across(ctx, f, filepath.Join(s.far, "g")); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
	if d := cmp.Diff([]string{"taken"}, s.names(s.far)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if d := cmp.Diff([]string{"d", "d/f"}, s.names(s.dir)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestMoveAcrossKeepsWhatChangedMeanwhile: the source is removed only as it was
// copied.
func TestMoveAcrossKeepsWhatChangedMeanwhile(t *testing.T) {
	s := newShop(t, t.TempDir())
	f := s.put(filepath.Join(s.dir, "d", "f"), "1")
	src, err := s.fs.end(filepath.Dir(f))
	must(t, err)
	defer src.root.Close()
	dst, err := s.fs.end(filepath.Join(s.far, "e"))
	must(t, err)
	defer dst.root.Close()
	c := copier{ctx: t.Context(), from: src.root, to: dst.root}
	must(t, c.copy(src.name, dst.name))
	s.put(filepath.Join(s.dir, "d", "new"), "2")
	must(t, c.unchanged())
	if removed, err := c.removeSource(); err == nil || removed != 1 {
		t.Errorf("removed %d, %v; want the file gone and the directory kept", removed, err)
	}
	s.put(filepath.Join(s.dir, "d", "new"), "changed")
	if err := c.unchanged(); err == nil {
		t.Error("a source that is gone passes for unchanged")
	}
	if d := cmp.Diff([]string{"d", "d/new"}, s.names(s.dir)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestRecaseByWayOfAThirdName(t *testing.T) {
	s := newShop(t, t.TempDir())
	from := s.put(filepath.Join(s.dir, "a"), "1")
	src, err := s.fs.end(from)
	must(t, err)
	defer src.root.Close()
	dst := src
	dst.name = "A"
	must(t, recase(src, dst))
	if d := cmp.Diff([]string{"A"}, s.names(s.dir)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestWhatWasSeenMovesAlong(t *testing.T) {
	s := newShop(t, t.TempDir())
	d := filepath.Join(s.dir, "d")
	f := s.put(filepath.Join(d, "f"), "1")
	other := s.put(filepath.Join(s.dir, "dd"), "2")
	to := filepath.Join(s.far, "e")
	s.fs.Seen(f, "h", true)
	s.fs.Seen(other, "o", false)
	s.fs.Seen(filepath.Join(to, "gone"), "x", false)
	s.fs.Remember(f, []byte("1"))
	s.fs.Fresh()
	must(t, s.fs.Move(t.Context(), d, to))
	fresh := map[string]Sight{f: {}, filepath.Join(to, "f"): {Hash: "h", Partial: true}, filepath.Join(to, "gone"): {}}
	if d := cmp.Diff(fresh, s.fs.Fresh()); d != "" {
		t.Errorf("to be recorded: -want +got\n%s", d)
	}
	want := map[string]Sight{filepath.Join(to, "f"): {Hash: "h", Partial: true}, other: {Hash: "o"}}
	if d := cmp.Diff(want, s.fs.Snapshot()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if text, ok := s.fs.Recall(filepath.Join(to, "f")); !ok || string(text) != "1" {
		t.Errorf("recalled %q, %v", text, ok)
	}
	if _, ok := s.fs.Recall(f); ok {
		t.Error("the old name is still remembered")
	}
}

type unsaved struct{ path, text string }

func (u unsaved) ReadFile(_ context.Context, path string) ([]byte, error) {
	if path != u.path {
		return nil, errors.ErrUnsupported
	}
	return []byte(u.text), nil
}

func (unsaved) WriteFile(context.Context, string, []byte) error { return errors.ErrUnsupported }

func TestMoveLeavesUnsavedFilesToTheEditor(t *testing.T) {
	s := newShop(t, t.TempDir())
	f := s.put(filepath.Join(s.dir, "f"), "1")
	to := filepath.Join(s.dir, "g")
	s.fs.over = unsaved{f, "2"}
	if err := s.fs.Move(t.Context(), f, to); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want a refusal", err)
	}
	s.fs.over = unsaved{f, "1"}
	must(t, s.fs.Move(t.Context(), f, to))
}

func TestMoveRefusesRoots(t *testing.T) {
	s := newShop(t, t.TempDir())
	inner := filepath.Join(s.dir, "a", "root")
	must(t, os.MkdirAll(inner, 0o755))
	must(t, s.fs.AddWritable(inner))
	for _, from := range []string{filepath.Dir(inner), inner} {
		if _, err := s.fs.LinkPath(from); err == nil && s.fs.Move(t.Context(), from, filepath.Join(s.dir, "b")) == nil {
			t.Errorf("moved %s", from)
		}
	}
	if _, err := s.fs.LinkPath("."); !errors.Is(err, ErrOutside) {
		t.Errorf("got %v, want %v", err, ErrOutside)
	}
	if err := s.fs.Move(t.Context(), filepath.Dir(s.dir), s.far); !errors.Is(err, ErrOutside) {
		t.Errorf("got %v, want %v", err, ErrOutside)
	}
}
