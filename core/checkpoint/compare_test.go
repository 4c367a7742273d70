package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/checkpoint"
)

// settle waits until the clock of the disk goes on: what was made so far is older than
// what is made from then on.
func (g *ground) settle() {
	g.Helper()
	probe := func() int64 {
		at := filepath.Join(g.TempDir(), "probe")
		g.must(os.WriteFile(at, nil, 0o600))
		info, err := os.Stat(at)
		g.must(err)
		return info.ModTime().UnixNano()
	}
	for first := probe(); probe() <= first; {
		continue
	}
}

func names(g *ground, changes []checkpoint.Change) string {
	var all []string
	for _, c := range changes {
		rel, err := filepath.Rel(g.root, c.Path)
		g.must(err)
		all = append(all, filepath.ToSlash(rel))
	}
	return strings.Join(all, " ")
}

// What was there and was not looked at is the user's, whatever a call does to make it
// visible.
func TestWhatBecomesVisibleWasNotMadeByTheCall(t *testing.T) {
	for name, show := range map[string]func(*ground){
		"the rules are rewritten": func(g *ground) { g.write(".gitignore", "nothing\n", 0o644) },
		"the rules are removed":   func(g *ground) { g.must(os.Remove(g.at(".gitignore"))) },
		"its permissions change": func(g *ground) {
			g.write(".gitignore", "", 0o644)
			g.must(os.Chmod(g.at(".env"), 0o644))
			g.must(os.Chmod(g.at("local"), 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, nil)
			g.write(".gitignore", ".env\nlocal\n", 0o644)
			g.write(".env", "SECRET=1", 0o600)
			g.write("local/db.sqlite", "data", 0o600)
			g.settle()
			changes := g.command(func() {
				show(g)
				g.write("made", "x", 0o644)
				g.write("local/made", "x", 0o644)
			})
			if got := names(g, changes); got != ".gitignore local/made made" {
				t.Errorf("changed: %s", got)
			}
			g.restore(changes)
			tree := g.tree()
			if tree[".env"] == "" || tree["local/db.sqlite"] == "" || tree["made"] != "" || tree["local/made"] != "" {
				t.Errorf("tree %v", tree)
			}
		})
	}
}

// What is moved or linked within the directory is as old as ever and new at its place.
func TestWhatIsMovedIsMovedBack(t *testing.T) {
	for name, move := range map[string]func(*ground){
		"a file":      func(g *ground) { g.must(os.Rename(g.at("d/a"), g.at("b"))) },
		"a directory": func(g *ground) { g.must(os.Rename(g.at("d"), g.at("c"))) },
		"a file that is written on": func(g *ground) {
			g.must(os.Rename(g.at("d/a"), g.at("b")))
			g.must(os.WriteFile(g.at("b"), []byte("longer than it was"), 0o600))
		},
		"another link": func(g *ground) { g.must(os.Link(g.at("d/a"), g.at("b"))) },
		"a link in its place": func(g *ground) {
			g.must(os.Rename(g.at("d"), g.at("d.real")))
			g.must(os.Symlink("d.real", g.at("d")))
		},
		"two change places": func(g *ground) {
			g.must(os.Rename(g.at("d"), g.at("t")))
			g.must(os.Rename(g.at("e"), g.at("d")))
			g.must(os.Rename(g.at("t"), g.at("e")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, nil)
			for i := range 3 {
				g.write(fmt.Sprint("d/deep/f", i), fmt.Sprint("text ", i), 0o640)
			}
			g.write("d/a", "a", 0o644)
			g.write("e/x", "x", 0o644)
			g.settle()
			before := g.tree()
			changes := g.command(func() { move(g) })
			after := g.tree()
			undone := g.restore(changes)
			g.same("put back", g.tree(), before)
			g.restore(undone)
			g.same("done again", g.tree(), after)
		})
	}
}

// What a call changes and has ignored in the same breath is put back all the same.
func TestWhatIsChangedAndIgnoredIsPutBack(t *testing.T) {
	g := newGround(t, nil)
	g.write("conf", "1", 0o644)
	g.write("same", "1", 0o644)
	g.write("log/x", "1", 0o644)
	before := g.tree()
	changes := g.command(func() {
		g.write(".gitignore", "conf\nsame\nlog\n", 0o644)
		g.write("conf", "2", 0o600)
		g.write("log/x", "2", 0o644)
	})
	if got := names(g, changes); got != ".gitignore conf log/x" {
		t.Errorf("changed: %s", got)
	}
	g.restore(changes)
	g.same("put back", g.tree(), before)
}
