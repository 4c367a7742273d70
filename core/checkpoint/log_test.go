package checkpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/checkpoint"
)

// killed leaves the Store as a killed process does and makes another of its directory.
func (g *ground) killed() *checkpoint.Store {
	g.Helper()
	old := filepath.Join(g.T.TempDir(), "left")
	g.left = old
	g.must(os.CopyFS(old, os.DirFS(g.kept)))
	for _, name := range []string{"sight.log", "sight.pack"} {
		if info, err := os.Stat(filepath.Join(g.kept, name)); err == nil {
			g.must(os.Chtimes(filepath.Join(old, name), time.Time{}, info.ModTime()))
		}
	}
	next := checkpoint.New(checkpoint.Options{Dir: old, Root: g.root, Roots: func() []string { return []string{g.root} }})
	g.T.Cleanup(func() { g.must(next.Close()) })
	return next
}

func targets(changes []checkpoint.Change) (all []checkpoint.Target) {
	for _, c := range changes {
		all = append(all, checkpoint.Target{Path: c.Path, Want: c.Before, Expect: c.After, Lost: c.Lost})
	}
	return all
}

// A process is killed while a command runs, the second of its life: the next one tells
// what the command changed, and puts it back.
func TestACallThatWasCutOffIsRecovered(t *testing.T) {
	g := newGround(t, nil)
	g.write("kept", "1", 0o644)
	g.write("gone", "1", 0o644)
	g.write("bits", "1", 0o755)
	g.write("sub/deep", "\x00\xff", 0o600)
	g.must(g.store.Begin(t.Context(), true))
	g.write("kept", "2", 0o644)
	g.write("between", "1", 0o644)
	if _, err := g.store.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := g.tree()
	g.must(g.store.Begin(t.Context(), true))
	g.write("kept", "3", 0o644)
	g.must(os.Remove(g.at("gone")))
	g.must(os.RemoveAll(g.at("sub")))
	g.must(os.Chmod(g.at("bits"), 0o600))
	g.write("made/new", "1", 0o644)

	next := g.killed()
	changes, _, err := next.Recover(t.Context())
	g.must(err)
	if done, kept := next.Restore(t.Context(), targets(changes)); len(kept) > 0 {
		t.Errorf("restored %+v, kept %+v", done, kept)
	}
	if d := cmp.Diff(want, g.tree()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	g.must(next.Forget())
	if again, found, err := next.Recover(t.Context()); err != nil || found || len(again) > 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// What was found out is found out again until somebody says that it is recorded: by the
// same process, behind an error, and by the next one.
func TestWhatWasCutOffIsThereUntilItIsRecorded(t *testing.T) {
	g := newGround(t, nil)
	g.write("a", "1", 0o644)
	g.write("b", "1", 0o644)
	want := g.tree()
	g.must(g.store.Begin(t.Context(), true))
	g.write("a", "2", 0o644)
	g.must(os.Remove(g.at("b")))

	first := g.killed()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := first.Recover(stopped); err == nil {
		t.Fatal("it looked in no time")
	}
	once, found, err := first.Recover(t.Context())
	if err != nil || !found || len(once) != 2 {
		t.Fatalf("%+v, %v, %v", once, found, err)
	}
	g.must(first.Close())
	next := checkpoint.New(checkpoint.Options{Dir: g.left, Root: g.root, Roots: func() []string { return []string{g.root} }})
	defer next.Close()
	again, found, err := next.Recover(t.Context())
	if err != nil || !found {
		t.Fatalf("%v, %v", found, err)
	}
	if d := cmp.Diff(once, again); d != "" {
		t.Errorf("the next process (-first +next):\n%s", d)
	}
	g.must(next.Forget())
	if _, kept := next.Restore(t.Context(), targets(again)); len(kept) > 0 {
		t.Errorf("kept %+v", kept)
	}
	g.same("put back", g.tree(), want)
	if sights, _ := filepath.Glob(filepath.Join(g.left, "sight.*")); len(sights) > 0 {
		t.Errorf("left behind: %q", sights)
	}
}

// What a tool of this process announced is recovered without a look through the
// directory.
func TestAnEditThatWasCutOffIsRecovered(t *testing.T) {
	g := newGround(t, nil)
	g.write("a", "1", 0o644)
	want := g.tree()
	g.must(g.store.Begin(t.Context(), false))
	g.store.Before(g.at("a"))
	g.write("a", "2", 0o644)
	g.store.Before(g.at("dir/b"))
	g.write("dir/b", "1", 0o644)
	next := g.killed()
	changes, _, err := next.Recover(t.Context())
	g.must(err)
	next.Restore(t.Context(), targets(changes))
	if d := cmp.Diff(want, g.tree()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What somebody wrote after the process had ended is theirs.
func TestWhatWasWrittenAfterTheEndIsNotTakenBack(t *testing.T) {
	g := newGround(t, nil)
	g.write("a", "1", 0o644)
	g.write("b", "1", 0o644)
	g.must(g.store.Begin(t.Context(), true))
	g.write("a", "2", 0o644)
	g.write("b", "2", 0o644)
	next := g.killed()
	info, err := os.Stat(filepath.Join(g.kept, "sight.log"))
	g.must(err)
	tick := time.NewTicker(20 * time.Millisecond) // until the disk's clock is past the end
	defer tick.Stop()
	for range tick.C {
		g.write("b", "mine", 0o644)
		now, err := os.Stat(g.at("b"))
		g.must(err)
		if now.ModTime().Sub(info.ModTime()) > 1500*time.Millisecond {
			break
		}
	}
	changes, _, err := next.Recover(t.Context())
	g.must(err)
	_, kept := next.Restore(t.Context(), targets(changes))
	got := g.tree()
	if !strings.HasSuffix(got["a"], "1") || !strings.HasSuffix(got["b"], "mine") {
		t.Errorf("%q", got)
	}
	if len(kept) != 1 || kept[0].Path != g.at("b") {
		t.Errorf("kept %+v", kept)
	}
}

// A log or a pack that is damaged or cut off recovers what it can and breaks nothing.
func TestADamagedLogIsNoLog(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"log cut":   func(dir string) error { return os.Truncate(filepath.Join(dir, "sight.log"), 30) },
		"log empty": func(dir string) error { return os.Truncate(filepath.Join(dir, "sight.log"), 0) },
		"pack gone": func(dir string) error { return os.Remove(filepath.Join(dir, "sight.pack")) },
		"pack cut":  func(dir string) error { return os.Truncate(filepath.Join(dir, "sight.pack"), 1) },
		"both gone": func(dir string) error { return os.RemoveAll(dir) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, nil)
			g.write("a", "first content", 0o644)
			g.must(g.store.Begin(t.Context(), true))
			g.write("a", "second content", 0o644)
			want := g.tree()
			next := g.killed()
			dirs, err := filepath.Glob(filepath.Join(filepath.Dir(g.kept), "..", "*", "left"))
			g.must(err)
			for _, dir := range dirs {
				g.must(damage(dir))
			}
			changes, _, err := next.Recover(t.Context())
			g.must(err)
			done, _ := next.Restore(t.Context(), targets(changes))
			if d := cmp.Diff(want, g.tree()); d != "" || len(done) > 0 {
				t.Errorf("restored %+v (-want +got):\n%s", done, d)
			}
		})
	}
}

// What a command left in the background does behind the call is found between calls.
func TestBetweenCalls(t *testing.T) {
	g := newGround(t, nil)
	g.write("a", "1", 0o644)
	if changes, err := g.store.Between(t.Context()); err != nil || len(changes) > 0 {
		t.Errorf("before the first look: %+v, %v", changes, err)
	}
	g.must(g.store.Begin(t.Context(), true))
	if _, err := g.store.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := g.tree()
	g.write("a", "2", 0o644)
	g.write("b", "2", 0o644)
	changes, err := g.store.Between(t.Context())
	g.must(err)
	if len(changes) != 2 {
		t.Fatalf("%+v", changes)
	}
	if again, err := g.store.Between(t.Context()); err != nil || len(again) > 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
	g.store.Restore(t.Context(), targets(changes))
	if d := cmp.Diff(want, g.tree()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A call that had not begun when the process was killed changed nothing, and what the one
// before it changed is recorded.
func TestACallThatHadNotBegunIsNotRecovered(t *testing.T) {
	g := newGround(t, nil)
	g.write("a", "1", 0o644)
	g.must(g.store.Begin(t.Context(), true))
	g.write("a", "2", 0o644)
	if _, err := g.store.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.store.Begin(ctx, true); err == nil {
		t.Fatal("a call began without a look")
	}
	if changes, found, err := g.killed().Recover(t.Context()); err != nil || !found || len(changes) > 0 {
		t.Errorf("%+v, %v, %v", changes, found, err)
	}
}
