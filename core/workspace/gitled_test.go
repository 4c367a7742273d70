package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reasonix/core/workspace"
)

// What a repository's configuration has git run, or read further settings from, is
// protected as that configuration is: in a repository, a linked worktree, a submodule,
// and below one's top.
func TestWhatGitIsLedToIsProtected(t *testing.T) {
	top := repositories(t)
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"main/shared.gitconfig":    "[include]\n\tpath = more/deep.gitconfig\n[core]\n\tpager = less tools/pager.sh\n",
		"main/more/deep.gitconfig": "[core]\n\tfsmonitor = .watch/run\n[include]\n\tpath = ../shared.gitconfig\n", // a circle
		"main/tools/pager.sh":      "", "main/tools/clean.py": "", "main/.watch/run": "", "main/tools/other.sh": "", "tree/tools/clean.py": "",
		"main/.husky/pre-commit": "", "main/sub/f": "", "main/origin": "",
	} {
		noErr(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		noErr(t, os.WriteFile(at(name), []byte(text), 0o644))
	}
	for _, set := range [][]string{
		{"core.hooksPath", ".husky"},
		{"filter.x.clean", `sh -c "python tools/clean.py"`},
		{"branch.main.remote", "origin"},
		{"diff.external", "./later"}, // not there yet
		{"difftool.x.path", "tools/tool.exe"},
		{"remote.origin.uploadpack", "./serve"},
		{"init.templateDir", "template"},
		{"include.path", "../shared.gitconfig"}, // the last: git itself refuses circles
	} {
		git(t, at("main"), append([]string{"config"}, set...)...)
	}
	git(t, at("main/lib"), "config", "alias.x", "!sh ./run.sh")
	noErr(t, os.WriteFile(at("main/lib/run.sh"), nil, 0o755))
	for dir, want := range map[string][]string{
		"main":     {".husky", "shared.gitconfig", "more/deep.gitconfig", "tools/pager.sh", "tools/clean.py", ".watch/run", "later", "tools/tool.exe", "serve", "template"},
		"main/sub": nil, // nothing of it is below a writable directory
		"main/lib": {"run.sh"},
		"tree":     {".husky", "tools/clean.py"},
	} {
		places := workspace.PlacesOf(workspace.PlacesInput{Dir: at(dir)})
		for _, name := range want {
			if !slices.Contains(places.Protected, at(dir+"/"+name)) {
				t.Errorf("%s: %s is not protected", dir, name)
			}
		}
		for _, name := range []string{"tools/other.sh", "tools", "origin", "f", ""} {
			if slices.Contains(places.Protected, at(dir+"/"+name)) {
				t.Errorf("%s: %q is protected", dir, name)
			}
		}
	}
}
