//go:build unix

package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/memory"
)

// What cannot be written leaves every file as it was, and says where.
func TestADirectoryThatIsAFile(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	if err := os.RemoveAll(filepath.Join(d.dirs.Project, ".archive")); err != nil {
		t.Fatal(err)
	}
	d.put(filepath.Join(d.dirs.Project, ".archive"), "a file")
	before := d.tree()
	draft := f.Draft()
	draft.Body = "next"
	if _, err := d.Save(draft); err == nil || !strings.Contains(err.Error(), ".archive") {
		t.Errorf("save: %v", err)
	}
	if _, err := d.Forget(f.ID, 0, ""); err == nil {
		t.Error("forgotten without a copy")
	}
	if diff := cmp.Diff(before, d.tree()); diff != "" {
		t.Errorf("changed:\n%s", diff)
	}
}

func TestPipesAndLinksAmongFacts(t *testing.T) {
	d := newDesk(t)
	d.save(pnpm)
	if err := syscall.Mkfifo(filepath.Join(d.dirs.Project, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), "dotfiles.md")
	d.put(mine, "# Kept elsewhere\n\nbody")
	if err := os.Symlink(mine, filepath.Join(d.dirs.Project, "link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nonexistent", filepath.Join(d.dirs.Project, "dangling.md")); err != nil {
		t.Fatal(err)
	}
	found := d.list(memory.Filter{})
	if len(found.Facts) != 2 || len(found.Problems) != 1 || !strings.Contains(found.Problems[0].Text, "pipe") {
		t.Fatalf("facts %+v, problems %v", found.Facts, found.Problems)
	}
	f, err := d.Get("link")
	if err != nil {
		t.Fatal(err)
	}
	draft := f.Draft()
	draft.Body = "changed"
	d.save(draft)
	if text := d.read(mine); !strings.Contains(text, "changed") {
		t.Errorf("the file behind the link is\n%s", text)
	}
}

func TestFilesArePrivate(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	for path, want := range map[string]os.FileMode{f.Path: 0o600, d.dirs.Project: 0o700, filepath.Join(d.dirs.Project, ".archive"): 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}
