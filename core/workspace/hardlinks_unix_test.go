//go:build unix

package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/workspace"
)

// TestHardLinks: a file with several names is written where all of them are inside,
// and refused where one is not found there.
func TestHardLinks(t *testing.T) {
	for _, tt := range []struct {
		name, other string // of f, besides w/dir/f
		want        error
		words       string
	}{
		{"beside it", "w/dir/g", nil, ""},
		{"elsewhere in the workspace", "w/sub/deep/g", nil, ""},
		{"in another root", "extra/g", nil, ""},
		{"outside", "outside/g", workspace.ErrLinked, "2 names (hard links), and only 1"},
		{"hidden", "w/secret/g", workspace.ErrHidden, "hidden"},
		{"protected", "w/.git/hooks/pre-commit", workspace.ErrProtected, ".git/hooks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, nil)
			files, err := workspace.Open(workspace.Roots{
				Dir: p.at("w"), Write: []string{p.at("extra")}, Hide: []string{p.at("w/secret")}, Names: []string{".git/hooks"},
			}, nil)
			noErr(t, err)
			noErr(t, os.MkdirAll(p.at("w/dir"), 0o755))
			noErr(t, os.MkdirAll(filepath.Dir(p.at(tt.other)), 0o755))
			p.put(tt.other, "old")
			noErr(t, os.Link(p.at(tt.other), p.at("w/dir/f")))
			was, err := files.ReadFile(t.Context(), p.at("w/dir/f"))
			noErr(t, err)
			_, err = files.Replace(t.Context(), p.at("w/dir/f"), []byte("new"), was)
			text := "old"
			if tt.want == nil {
				noErr(t, err)
				text = "new"
			} else if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			for _, name := range []string{"w/dir/f", tt.other} {
				if got := p.text(name); got != text {
					t.Errorf("%s holds %q, want %q", name, got, text)
				}
			}
		})
	}
}

// TestHardLinkOutIsPartedAsTheErrorSays: what the refusal advises works.
func TestHardLinkOutIsPartedAsTheErrorSays(t *testing.T) {
	p := newPlace(t, nil)
	noErr(t, os.Link(p.at("outside/f"), p.at("w/linked")))
	was, err := p.fs.ReadFile(t.Context(), p.at("w/linked"))
	noErr(t, err)
	_, err = p.fs.Replace(t.Context(), p.at("w/linked"), []byte("x"), was)
	if !errors.Is(err, workspace.ErrLinked) || !strings.Contains(err.Error(), "cp -p F F.new && mv F.new F") {
		t.Fatalf("got %v", err)
	}
	p.put("w/linked.new", "theirs")
	noErr(t, os.Rename(p.at("w/linked.new"), p.at("w/linked")))
	was, err = p.fs.ReadFile(t.Context(), p.at("w/linked"))
	noErr(t, err)
	_, err = p.fs.Replace(t.Context(), p.at("w/linked"), []byte("x"), was)
	noErr(t, err)
	if p.text("outside/f") != "theirs" {
		t.Error("the file outside was written")
	}
}

// TestHardLinkMadeAfterTheRead: a second name that came since the file was read
// makes it another file to write.
func TestHardLinkMadeAfterTheRead(t *testing.T) {
	p := newPlace(t, nil)
	was, err := p.fs.ReadFile(t.Context(), p.at("w/f"))
	noErr(t, err)
	noErr(t, os.Link(p.at("w/f"), p.at("outside/g")))
	if _, err := p.fs.Replace(t.Context(), p.at("w/f"), []byte("x"), was); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("got %v", err)
	}
	if p.text("outside/g") != "mine" {
		t.Error("the file outside was written")
	}
}

// TestHardLinkOfAHiddenFile is hidden, and none of another file is.
func TestHardLinkOfAHiddenFile(t *testing.T) {
	p := newPlace(t, nil)
	p.put("w/.env", "key")
	noErr(t, os.Link(p.at("w/.env"), p.at("w/notes")))
	noErr(t, os.Link(p.at("w/f"), p.at("w/g")))
	files, err := workspace.Open(workspace.Roots{Dir: p.at("w"), Hide: []string{p.at("w/.env")}}, nil)
	noErr(t, err)
	if _, err := files.ReadFile(t.Context(), p.at("w/notes")); !errors.Is(err, workspace.ErrHidden) {
		t.Errorf("got %v", err)
	}
	if _, err := files.ReadFile(t.Context(), p.at("w/g")); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestHardLinksThroughAnEditor: an editor writes in place too.
func TestHardLinksThroughAnEditor(t *testing.T) {
	e := &editor{text: "unsaved"}
	p := newPlace(t, e)
	noErr(t, os.Link(p.at("outside/f"), p.at("w/linked")))
	e.path = p.at("w/linked")
	was, err := p.fs.ReadFile(t.Context(), e.path)
	noErr(t, err)
	if _, err := p.fs.Replace(t.Context(), e.path, []byte("x"), was); !errors.Is(err, workspace.ErrLinked) || e.text != "unsaved" {
		t.Errorf("got %v, the editor has %q", err, e.text)
	}
}

// TestHardLinkBesideAReleasedFile: a release is for one name.
func TestHardLinkBesideAReleasedFile(t *testing.T) {
	e := newEstate(t, nil)
	noErr(t, os.Link(e.at("h/.bashrc"), e.at("h/copy")))
	fs := e.fs.Releasing([]string{e.at("h/.bashrc")})
	was, err := fs.ReadFile(t.Context(), e.at("h/.bashrc"))
	noErr(t, err)
	if _, err := fs.Replace(t.Context(), was.Path, []byte("x"), was); !errors.Is(err, workspace.ErrLinked) {
		t.Errorf("got %v", err)
	}
}
