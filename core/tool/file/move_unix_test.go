//go:build unix

package file_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMoveTakesALinkItself(t *testing.T) {
	b := open(t)
	outside := t.TempDir()
	b.put("real/f", "1")
	b.link("real/f", "link")
	b.link(outside, "out")
	b.link("nowhere", "dangling")
	if out := b.move("link", "d/link"); !strings.Contains(out, "still is real/f") {
		t.Errorf("the result does not warn: %q", out)
	}
	b.move("out", "d/out")
	b.move("dangling", "d/dangling")
	for name, want := range map[string]string{"d/link": "real/f", "d/out": outside, "d/dangling": "nowhere"} {
		if got, err := os.Readlink(filepath.Join(b.dir, name)); err != nil || got != want {
			t.Errorf("%s leads to %q, %v; want %q", name, got, err, want)
		}
	}
	b.holds("real/f", "1")
	b.link("nowhere", "taken")
	b.refused("move_file", args{"source_path": "real/f", "destination_path": "taken"}, "exists already")
	b.link(outside, "away")
	b.refused("move_file", args{"source_path": "real/f", "destination_path": "away/f"}, "outside the workspace")
	b.put("x", "1")
	put(t, outside, "theirs", "2")
	b.refused("move_file", args{"source_path": "away/theirs", "destination_path": "mine"}, "outside the workspace")
}

func TestMoveKeepsModeAndTime(t *testing.T) {
	b := open(t)
	for name, mode := range map[string]fs.FileMode{"run.sh": 0o755, "k.pem": 0o600, "ro": 0o444} {
		b.put(name, "x")
		b.chmod(name, mode)
		before, err := os.Stat(filepath.Join(b.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		b.move(name, "d/"+name)
		after, err := os.Stat(filepath.Join(b.dir, "d", name))
		if err != nil {
			t.Fatal(err)
		}
		if after.Mode() != mode || !after.ModTime().Equal(before.ModTime()) {
			t.Errorf("%s: %v %v, want %v %v", name, after.Mode(), after.ModTime(), mode, before.ModTime())
		}
	}
}

// TestHardLinksAreTwoFiles: a name that differs in letter case only is no
// spelling of the same entry when the directory holds both.
func TestHardLinksAreTwoFiles(t *testing.T) {
	b := open(t)
	b.put("a", "1")
	if err := os.Link(filepath.Join(b.dir, "a"), filepath.Join(b.dir, "b")); err != nil {
		t.Fatal(err)
	}
	b.refused("move_file", args{"source_path": "a", "destination_path": "b"}, "exists already")
	b.move("a", "c")
	b.holds("b", "1")
	b.edit("c", "1", "2")
	b.holds("b", "2")
}
