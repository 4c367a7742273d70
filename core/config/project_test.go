package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

// TestProjectNarrows: what a project forbids adds to what the user forbids; what
// it allows is named, once, without its values, and counts once it is granted.
func TestProjectNarrows(t *testing.T) {
	user := `
permissions = { allow = ["U"], ask = ["V"], deny = ["W"] }
[tools]
enabled = ["ls"]
[sandbox]
forbid_read = ["~/u"]
`
	project := `
permissions = { allow = ["Bash(*)"], mode = "allow", ask = ["B"], deny = ["C"] }

[tools]
enabled = ["ls", "bash"]
shell = { prefer = "pwsh", path = "./evil" }

[skills]
paths = ["skills", "../skills"]

[sandbox]
workspace_root = "/"
allow_write = ["/"]
forbid_read = ["~/p"]
bash = "off"
network = false
`
	w := newWorld(t, user, project)
	c := w.load()
	got := []any{c.Permissions.Allow, c.Permissions.Ask, c.Permissions.Deny, c.Permissions.Mode, c.Tools.Enabled, c.Tools.Shell, len(c.Skills.Paths), c.Sandbox}
	want := []any{
		[]string{"U"},
		[]string{"V", "B"},
		[]string{"W", "C"},
		"ask",
		[]string{"ls"},
		config.Shell{Prefer: "auto"},
		1,
		config.Sandbox{ForbidRead: []string{filepath.Join(w.me(), "u"), filepath.Join(w.me(), "p")}, Bash: "enforce", Network: false},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	told := warnings(c, config.WarnWidens)
	contains(t, told, "reasonix.toml:2:26: 9 parts of this repository's configuration are off until you grant them: permissions.allow, permissions.mode, tools.enabled, tools.shell.prefer, tools.shell.path, skills.paths, sandbox.workspace_root, sandbox.allow_write, sandbox.bash; see and grant with `reasonix permissions trust`")
	if strings.Contains(told, "\n") || strings.Contains(told, "evil") || len(c.Warnings) != 1 {
		t.Errorf("want one warning without values, got %v", c.Warnings)
	}

	w.in.Granted = everything
	c = w.load()
	got = []any{c.Permissions.Allow, c.Permissions.Mode, c.Tools.Enabled, c.Tools.Shell.Prefer, len(c.Skills.Paths), c.Sandbox.Bash, c.Sandbox.AllowWrite, c.Warnings}
	want = []any{[]string{"U", "Bash(*)"}, "allow", []string{"ls", "bash"}, "pwsh", 2, "off", []string{filepath.FromSlash("/")}, []config.Warning(nil)}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("granted: %s", d)
	}
}

// TestOtherSpellingsDoNotWiden: the keys a project may not set have no second
// name.
func TestOtherSpellingsDoNotWiden(t *testing.T) {
	bare := valuesOf(newWorld(t, "", "").load())
	for _, text := range []string{
		"[Permissions]\nMode = \"allow\"\n",
		"[permissions]\n\"mode\" = \"allow\"\n",
		"permissions.\"mode\" = \"allow\"\n",
		"\"permissions.mode\" = \"allow\"\n",
		"\"permissions::mode\" = \"allow\"\n",
		"tools = { shell = { path = \"/evil\" } }\n",
	} {
		if d := cmp.Diff(bare, valuesOf(newWorld(t, "", text).load())); d != "" {
			t.Errorf("%s\n%s", text, d)
		}
	}
}
