package checkpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reasonix/core/checkpoint"
)

// With a full disk what files were stays where it is, for this process and the next, and
// the call says so.
func TestWhatFilesWereOutlivesAFullDisk(t *testing.T) {
	g := newGround(t, nil)
	g.write("gone", "precious", 0o640)
	g.write("grown", "1", 0o644)
	want := g.tree()
	g.must(g.store.Begin(t.Context(), true))
	g.must(os.Remove(g.at("gone")))
	g.write("grown", "12", 0o644)
	g.store.FailWrites(syscall.ENOSPC)
	changes, err := g.store.End(t.Context())
	if err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		t.Errorf("told: %v", err)
	}
	if len(changes) != 2 || changes[0].Lost != "" || changes[1].Lost != "" {
		t.Fatalf("%+v", changes)
	}
	second := g.command(func() { g.write("made", "x", 0o644) }) // the pack is another one now
	g.must(g.store.Close())

	next := checkpoint.New(checkpoint.Options{Dir: g.kept, Root: g.root, Roots: func() []string { return []string{g.root} }})
	defer next.Close()
	for _, part := range [][]checkpoint.Change{second, changes} {
		if _, kept := next.Restore(t.Context(), targets(part)); len(kept) > 0 {
			t.Errorf("kept %+v", kept)
		}
	}
	g.same("put back", g.tree(), want)
}

// What has no copy at all is named when the call ends.
func TestWhatCouldNotBeCopiedIsNamedAtTheCall(t *testing.T) {
	g := newGround(t, nil)
	g.write("a", "1", 0o644)
	g.must(g.store.Begin(t.Context(), false))
	g.store.FailWrites(syscall.ENOSPC)
	g.store.Before(g.at("a"))
	g.write("a", "2", 0o644)
	changes, err := g.store.End(t.Context())
	if len(changes) != 1 || changes[0].Lost == "" || err == nil || !strings.Contains(err.Error(), g.at("a")) {
		t.Errorf("%+v, %v", changes, err)
	}
	g.store.FailWrites(nil)
	if changes := g.command(func() { g.write("a", "3", 0o644) }); len(changes) != 1 {
		t.Errorf("%+v", changes)
	}
}

// A link in the place of the log or of the pack is not written through.
func TestLinksInThePlaceOfItsFilesAreReplaced(t *testing.T) {
	for _, name := range []string{"sight.log", "sight.pack"} {
		g := newGround(t, nil)
		theirs := filepath.Join(t.TempDir(), "theirs")
		g.must(os.WriteFile(theirs, []byte("precious"), 0o600))
		g.must(os.MkdirAll(g.kept, 0o700))
		g.must(os.Symlink(theirs, filepath.Join(g.kept, name)))
		if _, found, err := g.store.Recover(t.Context()); found || err != nil {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
		g.write("a", "1", 0o644)
		g.restore(g.command(func() { g.write("a", "2", 0o644) }))
		if data, err := os.ReadFile(theirs); err != nil || string(data) != "precious" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}
