package workspace_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/workspace"
)

// git runs git with no configuration but the repository's.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e",
		"GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e", "GIT_ALLOW_PROTOCOL=file", "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repositories are main with the linked worktree tree, its sibling other, and the
// submodule main/lib; bare with the linked worktree of-bare.
func repositories(t *testing.T) (top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	noErr(t, err)
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"main", "source"} {
		noErr(t, os.Mkdir(at(dir), 0o755))
		git(t, at(dir), "init", "-q")
		noErr(t, os.WriteFile(filepath.Join(at(dir), "f"), []byte("1\n"), 0o644))
		git(t, at(dir), "add", "f")
		git(t, at(dir), "commit", "-q", "-m", "one")
	}
	git(t, at("main"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", at("source"), "lib")
	git(t, at("main"), "commit", "-q", "-m", "two")
	git(t, at("main"), "worktree", "add", "-q", at("tree"))
	git(t, at("main"), "worktree", "add", "-q", at("other"))
	git(t, top, "clone", "-q", "--bare", "source", "bare")
	git(t, at("bare"), "worktree", "add", "-q", "-b", "b", at("of-bare"))
	return top
}

// stamps are all files below dir by what a write changes.
func stamps(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	noErr(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = workspace.Hash(data)
		return err
	}))
	return all
}

// TestPM23CommitWritesOnlyWhatIsConfined: in a plain repository, a linked worktree
// (also of a bare repository) and a submodule, everything a commit changes is
// writable for commands, and what leads git to commands is not, nor is a sibling.
func TestPM23CommitWritesOnlyWhatIsConfined(t *testing.T) {
	top := repositories(t)
	for _, tt := range []struct {
		dir      string
		only     []string // writable besides the workspace
		readOnly []string
	}{
		{"main", nil, []string{
			"main/.git/hooks/x", "main/.git/config", "main/.git/commondir", "main/.git/config.worktree", "main/.git/modules/lib/config",
			"main/.git/modules/lib/hooks/x", "main/.git/worktrees/tree/commondir", "main/lib/.git", "main/.envrc", "tree/f",
		}},
		{"tree", []string{"main/.git/worktrees/tree", "main/.git/objects", "main/.git/refs", "main/.git/logs"}, []string{
			"tree/.git", "main/.git/hooks/x", "main/.git/config", "main/.git/HEAD", "main/.git/index", "main/.git/worktrees/other/HEAD",
			"main/.git/worktrees/tree/commondir", "main/.git/worktrees/tree/gitdir", "main/.git/worktrees/tree/config.worktree", "main/f", "other/f",
		}},
		{"of-bare", []string{"bare/worktrees/of-bare", "bare/objects", "bare/refs", "bare/logs"}, []string{
			"of-bare/.git", "bare/hooks/x", "bare/config", "bare/HEAD",
		}},
		{"main/part/deep", []string{"main/.git"}, []string{
			"main/.git/hooks/x", "main/.git/config", "main/.git/commondir", "main/.git/modules/lib/config", "main/f", "main/part/f", "tree/f",
		}},
		{"tree/part", []string{"main/.git/worktrees/tree", "main/.git/objects", "main/.git/refs", "main/.git/logs"}, []string{
			"tree/.git", "tree/f", "main/.git/hooks/x", "main/.git/config", "main/.git/HEAD", "main/.git/worktrees/tree/gitdir", "main/f",
		}},
		{"main/lib", []string{"main/.git/modules/lib"}, []string{
			"main/lib/.git", "main/.git/modules/lib/config", "main/.git/modules/lib/hooks/x", "main/.git/config", "main/.git/hooks/x", "main/f",
		}},
	} {
		t.Run(tt.dir, func(t *testing.T) {
			dir := filepath.Join(top, filepath.FromSlash(tt.dir))
			noErr(t, os.MkdirAll(dir, 0o755))
			places := workspace.PlacesOf(workspace.PlacesInput{Dir: dir})
			files, err := workspace.Open(places.Roots(dir), nil)
			noErr(t, err)
			noErr(t, files.Prepare())
			confined := files.Confined()
			for _, name := range tt.only {
				if !slices.Contains(confined.Writable, filepath.Join(top, filepath.FromSlash(name))) {
					t.Errorf("%s is not writable in\n%s", name, strings.Join(confined.Writable, "\n"))
				}
			}
			for _, name := range tt.readOnly {
				abs := filepath.Join(top, filepath.FromSlash(name))
				if got := bash(confined, abs); got != "r" {
					t.Errorf("%s: bash %q", name, got)
				}
				if _, err := files.WritePath(abs); err == nil {
					t.Errorf("%s can be written by a file tool", name)
				}
			}
			before := stamps(t, top)
			noErr(t, os.WriteFile(filepath.Join(dir, "f"), []byte("2\n"), 0o644))
			git(t, dir, "add", "f")
			git(t, dir, "commit", "-q", "-m", "more")
			git(t, dir, "checkout", "-q", "-b", "new-"+filepath.Base(dir))
			changed := 0
			for path, hash := range stamps(t, top) {
				if before[path] == hash {
					continue
				}
				changed++
				if got := bash(confined, path); got != "rw" {
					t.Errorf("a commit changes %s: bash %q", path, got)
				}
			}
			if changed < 5 {
				t.Errorf("a commit changed %d files", changed)
			}
		})
	}
}

// TestGitFileOfAStranger: a .git that leads to somebody's directory opens nothing,
// be it unpacked from an archive or copied from another worktree.
func TestGitFileOfAStranger(t *testing.T) {
	top := repositories(t)
	victim := filepath.Join(top, "victim")
	for _, dir := range []string{"objects", "refs", "worktrees/x"} {
		noErr(t, os.MkdirAll(filepath.Join(victim, dir), 0o755))
	}
	tree, err := os.ReadFile(filepath.Join(top, "tree", ".git"))
	noErr(t, err)
	lib, err := os.ReadFile(filepath.Join(top, "main", "lib", ".git"))
	noErr(t, err)
	for name, text := range map[string]string{
		"a directory":           "gitdir: " + victim + "\n",
		"a part of one":         "gitdir: " + filepath.Join(victim, "worktrees", "x"),
		"a worktree's":          string(tree),
		"a submodule's":         string(lib),
		"an absolute submodule": "gitdir: " + filepath.Join(top, "main", ".git", "modules", "lib"),
		"the repository itself": "gitdir: " + filepath.Join(top, "main", ".git"),
		"nothing":               "gitdir: nowhere",
		"no path":               "gitdir: \n",
		"other text":            "hello",
		"two lines":             "gitdir: " + victim + "\ngitdir: x",
	} {
		dir := filepath.Join(top, "strange")
		noErr(t, os.MkdirAll(dir, 0o755))
		noErr(t, os.WriteFile(filepath.Join(dir, ".git"), []byte(text), 0o644))
		files, err := workspace.Open(workspace.PlacesOf(workspace.PlacesInput{Dir: dir}).Roots(dir), nil)
		noErr(t, err)
		if d := cmp.Diff([]string{dir}, files.Confined().Writable); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// TestConfinedFindsNestedNames: what is protected below the workspace at its start
// is held for commands, as far as the search goes.
func TestConfinedFindsNestedNames(t *testing.T) {
	e := newEstate(t, nil)
	git(t, e.at("h/w/sub"), "init", "-q", "nested")
	e.put("h/w/a/b/c/.vscode/tasks.json", "{}")
	e.put("h/w/node_modules/p/.envrc", "x")
	fs, err := workspace.Open(e.places.Roots(e.at("h/w")), nil)
	noErr(t, err)
	confined := fs.Confined()
	for name, want := range map[string]string{
		"h/w/sub/.envrc": "r", "h/w/sub/nested/.git/config": "r", "h/w/sub/nested/.git/hooks/x": "r", "h/w/sub/nested/.git/index": "rw",
		"h/w/a/b/c/.vscode/tasks.json": "r", "h/w/node_modules/p/.envrc": "rw",
	} {
		if got := bash(confined, e.at(name)); got != want {
			t.Errorf("%s: bash %q, want %q", name, got, want)
		}
	}
}

func TestLessLiftsWhatWasReleased(t *testing.T) {
	e := newEstate(t, nil)
	c := e.fs.Confined()
	for released, lifted := range map[string][]string{
		"h/w/.git/config":           {"h/w/.git/config"},
		"h/w/.git/hooks/pre-commit": {"h/w/.git/hooks/pre-commit", "h/w/.git/hooks/x"}, // a sandbox holds the directory or not
		"h/w/.git":                  {"h/w/.git/config", "h/w/.git/hooks/pre-commit", "h/w/.git/hooks/x"},
		"h/w/f":                     nil,
	} {
		less := c.Less([]string{e.at(released)})
		for _, name := range []string{"h/w/.git/config", "h/w/.git/hooks/pre-commit", "h/w/.git/hooks/x", "h/w/.envrc"} {
			want := "r"
			if slices.Contains(lifted, name) {
				want = "rw"
			}
			if got := bash(less, e.at(name)); got != want {
				t.Errorf("%s with %s released: bash %q, want %q", name, released, got, want)
			}
		}
	}
	if d := cmp.Diff(c, c.Less(nil)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
