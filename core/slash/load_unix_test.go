//go:build unix

package slash_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/slash"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsFollowedOut: nor does a pipe in a file's place stop anything.
func TestNothingIsFollowedOut(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "commands")
	write(t, top, "secret.md", "secret")
	write(t, dir, "real.md", "---\ndescription: real\n---\nreal$3")
	link(t, "../secret.md", filepath.Join(dir, "out.md"))
	link(t, filepath.Join(top, "secret.md"), filepath.Join(dir, "absolute.md"))
	link(t, "real.md", filepath.Join(dir, "same.md"))
	link(t, "nowhere", filepath.Join(dir, "dangling.md"))
	link(t, ".", filepath.Join(dir, "loop"))
	link(t, "loop2.md", filepath.Join(dir, "loop2.md"))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, problems := load(t, slash.Dir{Path: dir, Source: slash.SourceProject})
	if diff := cmp.Diff(list, []loaded{{"real", "", "real", "real"}, {"same", "", "real", "real"}}); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	var named []string
	for _, p := range problems {
		name, _, _ := strings.Cut(p, ":")
		named = append(named, name)
	}
	if diff := cmp.Diff(named, []string{"absolute.md", "dangling.md", "loop", "loop2.md", "out.md", "pipe.md"}); diff != "" {
		t.Errorf("%q\n%s", problems, diff)
	}
}

// TestAProjectsDirectoryStaysInside: a user's may be a link to anywhere.
func TestAProjectsDirectoryStaysInside(t *testing.T) {
	project, other := t.TempDir(), t.TempDir()
	write(t, other, "x.md", "x")
	link(t, other, filepath.Join(project, "commands"))
	d := slash.Dir{Path: filepath.Join(project, "commands"), Source: slash.SourceUser}
	if list, problems := slash.Load(d); len(list) != 1 || len(problems) != 0 {
		t.Errorf("a user's: %v, %v", list, problems)
	}
	d.Within = project
	if list, problems := slash.Load(d); len(list) != 0 || len(problems) != 1 {
		t.Errorf("a project's: %v, %v", list, problems)
	}
}
