//go:build unix

package workspace_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/workspace"
)

// TestWritesStayInside: in random trees of directories, files, links of both kinds
// and links to nowhere, whatever the workspace writes lies, as the system resolves
// it, below a writable root, and nothing else changes.
func TestWritesStayInside(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := newGrove(t, r)
		for range 40 {
			g.try(t, r, seed)
		}
	}
}

// grove is a random tree: w and extra may be written, out and w/hid may not.
type grove struct {
	top   string
	fs    *workspace.FS
	paths []string // of all that is there, relative to top
}

func newGrove(t *testing.T, r *rand.Rand) *grove {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	noErr(t, err)
	g := &grove{top: top}
	for _, dir := range []string{"w", "w/hid", "w/.git", "w/.git/hooks", "extra", "out"} {
		noErr(t, os.Mkdir(filepath.Join(top, dir), 0o755))
		g.paths = append(g.paths, dir)
	}
	for i := range 25 {
		path := filepath.Join(g.any(r), string(rune('a'+r.IntN(6))))
		abs := filepath.Join(top, path)
		switch r.IntN(5) {
		case 0, 1:
			err = os.Mkdir(abs, 0o755)
		case 2:
			err = os.WriteFile(abs, fmt.Append(nil, i), 0o644)
		case 3:
			target := filepath.Join(top, g.any(r))
			if r.IntN(2) == 0 {
				target, _ = filepath.Rel(filepath.Dir(abs), target)
			}
			if r.IntN(4) == 0 {
				target += "/../" + string(rune('a'+r.IntN(6)))
			}
			err = os.Symlink(target, abs)
		case 4:
			err = os.Link(filepath.Join(top, g.any(r)), abs)
		}
		if err == nil {
			g.paths = append(g.paths, path)
		}
	}
	g.fs, err = workspace.Open(workspace.Roots{
		Dir: filepath.Join(top, "w"), Write: []string{filepath.Join(top, "extra")}, Hide: []string{filepath.Join(top, "w", "hid")}, Names: []string{".git/hooks"},
	}, nil)
	noErr(t, err)
	return g
}

func (g *grove) any(r *rand.Rand) string { return g.paths[r.IntN(len(g.paths))] }

// forbidden is what may not change: everything outside, the hidden and the protected.
func (g *grove) forbidden(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{"out", "w/hid", "w/.git/hooks"} {
		noErr(t, filepath.WalkDir(filepath.Join(g.top, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			text := ""
			if d.Type().IsRegular() {
				data, err := os.ReadFile(path)
				noErr(t, err)
				text = string(data)
			}
			fmt.Fprintln(&b, path, d.Type(), text)
			return nil
		}))
	}
	return b.String()
}

func (g *grove) try(t *testing.T, r *rand.Rand, seed uint64) {
	t.Helper()
	name := filepath.Join(g.top, g.any(r), strings.Repeat("../", r.IntN(3)), string(rune('a'+r.IntN(6))))
	before := g.forbidden(t)
	abs, err := g.fs.WritePath(name)
	if err == nil {
		was, readErr := g.fs.ReadFile(t.Context(), abs)
		if errors.Is(readErr, os.ErrNotExist) {
			was = nil
		}
		if _, err = g.fs.Replace(t.Context(), abs, []byte("written"), was); err == nil {
			real, evalErr := filepath.EvalSymlinks(abs)
			noErr(t, evalErr)
			rel, relErr := filepath.Rel(g.top, real)
			noErr(t, relErr)
			if real != abs || !strings.HasPrefix(rel, "w/") && !strings.HasPrefix(rel, "extra/") || strings.HasPrefix(rel, "w/hid") || strings.HasPrefix(rel, "w/.git/hooks") {
				t.Fatalf("seed %d: %s was written as %s", seed, name, real)
			}
		}
	}
	if from, err := g.fs.LinkPath(filepath.Join(g.top, g.any(r))); err == nil && r.IntN(4) == 0 {
		if to, err := g.fs.LinkPath(name); err == nil {
			_ = g.fs.Move(t.Context(), from, to)
		}
	}
	if after := g.forbidden(t); after != before {
		t.Fatalf("seed %d: %s changed what it may not\nbefore\n%s\nafter\n%s", seed, name, before, after)
	}
}

// TestReadsStayVisible: in the same trees, nothing that is read lies in what is
// hidden.
func TestReadsStayVisible(t *testing.T) {
	read := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := newGrove(t, r)
		secret := map[string]bool{}
		noErr(t, filepath.WalkDir(filepath.Join(g.top, "w", "hid"), func(path string, d os.DirEntry, err error) error {
			if data, err := os.ReadFile(path); err == nil && d.Type().IsRegular() {
				secret[string(data)] = true
			}
			return err
		}))
		for _, path := range g.paths {
			abs, err := g.fs.ReadPath(filepath.Join(g.top, path))
			if err != nil {
				continue
			}
			f, err := g.fs.ReadFile(t.Context(), abs)
			if err != nil {
				continue
			}
			read++
			if secret[string(f.Data)] && !g.linkedOut(abs) {
				t.Errorf("seed %d: %s was read", seed, path)
			}
		}
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

// linkedOut reports whether the file has further names: below a hidden directory
// those cannot be told.
func (g *grove) linkedOut(abs string) bool {
	for _, path := range g.paths {
		other := filepath.Join(g.top, path)
		a, errA := os.Lstat(abs)
		b, errB := os.Lstat(other)
		if errA == nil && errB == nil && other != abs && os.SameFile(a, b) {
			return true
		}
	}
	return false
}
