package checkpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/checkpoint"
)

// A call may have made the only copy of what it removed where nothing is copied: that is
// left and named.
func TestWhatMayBeTheOnlyCopyOfWhatIsNotLookedAtStays(t *testing.T) {
	for name, c := range map[string]struct {
		call func(g *ground, far string)
		kept string // the beginning of its content
	}{
		"an ignored file": {func(g *ground, _ string) {
			g.write("copy", "SECRET=1", 0o600)
			g.must(os.Remove(g.at(".env")))
		}, "SECRET"},
		"an ignored directory": {func(g *ground, _ string) {
			g.write("copy", "deep down", 0o600)
			g.must(os.RemoveAll(g.at("local")))
		}, "deep down"},
		"a file outside": {func(g *ground, far string) {
			g.write("copy", "far away", 0o600)
			g.must(os.Remove(filepath.Join(far, "pre")))
		}, "far away"},
	} {
		t.Run(name, func(t *testing.T) {
			far, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			g := newGround(t, func(o *checkpoint.Options) {
				root := o.Root
				o.Roots = func() []string { return []string{root, far} }
			})
			g.write(".gitignore", ".env\nlocal\n", 0o644)
			g.write(".env", "SECRET=1", 0o600)
			g.write("local/deep", "deep down", 0o600)
			g.must(os.WriteFile(filepath.Join(far, "pre"), []byte("far away"), 0o600))
			g.settle()
			changes := g.command(func() {
				c.call(g, far)
				g.write("made", "of no interest, and longer than the rest", 0o644)
			})
			_, kept := g.store.Restore(t.Context(), targets(changes))
			tree := g.tree()
			if !strings.Contains(tree["copy"], c.kept) {
				t.Errorf("the copy is gone: %v", tree)
			}
			named := ""
			for _, k := range kept {
				named += filepath.Base(k.Path) + " "
			}
			if !strings.Contains(named, "copy") || name != "an ignored directory" && tree["made"] != "" {
				t.Errorf("kept %+v, tree %v", kept, tree)
			}
		})
	}
}

// What a command does below another root is named, all three kinds of it.
func TestWhatACommandDoesOutsideIsNamed(t *testing.T) {
	far, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := newGround(t, func(o *checkpoint.Options) {
		root := o.Root
		o.Roots = func() []string { return []string{root, far} }
	})
	at := func(name string) string { return filepath.Join(far, name) }
	for _, name := range []string{"gone", "grown", "same"} {
		g.must(os.WriteFile(at(name), []byte(name), 0o600))
	}
	g.settle()
	changes := g.command(func() {
		g.must(os.Remove(at("gone")))
		g.must(os.WriteFile(at("grown"), []byte("longer than before"), 0o600))
		g.must(os.WriteFile(at("made"), []byte("x"), 0o600))
	})
	done, kept := g.store.Restore(t.Context(), targets(changes))
	var named []string
	for _, k := range kept {
		named = append(named, filepath.Base(k.Path))
	}
	if got := strings.Join(named, " "); got != "gone grown made" || len(done) > 0 {
		t.Errorf("kept %+v, done %+v", kept, done)
	}
	if again := g.command(func() {}); len(again) > 0 {
		t.Errorf("again: %+v", again)
	}
}

// A call that has git ignore what it makes made it all the same.
func TestWhatIsMadeAndIgnoredIsTheCalls(t *testing.T) {
	for name, c := range map[string]struct{ rules, want string }{
		"the rules are there":  {"mine\n", ".gitignore d/new n n/new top"},
		"the rules are new":    {"", ".gitignore d/new n n/new top"},
		"the rules are hidden": {".gitignore\nmine\n", "d/new n n/new top"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, nil)
			g.write("d/old", "x", 0o644)
			if c.rules != "" {
				g.write(".gitignore", c.rules, 0o644)
				g.write("mine/data", "x", 0o644)
			}
			g.settle()
			before := g.tree()
			changes := g.command(func() {
				g.write(".gitignore", "*\n", 0o644)
				g.write("n/new", "x", 0o644)
				g.write("d/new", "x", 0o644)
				g.write("top", "x", 0o644)
			})
			if got := names(g, changes); got != c.want {
				t.Errorf("changed: %s", got)
			}
			g.restore(changes)
			after := g.tree()
			if name == "the rules are hidden" { // what git ignores does not come back
				delete(before, ".gitignore")
				delete(after, ".gitignore")
			}
			g.same("put back", after, before)
		})
	}
}

// A clock that is set back during a call does not make its files somebody else's.
func TestAClockThatIsSetBack(t *testing.T) {
	g := newGround(t, nil)
	g.write(".gitignore", "mine\n", 0o644)
	g.write("mine", "x", 0o644)
	g.settle()
	before := g.tree()
	g.must(g.store.Begin(t.Context(), true))
	g.store.SetBack()
	g.write(".gitignore", "", 0o644) // mine is visible now, and the user's
	g.write("made", "y", 0o644)
	changes, err := g.store.End(t.Context())
	g.must(err)
	if got := names(g, changes); got != ".gitignore made" {
		t.Errorf("changed: %s", got)
	}
	g.restore(changes)
	g.same("put back", g.tree(), before)
}
