package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"reasonix/core/workspace"
)

// Git takes the nearest .git, or the nearest directory that looks like one.
func TestRepositoryIsWhatGitWouldFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"r/.git", "r/a/b", "r/module", "r/bare/in", "r/linked", "none/a", "both/.git"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"r/module/.git", "r/bare/HEAD", "r/file", "both/HEAD"} {
		if err := os.WriteFile(filepath.Join(root, file), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"r": "r", "r/a": "r", "r/a/b": "r", "r/linked": "r", "r/module": "r/module", "r/bare": "", "r/bare/in": "",
		"none": "", "none/a": "", "r/gone": "", "r/file": "", "r/a/../../none": "", "both": "",
	} {
		if want != "" {
			want = filepath.Join(root, want)
		}
		if got := workspace.Repository(filepath.Join(root, dir)); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	link := filepath.Join(root, "r", "a", "link")
	if os.Symlink(filepath.Join(root, "r", "bare", "in"), link) != nil {
		return // this machine lets nobody make links
	}
	if got := workspace.Repository(link); got != "" {
		t.Errorf("a link into a directory that looks like a repository: %q", got)
	}
}
