package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

func (b *bench) move(from, to string) string {
	b.Helper()
	return b.ok("move_file", args{"source_path": from, "destination_path": to})
}

func TestMoveFile(t *testing.T) {
	b := open(t)
	b.put("a", "1\r\n")
	if got, want := b.move("a", "new/dir/b"), "moved a to new/dir/b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.holds("new/dir/b", "1\r\n")
	want := []event.Diff{{
		Path:    filepath.ToSlash(filepath.Join(b.dir, "new/dir/b")),
		Unified: "diff --git a/a b/new/dir/b\nsimilarity index 100%\nrename from a\nrename to new/dir/b\n",
	}}
	if d := cmp.Diff(want, b.diffs); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	b.put("new/dir/sub/c", "2")
	b.move("new/dir/", "moved/")
	b.holds("moved/b", "1\r\n")
	b.holds("moved/sub/c", "2")
}

func TestMoveFileRefuses(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := openIn(t, dir, tooltest.Roots(nil, []string{filepath.Join(dir, "d", "secret")}))
	b.put("a", "1")
	b.put("b", "2")
	b.put("d/name.go", "3")
	b.put("d/secret/key", "k")
	for _, tt := range []struct{ name, from, to, word string }{
		{"an existing file", "a", "b", "b exists already"},
		{"an existing directory", "a", "d", "such as d/a"},
		{"itself", "a", "./a", "are the same"},
		{"nothing", "aa", "c", "no such file"},
		{"a near name", "name.go", "c", "nearest: d/name.go"},
		{"out", "a", "../a", "outside the workspace"},
		{"in from outside", "../a", "c", "outside the workspace"},
		{"the workspace", ".", "c", "writable root"},
		{"its parent", "..", "c", "outside the workspace"},
		{"to a hidden place", "a", "d/secret/a", "hidden"},
		{"what is hidden", "d/secret/key", "key", "hidden"},
		{"what holds something hidden", "d", "e", "hidden"},
		{"a file to a directory's name", "a", "c/", "ends like a directory"},
		{"below a file", "a", "b/c", "not a directory"},
		{"an empty name", "", "c", "empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.refused("move_file", args{"source_path": tt.from, "destination_path": tt.to}, tt.word)
		})
	}
	b.put("e/f", "4")
	b.refused("move_file", args{"source_path": "e", "destination_path": "e/f/g"}, "")
	b.refused("move_file", args{"source_path": "e", "destination_path": "e/g/h"}, "the destination lies in it")
}

// TestTheReadGuardMovesAlong: what was seen of a file is seen of it under its
// new name, and nothing is known of another that gets the old one.
func TestTheReadGuardMovesAlong(t *testing.T) {
	b := open(t)
	b.put("d/f", "1\n2\n3\n")
	b.put("whole", "w\n")
	b.read("whole")
	b.ok("read_file", args{"path": "d/f", "limit": 2})
	b.move("d", "e")
	b.move("whole", "d/whole")
	b.ok("write_file", args{"path": "d/whole", "content": "known\n"})
	b.refused("write_file", args{"path": "e/f", "content": "x"}, "only a part")
	b.ok("read_file", args{"path": "e/f", "offset": 3})
	b.ok("write_file", args{"path": "e/f", "content": "known\n"})
	b.put("whole", "another\n")
	b.refused("write_file", args{"path": "whole", "content": "x"}, "have not read it")

	b.put("e/f", "the user's\n")
	b.move("e/f", "g") // it loses nothing
	b.refused("edit_file", args{"path": "g", "old_string": "the", "new_string": "x"}, "changed on disk", "+the user's")
}

func TestMoveSubjectNamesBothEnds(t *testing.T) {
	b := open(t)
	got := b.tools["move_file"].(tool.Subjecter).Subject([]byte(`{"source_path":"a","destination_path":"d/../b"}`))
	got.Preview = nil
	want := tool.Subject{Title: "Move a to b", Kind: "edit", Paths: []string{filepath.Join(b.dir, "a"), filepath.Join(b.dir, "b")}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestMoveChangesLetterCase(t *testing.T) {
	b := open(t)
	b.put("readme.md", "1")
	b.move("readme.md", "README.md")
	b.holds("README.md", "1")
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "README.md" {
		t.Errorf("the directory holds %v", entries)
	}
}
