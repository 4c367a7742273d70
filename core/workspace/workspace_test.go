package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/workspace"
)

// place is a directory with a workspace, a further writable root, a hidden one
// and something outside.
type place struct {
	*testing.T
	top string
	fs  *workspace.FS
}

func newPlace(t *testing.T, over workspace.Overlay) place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	noErr(t, err)
	p := place{T: t, top: top}
	for _, dir := range []string{"w/sub", "w/secret", "extra", "outside"} {
		noErr(t, os.MkdirAll(p.at(dir), 0o755))
	}
	p.put("outside/f", "theirs")
	p.put("w/f", "mine")
	p.put("w/secret/key", "k")
	p.fs, err = workspace.Open(workspace.Roots{
		Dir: p.at("w"), Write: []string{p.at("extra"), p.at("not-yet")}, Hide: []string{p.at("w/secret"), p.at("nowhere")},
	}, over)
	noErr(t, err)
	return p
}

func (p place) at(name string) string { return filepath.Join(p.top, filepath.FromSlash(name)) }

func (p place) put(name, text string) {
	p.Helper()
	noErr(p.T, os.WriteFile(p.at(name), []byte(text), 0o644))
}

func (p place) text(name string) string {
	p.Helper()
	data, err := os.ReadFile(p.at(name))
	noErr(p.T, err)
	return string(data)
}

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestHiddenComparesWholeNames(t *testing.T) {
	p := newPlace(t, nil)
	for name, want := range map[string]bool{"w/secret": true, "w/secret/a/b": true, "w/secrets": false, "w": false, "nowhere": true} {
		if got := p.fs.Hidden(p.at(name)); got != want {
			t.Errorf("Hidden(%s) = %v, want %v", name, got, want)
		}
	}
}

func TestNamesAreShownShortAndReopen(t *testing.T) {
	p := newPlace(t, nil)
	for name, want := range map[string]string{
		"w": ".", "w/sub/a b": "sub/a b", "w/a\nb": `"a\nb"`, "w/\"q\"": `"\"q\""`, "w/caf\xe9": `"caf\xe9"`, "w/中 文": "中 文", "w/ x": `" x"`,
	} {
		abs := p.at(name)
		if got := p.fs.Show(abs); got != want {
			t.Errorf("Show(%q) = %s, want %s", name, got, want)
		}
		if got := p.fs.Abs(want); got != abs {
			t.Errorf("Abs(%s) = %q, want %q", want, got, abs)
		}
	}
	if got := p.fs.Rel(p.at("outside/f")); got != filepath.ToSlash(p.at("outside/f")) {
		t.Errorf("Rel outside = %s", got)
	}
}

func TestReplace(t *testing.T) {
	p := newPlace(t, nil)
	ctx := t.Context()
	was, err := p.fs.ReadFile(ctx, p.at("w/f"))
	noErr(t, err)
	hash, err := p.fs.Replace(ctx, p.at("w/f"), []byte("new"), was)
	noErr(t, err)
	if hash != workspace.Hash([]byte("new")) || p.text("w/f") != "new" {
		t.Errorf("hash %s, content %q", hash, p.text("w/f"))
	}
	if _, err := p.fs.Replace(ctx, p.at("w/f"), []byte("x"), was); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("replacing what is no longer as read: %v", err)
	}
	if _, err := p.fs.Replace(ctx, p.at("w/f"), []byte("x"), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating what exists: %v", err)
	}
	if _, err := p.fs.Replace(ctx, p.at("w/a/b/c"), []byte("deep"), nil); err != nil || p.text("w/a/b/c") != "deep" {
		t.Errorf("creating with directories: %v", err)
	}
	if _, err := p.fs.Replace(ctx, p.at("not-yet/c"), []byte("x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a root that is not there: %v", err)
	}
	if _, err := p.fs.Replace(ctx, p.at("outside/f"), []byte("x"), nil); !errors.Is(err, workspace.ErrOutside) {
		t.Errorf("outside: %v", err)
	}
	stopped, cancel := context.WithCancelCause(ctx)
	cause := errors.New("stop")
	cancel(cause)
	if _, err := p.fs.Replace(stopped, p.at("w/f"), []byte("x"), nil); !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	p := newPlace(t, nil)
	for name, want := range map[string]error{"w/sub": workspace.ErrDirectory, "w/none": fs.ErrNotExist, "w/secret/key": workspace.ErrHidden} {
		if _, err := p.fs.ReadFile(t.Context(), p.at(name)); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

func TestSightsSurviveASnapshot(t *testing.T) {
	p := newPlace(t, nil)
	a, b := p.at("w/a"), p.at("w/b")
	p.fs.Seen(a, "1", true)
	p.fs.Seen(a, "2", false)
	p.fs.Seen(a, "2", true) // does not take the whole sight back
	p.fs.Seen(b, "3", true)
	want := map[string]workspace.Sight{a: {Hash: "2"}, b: {Hash: "3", Partial: true}}
	got := p.fs.Snapshot()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	q := newPlace(t, nil)
	q.fs.Restore(got)
	if hash, partial, ok := q.fs.LastSeen(b); hash != "3" || !partial || !ok {
		t.Errorf("restored %s %v %v", hash, partial, ok)
	}
	noErr(t, q.fs.Close())
	if _, _, ok := q.fs.LastSeen(b); ok {
		t.Error("closed, but not forgotten")
	}
}

func TestRememberIsBounded(t *testing.T) {
	p := newPlace(t, nil)
	p.fs.Remember("big", make([]byte, workspace.MaxKept+1))
	if _, ok := p.fs.Recall("big"); ok {
		t.Error("a large content was kept")
	}
	for i := range 100 {
		p.fs.Remember(strings.Repeat("x", i+1), make([]byte, workspace.MaxKept))
	}
	if _, ok := p.fs.Recall("x"); ok {
		t.Error("the oldest content was kept for ever")
	}
	if _, ok := p.fs.Recall(strings.Repeat("x", 100)); !ok {
		t.Error("the newest content was dropped")
	}
}

// editor holds one file.
type editor struct {
	mu   sync.Mutex
	path string
	text string

	reads int
}

func (e *editor) ReadFile(_ context.Context, path string) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if path != e.path {
		return nil, errors.ErrUnsupported
	}
	e.reads++
	return []byte(e.text), nil
}

func (e *editor) WriteFile(_ context.Context, path string, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if path != e.path {
		return errors.ErrUnsupported
	}
	e.text = string(data)
	return nil
}

func TestAnEditorsBufferComesFirst(t *testing.T) {
	e := &editor{text: "unsaved"}
	p := newPlace(t, e)
	e.path = p.at("w/f")
	was, err := p.fs.ReadFile(t.Context(), e.path)
	noErr(t, err)
	if string(was.Data) != "unsaved" {
		t.Errorf("read %q", was.Data)
	}
	_, err = p.fs.Replace(t.Context(), e.path, []byte("edited"), was)
	noErr(t, err)
	if e.text != "edited" || p.text("w/f") != "mine" {
		t.Errorf("editor %q, disk %q", e.text, p.text("w/f"))
	}
	if _, err = p.fs.Replace(t.Context(), e.path, []byte("x"), was); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("replacing a buffer that is no longer as read: %v", err)
	}
	if was, err = p.fs.ReadFile(t.Context(), e.path); err != nil {
		t.Fatal(err)
	}
	was.AtOnce, e.reads = true, 0
	_, err = p.fs.Replace(t.Context(), e.path, []byte("at once"), was)
	noErr(t, err)
	if e.text != "at once" || e.reads != 0 {
		t.Errorf("editor %q, read %d times for a write at once", e.text, e.reads)
	}
	if _, err = p.fs.Replace(t.Context(), e.path, []byte("x"), was); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("replacing a buffer that was written since: %v", err)
	}
	_, err = p.fs.Replace(t.Context(), p.at("w/g"), []byte("on disk"), nil)
	noErr(t, err)
	if p.text("w/g") != "on disk" {
		t.Errorf("disk %q", p.text("w/g"))
	}
}

func TestOpenRefusesBadRoots(t *testing.T) {
	p := newPlace(t, nil)
	for _, r := range []workspace.Roots{{}, {Dir: "relative"}, {Dir: p.at("none")}, {Dir: p.at("w/f")}, {Dir: p.at("w"), Hide: []string{"rel"}}} {
		if _, err := workspace.Open(r, nil); err == nil {
			t.Errorf("opened %+v", r)
		}
	}
}
