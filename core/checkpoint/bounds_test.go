package checkpoint_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"reasonix/core/checkpoint"
)

// The bounds are for what is copied beforehand. What a call does is recorded even when
// there was too much to look at before it.
func TestWhatIsMadeBeyondTheBoundsIsRemoved(t *testing.T) {
	for name, bound := range map[string]func(*checkpoint.Options){
		"many files": func(o *checkpoint.Options) { o.MaxFiles = 2 },
		"many bytes": func(o *checkpoint.Options) { o.MaxSight = 8 },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, bound)
			for i := range 10 {
				g.write(fmt.Sprint("f", i), fmt.Sprint("text ", i), 0o644)
			}
			before := g.tree()
			g.restore(g.command(func() {
				for i := range 10 {
					g.write(fmt.Sprint("new/f", i), fmt.Sprint("new text ", i), 0o644)
				}
			}))
			g.same("put back", g.tree(), before)
		})
	}
}

func TestDirectoriesAreNotCounted(t *testing.T) {
	g := newGround(t, func(o *checkpoint.Options) { o.MaxFiles = 3 })
	for i := range 10 {
		g.must(os.Mkdir(g.at(fmt.Sprint("d", i)), 0o755))
	}
	g.write("a", "1", 0o644)
	g.write("b", "1", 0o644)
	before := g.tree()
	g.restore(g.command(func() { g.write("a", "2", 0o644) }))
	g.same("put back", g.tree(), before)
}

// Nobody else is blamed for what was never read.
func TestTheReasonIsTheTrueOne(t *testing.T) {
	g := newGround(t, func(o *checkpoint.Options) { o.MaxFile = 10 })
	g.write("shrinks", "a text that is long", 0o644)
	g.write("grows", "short", 0o644)
	changes := g.command(func() {
		g.write("shrinks", "short", 0o644)
		g.write("grows", "a text that is long", 0o644)
		g.write("made", "another long text", 0o644)
	})
	_, kept := g.store.Restore(t.Context(), back(changes))
	if len(kept) != 3 {
		t.Errorf("left alone: %+v", kept)
	}
	for _, k := range kept {
		if !strings.Contains(k.Reason, "over the limit of 10") {
			t.Errorf("%s: %s", k.Path, k.Reason)
		}
	}
}

// Where there is no copy of what a call moved, it stays where the call put it.
func TestTheOnlyCopyIsNotRemoved(t *testing.T) {
	for name, move := range map[string]func(*ground){
		"moved": func(g *ground) { g.must(os.Rename(g.at("z"), g.at("a"))) },
		"copied": func(g *ground) {
			g.write("a/x", "the text", 0o644)
			g.must(os.RemoveAll(g.at("z")))
		},
		"moved and changed": func(g *ground) {
			g.must(os.Rename(g.at("z"), g.at("a")))
			g.must(os.WriteFile(g.at("a/x"), []byte("the text and more"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, func(o *checkpoint.Options) { o.MaxSight = 4 })
			g.write("z/x", "the text", 0o644)
			g.settle()
			changes := g.command(func() {
				move(g)
				g.write("made", "else", 0o644)
			})
			_, kept := g.store.Restore(t.Context(), back(changes))
			tree := g.tree()
			if !strings.Contains(tree["a/x"], "the text") || tree["made"] != "" {
				t.Errorf("tree %v, left alone %+v", tree, kept)
			}
		})
	}
}
