package checkpoint_test

import (
	"io/fs"
	"os"
	"testing"
)

// Directories that may not be written come back with what was in them, and go again.
func TestDirectoriesThatMayNotBeWrittenArePutBack(t *testing.T) {
	for name, run := range map[string]func(*ground){
		"removed": func(g *ground) { g.must(os.RemoveAll(g.at("ro"))) },
		"changed in it": func(g *ground) {
			g.write("ro/x", "2", 0o644)
			g.write("ro/made", "2", 0o644)
			g.must(os.Remove(g.at("ro/deep/y")))
			g.modes(0o555)
		},
		"a file in its place": func(g *ground) {
			g.must(os.RemoveAll(g.at("ro")))
			g.write("ro", "a file", 0o444)
		},
		"made": func(g *ground) {
			g.write("made/deep/x", "2", 0o444)
			g.must(os.Chmod(g.at("made/deep"), 0o555))
			g.must(os.Chmod(g.at("made"), 0o555))
		},
		"moved": func(g *ground) {
			g.must(os.Rename(g.at("ro"), g.at("other")))
			g.must(os.Chmod(g.at("other"), 0o555))
		},
		"other modes": func(*ground) {},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, nil)
			t.Cleanup(func() { g.usable() })
			g.write("ro/x", "1", 0o444)
			g.write("ro/deep/y", "1", 0o444)
			g.modes(0o555)
			before := g.tree()
			changes := g.command(func() {
				g.modes(0o755)
				run(g)
			})
			after := g.tree()
			undone := g.restore(changes)
			g.same("put back", g.tree(), before)
			g.restore(undone)
			g.same("done again", g.tree(), after)
		})
	}
}

func (g *ground) modes(mode fs.FileMode) {
	g.Helper()
	if mode&0o200 != 0 {
		g.must(os.Chmod(g.at("ro"), mode))
	}
	g.must(os.Chmod(g.at("ro/deep"), mode))
	g.must(os.Chmod(g.at("ro"), mode))
}

// usable lets the test's own directories be removed.
func (g *ground) usable() {
	for _, name := range []string{"ro", "ro/deep", "made", "made/deep", "other", "other/deep"} {
		if info, err := os.Lstat(g.at(name)); err == nil && info.IsDir() {
			g.must(os.Chmod(g.at(name), 0o755))
		}
	}
}
