//go:build unix

package mention_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/mention"
	"reasonix/core/workspace"
)

// TestPM10LinksLeadToNothingHidden: links are resolved before anything is judged, and
// a listing follows none. A workspace that is reached through a link works.
func TestPM10LinksLeadToNothingHidden(t *testing.T) {
	r := newRig(t, map[string]string{"secret/key": "KEY", "a": "text", "../outside/f": "far"})
	for name, target := range map[string]string{"out": "../outside", "leak": "secret", "leak.txt": "secret/key", "loop": "loop", "self": "."} {
		if err := os.Symlink(target, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, typed := range []string{"@leak", "@leak/key", "@leak.txt", "@self/leak/key"} {
		if e := r.expand(typed); e.Blocks != "" || len(e.Notices) != 1 || !strings.Contains(e.Notices[0], "hidden") {
			t.Errorf("%s: %q, %q", typed, e.Blocks, e.Notices)
		}
	}
	if got := r.refs("@out/f @loop @self/a @a"); !slices.Equal(got, []string{filepath.ToSlash(filepath.Join(filepath.Dir(r.dir), "outside/f")), "a"}) {
		t.Errorf("%q", got)
	}
	want := []string{"[6 entries]", "a", "leak", "leak.txt", "loop", "out", "self"}
	if diff := cmp.Diff(r.listed("@./"), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}

	link := filepath.Join(filepath.Dir(r.dir), "link")
	if err := os.Symlink("work", link); err != nil {
		t.Fatal(err)
	}
	files, err := workspace.Open(workspace.Roots{Dir: link}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Files = files
	if got := r.refs("@a @" + link + "/a @" + r.dir + "/a"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q", got)
	}
}

// TestAPipeStopsNothing: nor does what cannot be read.
func TestAPipeStopsNothing(t *testing.T) {
	r := newRig(t, map[string]string{"a": "text"})
	if err := syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := r.expand("@pipe @/dev/zero @a")
	if len(e.Sources) != 1 || len(e.Notices) != 2 || !strings.Contains(e.Notices[0], "@pipe was not read: not a regular file (named pipe)") {
		t.Errorf("%v, %q", e.Sources, e.Notices)
	}
	got := mention.Complete(context.Background(), r.Options, "@pipe", 5)
	if len(got.Items) != 1 {
		t.Errorf("%v", got)
	}
}
