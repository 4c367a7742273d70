//go:build unix

package file_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
	"reasonix/core/workspace"
)

// guarded is a bench whose workspace has protected names, beside a home with
// protected and hidden files.
func guarded(t *testing.T) (b *bench, home string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home = filepath.Join(top, "home")
	for name, text := range map[string]string{
		"w/.git/config": "[core]\n", "w/.git/hooks/x": "x\n", "w/.git/HEAD": "x\n", "w/f": "one\n", "w/n.ipynb": "{}",
		"home/config.toml": "a = 1\n", "home/.env": "KEY=k\n", "home/memory/m.md": "one\n", "home/other": "one\n",
	} {
		put(t, top, name, text)
	}
	dir := filepath.Join(top, "w")
	b = openIn(t, dir)
	places := workspace.PlacesOf(workspace.PlacesInput{Home: home, Dir: dir})
	files, err := workspace.Open(places.Roots(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.env.Files = files
	for _, tl := range tool.Builtins() {
		b.tools[tl.Name()] = tooltest.Bind(t, tl, b.env)
	}
	return b, home
}

// released makes a call that a person let write paths.
func (b *bench) released(name string, a args, paths ...string) (string, error) {
	b.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		b.Fatal(err)
	}
	return b.tools[name].Execute(tool.WithCall(b.Context(), &tool.Call{ID: "c", Release: paths}), data)
}

// TestEveryWriterRefusesProtectedPaths unless the call was let: the tools hold
// without the policy.
func TestEveryWriterRefusesProtectedPaths(t *testing.T) {
	b, home := guarded(t)
	config, settings := filepath.Join(home, "config.toml"), filepath.Join(home, "settings.json")
	for _, tt := range []struct {
		tool string
		args args
		path string
	}{
		{"write_file", args{"path": ".git/hooks/pre-commit", "content": "evil"}, ".git/hooks/pre-commit"},
		{"write_file", args{"path": settings, "content": "{}"}, settings},
		{"write_file", args{"path": ".envrc", "content": "evil"}, ".envrc"},
		{"edit_file", args{"path": config, "old_string": "a = 1", "new_string": "a = 2"}, config},
		{"edit_file", args{"path": ".git/config", "old_string": "[core]", "new_string": "[core]\n\tx = y"}, ".git/config"},
		{"multi_edit", args{"path": filepath.Join(home, "memory", "m.md"), "edits": []args{{"old_string": "one", "new_string": "two"}}}, filepath.Join(home, "memory")},
		{"delete_range", args{"path": ".git/hooks/x", "start_anchor": "x", "end_anchor": "x"}, ".git/hooks"},
		{"move_file", args{"source_path": "f", "destination_path": ".mcp.json"}, ".mcp.json"},
		{"move_file", args{"source_path": ".mcp.json", "destination_path": "f"}, ".mcp.json"},
	} {
		path := tt.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(b.dir, path)
		}
		b.refused(tt.tool, tt.args, "protected")
		if _, err := b.released(tt.tool, tt.args, filepath.Join(home, "nothing"), b.dir+"x"); err == nil || !strings.Contains(err.Error(), "protected") {
			t.Errorf("%s %v with something else released: %v", tt.tool, tt.args, err)
		}
		if out, err := b.released(tt.tool, tt.args, path); err != nil {
			t.Errorf("%s %v released: %q, %v", tt.tool, tt.args, out, err)
		}
	}
	for name, a := range map[string]args{
		"read_file": {"path": config}, "ls": {"path": ".git/hooks"},
	} {
		b.ok(name, a)
	}
	for _, path := range []string{filepath.Join(home, ".env"), filepath.Join(home, "other")} {
		if _, err := b.released("write_file", args{"path": path, "content": "x"}, path); err == nil {
			t.Errorf("%s was written because it was released", path)
		}
	}
}

// TestSubjectOfAProtectedPathNamesWhereItLeads: a rule and a review judge by it.
func TestSubjectOfAProtectedPathNamesWhereItLeads(t *testing.T) {
	b, _ := guarded(t)
	if err := os.Symlink(".git", filepath.Join(b.dir, "innocent")); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(b.dir, ".git", "config")
	for name, in := range map[string]string{
		"edit_file": `{"path":"innocent/config"}`,
		"move_file": `{"source_path":"f","destination_path":"innocent/config"}`,
	} {
		found := false
		for _, p := range b.tools[name].(tool.Subjecter).Subject(json.RawMessage(in)).Paths {
			found = found || p == want
		}
		if !found {
			t.Errorf("%s %s does not name %s", name, in, want)
		}
	}
	b.refused("edit_file", args{"path": "innocent/config", "old_string": "[core]", "new_string": "x"}, ".git/config is protected")
}

// TestPM10DirectoryLinkOutOfTheWorkspace: every tool that writes refuses what lies
// below the link; reading is what the configuration says.
func TestPM10DirectoryLinkOutOfTheWorkspace(t *testing.T) {
	b, home := guarded(t)
	if err := os.Symlink("../home", filepath.Join(b.dir, "out")); err != nil {
		t.Fatal(err)
	}
	b.read("out/other")
	for name, a := range map[string]args{
		"write_file": {"path": "out/new", "content": "x"},
		"edit_file":  {"path": "out/other", "old_string": "one", "new_string": "two"},
		"multi_edit": {"path": "out/other", "edits": []args{{"old_string": "one", "new_string": "two"}}},
		"move_file":  {"source_path": "f", "destination_path": "out/f"},
	} {
		b.refused(name, a, "outside the workspace", filepath.ToSlash(home), "--add-dir")
	}
	b.refused("read_file", args{"path": "out/.env"}, "hidden")
	if out := b.ok("ls", args{"path": "out"}); strings.Contains(out, ".env") || !strings.Contains(out, "other") {
		t.Errorf("listed\n%s", out)
	}
}

// TestListingTellsNothingBelowAHiddenDirectory, not by its parent, a link, or the
// names that are near a wrong one.
func TestListingTellsNothingBelowAHiddenDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := openIn(t, dir, tooltest.Roots(nil, []string{filepath.Join(dir, "sub", "secret"), filepath.Join(dir, "sub", "f")}))
	b.put("sub/secret/deep/key", "k")
	b.put("sub/open", "k")
	b.put("sub/f", "k")
	if err := os.Symlink("sub/secret", filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	for _, a := range []args{{"path": "sub"}, {"path": "sub", "recursive": true}, {"path": ".", "recursive": true}} {
		out := b.ok("ls", a)
		for _, word := range []string{"deep", "key", "secret/", "f\t"} {
			if strings.Contains(out, word) {
				t.Errorf("ls %v tells of %s:\n%s", a, word, out)
			}
		}
		if !strings.Contains(out, "open") {
			t.Errorf("ls %v:\n%s", a, out)
		}
	}
	for _, path := range []string{"sub/secret", "alias", "alias/deep", "sub/secret/none", "sub/f"} {
		b.refused("ls", args{"path": path}, "hidden")
	}
	for _, path := range []string{"ke", "sub/secret/deep/ke", "alias/deep/kez", "sub/secre"} {
		if text := b.refused("read_file", args{"path": path}); strings.Contains(text, "deep/key") || strings.Contains(text, "nearest: sub/secret") {
			t.Errorf("read_file %s: %s", path, text)
		}
	}
}
