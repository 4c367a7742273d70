package checkpoint_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/checkpoint"
)

// ground is a directory with a Store.
type ground struct {
	*testing.T
	root, kept string
	left       string // by the newest process that was killed
	store      *checkpoint.Store
}

func newGround(t *testing.T, change func(*checkpoint.Options)) *ground {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{T: t, root: root, kept: filepath.Join(t.TempDir(), "kept")}
	o := checkpoint.Options{Dir: g.kept, Root: root, Roots: func() []string { return []string{root} }}
	if change != nil {
		change(&o)
	}
	g.store = checkpoint.New(o)
	t.Cleanup(func() { g.must(g.store.Close()) })
	return g
}

func (g *ground) must(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *ground) at(name string) string { return filepath.Join(g.root, name) }

func (g *ground) write(name, text string, mode fs.FileMode) {
	g.Helper()
	g.must(os.MkdirAll(filepath.Dir(g.at(name)), 0o755))
	_ = os.Remove(g.at(name))
	g.must(os.WriteFile(g.at(name), []byte(text), 0o600))
	g.must(os.Chmod(g.at(name), mode))
}

// tree is everything below the root: mode and content.
func (g *ground) tree() map[string]string {
	g.Helper()
	all := map[string]string{}
	g.must(filepath.WalkDir(g.root, func(path string, e fs.DirEntry, err error) error {
		g.must(err)
		info, err := e.Info()
		g.must(err)
		text := ""
		switch info.Mode().Type() {
		case 0:
			data, err := os.ReadFile(path)
			g.must(err)
			text = string(data)
		case fs.ModeSymlink:
			text, err = os.Readlink(path)
			g.must(err)
		}
		rel, _ := filepath.Rel(g.root, path)
		all[filepath.ToSlash(rel)] = info.Mode().String() + " " + text
		return nil
	}))
	return all
}

// command is a call that may change anything.
func (g *ground) command(run func()) []checkpoint.Change {
	g.Helper()
	g.must(g.store.Begin(g.Context(), true))
	run()
	changes, err := g.store.End(g.Context())
	g.must(err)
	return changes
}

// back are the targets that undo changes.
func back(changes []checkpoint.Change) []checkpoint.Target {
	var all []checkpoint.Target
	for _, c := range changes {
		all = append(all, checkpoint.Target{Path: c.Path, Want: c.Before, Expect: c.After, Lost: c.Lost})
	}
	return all
}

func (g *ground) restore(changes []checkpoint.Change) []checkpoint.Change {
	g.Helper()
	done, kept := g.store.Restore(g.Context(), back(changes))
	if len(kept) > 0 {
		g.Errorf("left alone: %+v", kept)
	}
	return done
}

func (g *ground) same(what string, got, want map[string]string) {
	g.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		g.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// furnish makes one of everything.
func (g *ground) furnish() {
	g.write("a.txt", "a\x00\xff\n", 0o640)
	g.write("run.sh", "#!/bin/sh\n", 0o755)
	g.write("deep/er/file", "deep", 0o600)
	g.write("gone/too", "gone", 0o644)
	g.write("dir-to-be", "a file", 0o644)
	g.must(os.Mkdir(g.at("empty"), 0o750))
	g.must(os.Symlink("a.txt", g.at("link")))
	g.must(os.Symlink("nowhere", g.at("broken")))
}

func (g *ground) ravage() {
	g.write("a.txt", "other", 0o600)
	g.must(os.Chmod(g.at("run.sh"), 0o644))
	g.must(os.RemoveAll(g.at("deep")))
	g.must(os.RemoveAll(g.at("gone")))
	g.write("gone", "now a file", 0o644)
	g.must(os.Remove(g.at("dir-to-be")))
	g.write("dir-to-be/x", "x", 0o644)
	g.must(os.Remove(g.at("empty")))
	g.must(os.Remove(g.at("link")))
	g.must(os.Symlink("run.sh", g.at("link")))
	g.must(os.Remove(g.at("broken")))
	g.write("broken", "no link", 0o644)
	g.write("new/very/new", "new", 0o644)
}

func TestWhatACommandDidIsPutBackAndDoneAgain(t *testing.T) {
	g := newGround(t, nil)
	g.furnish()
	before := g.tree()
	changes := g.command(g.ravage)
	after := g.tree()
	undone := g.restore(changes)
	g.same("put back", g.tree(), before)
	g.restore(undone)
	g.same("done again", g.tree(), after)
}

// The same by tools of this process, which say what they are about to do.
func TestWhatWasAnnouncedIsPutBack(t *testing.T) {
	g := newGround(t, nil)
	g.furnish()
	before := g.tree()
	g.must(g.store.Begin(t.Context(), false))
	for _, name := range []string{
		"a.txt", "run.sh", "deep", "gone", "dir-to-be", "dir-to-be/x", "empty", "link", "broken", "new/very/new",
	} {
		g.store.Before(g.at(name))
	}
	g.ravage()
	changes, err := g.store.End(t.Context())
	g.must(err)
	g.restore(changes)
	g.same("put back", g.tree(), before)
}

func TestWhatSomebodyElseChangedIsLeftAlone(t *testing.T) {
	g := newGround(t, nil)
	g.write("mine", "1", 0o644)
	g.write("shared", "1", 0o644)
	changes := g.command(func() {
		g.write("mine", "2", 0o644)
		g.write("shared", "2", 0o644)
		g.write("made/x", "x", 0o644)
	})
	g.write("shared", "theirs", 0o644)
	g.write("made/theirs", "y", 0o644)
	_, kept := g.store.Restore(t.Context(), back(changes))
	var names []string
	for _, k := range kept {
		names = append(names, filepath.Base(k.Path))
	}
	if got := strings.Join(names, " "); got != "made shared" {
		t.Errorf("left alone: %+v", kept)
	}
	tree := g.tree()
	if _, there := tree["made/x"]; there || !strings.HasSuffix(tree["mine"], " 1") || !strings.HasSuffix(tree["shared"], " theirs") {
		t.Errorf("tree %v", tree)
	}
}

// A change that leaves size and time as they were is found nevertheless.
func TestAChangeOfTheSameSizeInTheSameInstantIsSeen(t *testing.T) {
	g := newGround(t, nil)
	g.write("x", "one", 0o644)
	info, err := os.Stat(g.at("x"))
	g.must(err)
	changes := g.command(func() {
		f, err := os.OpenFile(g.at("x"), os.O_WRONLY, 0)
		g.must(err)
		_, err = f.WriteString("two")
		g.must(err)
		g.must(f.Close())
		g.must(os.Chtimes(g.at("x"), info.ModTime(), info.ModTime()))
	})
	if len(changes) != 1 {
		t.Errorf("changes %+v", changes)
	}
}

func TestWhatIsTooMuchIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		bound func(*checkpoint.Options)
		want  string
	}{
		"a large file":   {func(o *checkpoint.Options) { o.MaxFile = 4 }, "over the limit of 4"},
		"many bytes":     {func(o *checkpoint.Options) { o.MaxSight = 4 }, "beyond the 4 bytes"},
		"many files":     {func(o *checkpoint.Options) { o.MaxFiles = -1 }, "beyond the"},
		"a full session": {func(o *checkpoint.Options) { o.MaxKept = 4 }, "are full"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, c.bound)
			g.write("x", "a long text", 0o644)
			changes := g.command(func() { g.write("x", "b", 0o644) })
			if len(changes) != 1 || !strings.Contains(changes[0].Lost, c.want) {
				t.Fatalf("changes %+v, want one with %q", changes, c.want)
			}
			if _, kept := g.store.Restore(t.Context(), back(changes)); len(kept) != 1 {
				t.Errorf("left alone: %+v", kept)
			}
		})
	}
}

func TestIgnoredFilesAreNotLookedAfterAndGitIsNotTouched(t *testing.T) {
	g := newGround(t, nil)
	g.write(".gitignore", "build\n", 0o644)
	g.write(".git/index", "index", 0o644)
	g.write("build/x", "1", 0o644)
	if changes := g.command(func() {
		g.write("build/x", "2", 0o644)
		g.write(".git/index", "other", 0o644)
	}); len(changes) != 0 {
		t.Errorf("changes %+v", changes)
	}
}

// Content that no change needed is gone with the Store; what is kept is private.
func TestOnlyWhatChangedIsKept(t *testing.T) {
	g := newGround(t, nil)
	for i := range 50 {
		g.write(fmt.Sprint("f", i), fmt.Sprint("text ", i), 0o644)
	}
	g.command(func() { g.write("f1", "other", 0o644) })
	g.must(g.store.Close())
	entries, err := os.ReadDir(g.kept)
	g.must(err)
	if len(entries) != 1 {
		t.Fatalf("kept %v, want one content", entries)
	}
	info, err := entries[0].Info()
	g.must(err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestAPathOutsideTheRootsIsNotWritten(t *testing.T) {
	g := newGround(t, nil)
	outside := filepath.Join(t.TempDir(), "x")
	g.must(os.WriteFile(outside, []byte("y"), 0o600))
	g.must(g.store.Begin(t.Context(), false))
	g.store.Before(outside)
	g.must(os.WriteFile(outside, []byte("z"), 0o600))
	changes, err := g.store.End(t.Context())
	g.must(err)
	if _, kept := g.store.Restore(t.Context(), back(changes)); len(kept) != 1 {
		t.Errorf("left alone: %+v", kept)
	}
}

// benchTree measures what a command pays: a look before it and one after.
func benchTree(b *testing.B, dirs, files int) {
	root := b.TempDir()
	text := []byte(strings.Repeat("a line of a source file\n", 100))
	for d := range dirs {
		dir := filepath.Join(root, fmt.Sprint("d", d))
		if err := os.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("f", f)), append(text, fmt.Sprint(d, f)...), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	open := func() *checkpoint.Store {
		return checkpoint.New(checkpoint.Options{Dir: filepath.Join(root, ".git"), Root: root, Roots: func() []string { return []string{root} }})
	}
	call := func(s *checkpoint.Store) {
		if err := s.Begin(b.Context(), true); err != nil {
			b.Fatal(err)
		}
		if _, err := s.End(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			s := open()
			call(s)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("later", func(b *testing.B) {
		s := open()
		call(s)
		for b.Loop() {
			call(s)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkSmallTree(b *testing.B)      { benchTree(b, 5, 10) }
func BenchmarkTwentyThousand(b *testing.B) { benchTree(b, 200, 100) }
