//go:build unix

package walk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/internal/walk"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func TestGR04LinkedIgnoreFileCounts(t *testing.T) {
	dir := tree(t, "rules=build/\n", "build/out.js", "src/a")
	link(t, "rules", filepath.Join(dir, ".gitignore"))
	if diff := cmp.Diff([]string{"rules", "src/a"}, found(t, options{Dir: dir})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestForbiddenIgnoreFileIsNotOpened(t *testing.T) {
	dir := tree(t, "secret/rules=a\n", "a")
	link(t, "secret/rules", filepath.Join(dir, ".gitignore"))
	forbid := func(abs string) bool { return strings.HasPrefix(abs, filepath.Join(dir, "secret")) }
	if diff := cmp.Diff([]string{"a"}, found(t, options{Dir: dir, Forbid: forbid})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestGR02LinkCyclesAreNotFollowed(t *testing.T) {
	dir := tree(t, "a/f.go", "g.go")
	link(t, "..", filepath.Join(dir, "a", "up"))
	link(t, "x", filepath.Join(dir, "x"))
	link(t, "g.go", filepath.Join(dir, "same.go"))
	if diff := cmp.Diff([]string{"a/f.go", "g.go"}, found(t, options{Dir: dir})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestUnreadableDirectoryIsNamed uses a path longer than the system opens: modes
// do not bind a test that runs as root.
func TestUnreadableDirectoryIsNamed(t *testing.T) {
	dir := tree(t, "a")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 25)
	if err := root.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	w := walk.New(options{Dir: dir})
	if err := w.Run(context.Background(), func(int, walk.File) {}); err != nil {
		t.Fatal(err)
	}
	bad := w.Skipped()
	if bad.Count != 1 || len(bad.First) != 1 || !strings.HasPrefix(bad.First[0], "ddd") {
		t.Errorf("got %+v", bad)
	}
}

// What a repository may put in the place of a file with rules is not waited for and
// not read into memory; it has no rules.
func TestHostileRulesAreNone(t *testing.T) {
	hole := func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 3<<30)) }
	for what, put := range map[string]func(path string) error{
		"pipe":         func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"link to pipe": func(p string) error { return errors.Join(syscall.Mkfifo(p+"~", 0o600), os.Symlink(p+"~", p)) },
		"endless":      func(p string) error { return os.Symlink("/dev/zero", p) },
		"kernel's log": func(p string) error { return os.Symlink("/proc/kmsg", p) },
		"hole":         hole,
	} {
		for _, name := range []string{".gitignore", ".git/config", ".git/commondir", ".git/info/exclude", ".git/index"} {
			dir := tree(t, "a", "b", "c", ".git/HEAD", ".git/info/x")
			want := []string{"a", "b", "c"}
			if name == ".git/index" { // only a rule that hides something makes a walk read it
				write(t, filepath.Join(dir, ".gitignore"), "c\n")
				want = want[:2]
			}
			if err := put(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
			done := make(chan []string, 1)
			go func() { done <- found(t, options{Dir: dir}) }()
			select {
			case got := <-done:
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s as %s: -want +got\n%s", what, name, diff)
				}
			case <-time.After(2 * time.Second):
				t.Fatalf("%s as %s: the walk does not end", what, name)
			}
		}
	}
}
