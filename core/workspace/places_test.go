package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/workspace"
)

// estate is a user's home with a <home>, a workspace and something outside.
type estate struct {
	*testing.T
	top    string
	places workspace.Places
	fs     *workspace.FS
}

func newEstate(t *testing.T, change func(*workspace.PlacesInput)) estate {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	noErr(t, err)
	e := estate{T: t, top: top}
	for _, name := range []string{
		"h/.reasonix/.env", "h/.reasonix/.env.bak", "h/.reasonix/grants.json", "h/.reasonix/config.toml",
		"h/.reasonix/config.toml.bak", "h/.reasonix/settings.json", "h/.reasonix/memory/m.md", "h/.reasonix/archive/a.md",
		"h/.reasonix/REASONIX.md", "h/.reasonix/skills/s/SKILL.md", "h/.reasonix/commands/c.md", "h/.reasonix/hooks/h.sh",
		"h/.reasonix/cache/environment.json", "h/.reasonix/logs/l", "h/.reasonix/checkpoints/c",
		"h/.reasonix/projects/p/sessions/other.jsonl", "h/.reasonix/projects/p/sessions/mine.files/full", "h/.reasonix/tmp/mine/t",
		"h/.bashrc", "h/.ssh/id", "h/doc", "h/w/f", "h/w/forbidden/f", "h/w/.git/hooks/pre-commit.sample", "h/w/.git/config",
		"h/w/.git/HEAD", "h/w/.git/index", "h/w/.reasonix/x", "h/w/sub/.envrc", "h/w/.vscode/settings.json", "h/extra/f",
		"h/w/.claude/settings.json", "h/w/.claude/hooks/check.sh", "h/w/.claude/skills/s/SKILL.md", "h/w/.claude/commands/c.md",
		"h/w/.claude/agents/a.md", "h/w/.agents/skills/s/SKILL.md", "h/w/sub/.claude/settings.json", "h/extra/.claude/skills/s/SKILL.md",
	} {
		e.put(name, "it holds "+name)
	}
	in := workspace.PlacesInput{
		Home: e.at("h/.reasonix"), UserHome: e.at("h"), Dir: e.at("h/w"), Temp: e.at("h/.reasonix/tmp/mine"),
		Write: []string{e.at("h/extra")}, ForbidRead: []string{e.at("h/w/forbidden")},
		Bare: []string{e.at("h/.reasonix/projects/p/sessions/mine.files")},
	}
	if change != nil {
		change(&in)
	}
	e.places = workspace.PlacesOf(in)
	e.fs, err = workspace.Open(e.places.Roots(in.Dir), nil)
	noErr(t, err)
	return e
}

func (e estate) at(name string) string { return filepath.Join(e.top, filepath.FromSlash(name)) }

func (e estate) put(name, text string) {
	e.Helper()
	noErr(e.T, os.MkdirAll(filepath.Dir(e.at(name)), 0o755))
	noErr(e.T, os.WriteFile(e.at(name), []byte(text), 0o644))
}

// class is what tools of one class make of a path: the first letter that fits.
//
//	r read, l listed (the directory it is in), s found by a search, w written,
//	v written after a review
func (e estate) class(ctx context.Context, abs string) string {
	e.Helper()
	var can strings.Builder
	if real, err := e.fs.ReadPath(abs); err == nil {
		if _, err := e.fs.ReadFile(ctx, real); err == nil || errors.Is(err, os.ErrNotExist) {
			can.WriteByte('r')
		}
	}
	if dir, err := e.fs.ReadPath(filepath.Dir(abs)); err == nil {
		if _, err := e.fs.ReadDir(dir); err == nil && !e.fs.Hidden(abs) {
			can.WriteByte('l')
		}
	}
	if !e.fs.Hidden(abs) {
		can.WriteByte('s')
	}
	switch {
	case e.writes(ctx, e.fs, abs):
		can.WriteByte('w')
	case e.writes(ctx, e.fs.Releasing([]string{abs}), abs):
		can.WriteByte('v')
	}
	return can.String()
}

// writes tries it, and puts back what was there.
func (e estate) writes(ctx context.Context, fs *workspace.FS, abs string) bool {
	e.Helper()
	before, readErr := os.ReadFile(abs)
	var was *workspace.File
	if readErr == nil {
		was, _ = e.fs.ReadFile(ctx, abs)
	}
	real, err := fs.WritePath(abs)
	if _, byHand := fs.Replace(ctx, abs, []byte("new"), was); (byHand == nil) != (err == nil) {
		e.Errorf("%s: path %v, but replace %v", abs, err, byHand)
	}
	now, _ := os.ReadFile(abs)
	if written := string(now) == "new"; written != (err == nil) {
		e.Errorf("%s: written %v, error %v", real, written, err)
	}
	if readErr == nil {
		noErr(e.T, os.WriteFile(abs, before, 0o644))
	} else if err == nil {
		noErr(e.T, os.Remove(abs))
	}
	return err == nil
}

// bash is what a sandbox that holds c lets a command do: the innermost path counts.
func bash(c workspace.Confinement, abs string) string {
	best, can := "", "r"
	for _, l := range []struct {
		paths []string
		can   string
	}{{c.Bare, "r"}, {c.Writable, "rw"}, {c.Protected, "r"}, {c.Hidden, ""}} {
		for _, p := range l.paths {
			if rest, ok := strings.CutPrefix(abs, p); ok && (rest == "" || rest[0] == filepath.Separator) && len(p) >= len(best) {
				best, can = p, l.can
			}
		}
	}
	return can
}

// TestPlaces is the table of docs: every part of <home> and every kind of place, by
// class of tool.
func TestPlaces(t *testing.T) {
	e := newEstate(t, nil)
	confined := e.fs.Confined()
	for _, tt := range []struct{ path, tools, bash string }{
		// <home>
		{"h/.reasonix/.env", "", ""},
		{"h/.reasonix/.env.bak", "", ""},
		{"h/.reasonix/grants.json", "", ""},
		{"h/.reasonix/projects/p/sessions/other.jsonl", "", ""},
		{"h/.reasonix/projects/new", "", ""},
		{"h/.reasonix/checkpoints/c", "", ""},
		{"h/.reasonix/logs/l", "", ""},
		{"h/.reasonix/projects/p/sessions/mine.files/full", "rls", "r"},
		{"h/.reasonix/config.toml", "rlsv", "r"},
		{"h/.reasonix/settings.json", "rlsv", "r"},
		{"h/.reasonix/memory/m.md", "rlsv", "r"},
		{"h/.reasonix/memory/new.md", "rlsv", "r"},
		{"h/.reasonix/archive/a.md", "rlsv", "r"},
		{"h/.reasonix/REASONIX.md", "rlsv", "r"},
		{"h/.reasonix/AGENTS.md", "rlsv", "r"},
		{"h/.reasonix/skills/s/SKILL.md", "rlsv", "r"},
		{"h/.reasonix/commands/c.md", "rlsv", "r"},
		{"h/.reasonix/hooks/h.sh", "rlsv", "r"},
		{"h/.reasonix/cache/environment.json", "rls", "r"},
		{"h/.reasonix/config.toml.bak", "rls", "r"},
		{"h/.reasonix/new", "rls", "r"},
		{"h/.reasonix/tmp/mine/t", "rlsw", "rw"},
		{"h/.reasonix/tmp/mine/new", "rlsw", "rw"},
		// The workspace and its like
		{"h/w/f", "rlsw", "rw"},
		{"h/w/new", "rlsw", "rw"},
		{"h/extra/f", "rlsw", "rw"},
		{"h/w/forbidden/f", "", ""},
		{"h/w/forbidden/new", "", ""},
		{"h/w/.git/hooks/pre-commit", "rlsv", "r"},
		{"h/w/.git/hooks/pre-commit.sample", "rlsv", "r"},
		{"h/w/.git/config", "rlsv", "r"},
		{"h/w/.git/commondir", "rlsv", "r"},
		{"h/w/.git/HEAD", "rlsw", "rw"},
		{"h/w/.git/index", "rlsw", "rw"},
		{"h/w/.reasonix/x", "rlsv", "r"},
		{"h/w/reasonix.toml", "rlsv", "r"},
		{"h/w/.mcp.json", "rlsv", "r"},
		{"h/w/.envrc", "rlsv", "r"},
		{"h/w/sub/.envrc", "rlsv", "r"},
		{"h/w/.vscode/tasks.json", "rlsv", "r"},
		{"h/w/.vscode/settings.json", "rlsw", "rw"},
		{"h/w/.claude/settings.json", "rlsv", "r"},
		{"h/w/.claude/settings.local.json", "rlsv", "r"},
		{"h/w/.claude/hooks/check.sh", "rlsv", "r"},
		{"h/w/.claude/skills/s/SKILL.md", "rlsv", "r"},
		{"h/w/.claude/skills/new", "rlsv", "r"},
		{"h/w/.claude/commands/c.md", "rlsv", "r"},
		{"h/w/.claude/agents/a.md", "rlsv", "r"},
		{"h/w/.claude/notes.md", "rlsw", "rw"},
		{"h/w/.agents/skills/s/SKILL.md", "rlsv", "r"},
		{"h/w/.agents/notes.md", "rlsw", "rw"},
		{"h/w/sub/.claude/settings.json", "rlsv", "r"},
		{"h/extra/.claude/skills/s/SKILL.md", "rlsv", "r"},
		{"h/extra/.envrc", "rlsv", "r"},
		// Elsewhere
		{"h/.bashrc", "rlsv", "r"},
		{"h/.zshrc", "rlsv", "r"},
		{"h/.ssh/id", "rls", "r"}, // the policy asks; the sandbox leaves it to git push
		{"h/doc", "rls", "r"},
	} {
		if got := e.class(t.Context(), e.at(tt.path)); got != tt.tools {
			t.Errorf("%s: file tools %q, want %q", tt.path, got, tt.tools)
		}
		if got := bash(confined, e.at(tt.path)); got != tt.bash {
			t.Errorf("%s: bash %q, want %q", tt.path, got, tt.bash)
		}
	}
}

// TestWorkspaceIsTheHome: then start files and <home> lie below a writable root.
func TestWorkspaceIsTheHome(t *testing.T) {
	e := newEstate(t, func(in *workspace.PlacesInput) { in.Dir = in.UserHome })
	confined := e.fs.Confined()
	for _, tt := range []struct{ path, tools, bash string }{
		{"h/.reasonix/.env", "", ""},
		{"h/.reasonix/config.toml", "rlsv", "r"},
		{"h/.reasonix/cache/environment.json", "rlsv", "r"},
		{"h/.reasonix/tmp/mine/new", "rlsw", "rw"},
		{"h/.bashrc", "rlsv", "r"},
		{"h/.config/fish/config.fish", "rv", "r"},
		{"h/doc", "rlsw", "rw"},
		{"h/.ssh/id", "rlsw", "rw"},
	} {
		if got := e.class(t.Context(), e.at(tt.path)); got != tt.tools && got != strings.Replace(tt.tools, "rv", "rsv", 1) {
			t.Errorf("%s: file tools %q, want %q", tt.path, got, tt.tools)
		}
		if got := bash(confined, e.at(tt.path)); got != tt.bash {
			t.Errorf("%s: bash %q, want %q", tt.path, got, tt.bash)
		}
	}
}

// TestHomeBelowTheWorkspace: bash never gets <home> writable, wherever it is.
func TestHomeBelowTheWorkspace(t *testing.T) {
	e := newEstate(t, func(in *workspace.PlacesInput) {
		in.Dir, in.Home, in.Temp = filepath.Dir(in.Dir), filepath.Join(in.UserHome, "state"), filepath.Join(in.UserHome, "state", "tmp", "mine")
	})
	e.put("h/state/cache/c", "1")
	e.put("h/state/tmp/mine/t", "1")
	for path, want := range map[string]string{"h/state/cache/c": "rlsv", "h/state/new": "rlsv", "h/state/.env": "", "h/state/tmp/mine/t": "rlsw", "h/f": "rlsw"} {
		if got := e.class(t.Context(), e.at(path)); got != want {
			t.Errorf("%s: file tools %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{"h/state/cache/c": "r", "h/state/new": "r", "h/state/.env": "", "h/state/tmp/mine/t": "rw", "h/f": "rw"} {
		if got := bash(e.fs.Confined(), e.at(path)); got != want {
			t.Errorf("%s: bash %q, want %q", path, got, want)
		}
	}
}

func TestSecretsAreListedUnlessTheWorkspaceIsThere(t *testing.T) {
	has := func(list []string, abs string) bool {
		for _, p := range list {
			if p == abs {
				return true
			}
		}
		return false
	}
	e := newEstate(t, nil)
	for _, name := range []string{".ssh", ".aws", ".gnupg", ".netrc", ".config/gh", ".docker/config.json", ".kube", ".mozilla"} {
		if !has(e.places.Secrets, e.at("h/"+name)) {
			t.Errorf("%s is no secret", name)
		}
	}
	in := newEstate(t, func(in *workspace.PlacesInput) { in.Dir = filepath.Join(in.UserHome, ".ssh") })
	if has(in.places.Secrets, in.at("h/.ssh")) || !has(in.places.Secrets, in.at("h/.aws")) {
		t.Errorf("secrets with a workspace in .ssh: %v", in.places.Secrets)
	}
}
