package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

// TestCF01ByteOrderMark: a file saved by an editor that adds one loads; UTF-16
// is told by its name.
func TestCF01ByteOrderMark(t *testing.T) {
	w := newWorld(t, "\ufefflanguage = \"zh\"\n", "\ufeff[agent]\ntemperature = 1\n")
	if c := w.load(); c.Language != "zh" || *c.Agent.Temperature != 1 || len(c.Warnings) > 0 {
		t.Errorf("got %q, %v", c.Language, c.Warnings)
	}
	if o := w.load().Origin("language"); o.Line != 1 || o.Column != 1 {
		t.Errorf("got %d:%d, want 1:1", o.Line, o.Column)
	}
	newWorld(t, "\xff\xfel\x00", "").fails("config.toml:1:1", "UTF-16", "UTF-8")
}

// TestCF03BrokenTOML: file, line, column, the offending text.
func TestCF03BrokenTOML(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"duplicate table", "[agent]\n[tools]\n[agent]\n", []string{"config.toml:3:", "[agent]", "agent"}},
		{"duplicate key", "language = \"a\"\nlanguage = \"b\"\n", []string{"config.toml:2:1", "language = \"b\""}},
		{"unclosed string", "\nlanguage = \"zh\n", []string{"config.toml:2:", "language = \"zh"}},
		{"no value", "language =\n", []string{"config.toml:1:"}},
		{"CRLF", "[agent]\r\nx\r\n", []string{"config.toml:2:2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			newWorld(t, tt.text, "").fails(tt.want...)
		})
	}
}

// TestCF04UnknownKey warns with the place and the nearest key; the rest counts.
func TestCF04UnknownKey(t *testing.T) {
	tests := []struct{ name, text, place, near string }{
		{"a table", "[permissionz]\nmode = \"deny\"\nallow = []\n", "config.toml:1:", "permissions"},
		{"a key", "[agent]\n  max_stepz = 5\n", "config.toml:2:3", "agent.max_steps"},
		{"in the wrong table", "mode = \"deny\"\n", "config.toml:1:1", "permissions.mode"},
		{"a dotted key", "tools.shel.prefer = \"bash\"\n", "config.toml:1:1", "tools.shell"},
		{"of a provider", mine + "base_ur = \"x\"\n", "config.toml:7:1", "providers.mine.base_url"},
		{"in an inline table", mine + "price = { inputs = 1 }\n", "config.toml:7:11", "providers.mine.price.input"},
		{"of a model", mine + "model_overrides.m1.context = 1\n", "config.toml:7:1", ""},
		{"like nothing known", "zzzzzzzz = 1\n", "config.toml:1:1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newWorld(t, tt.text+"\n[ui]\ncursor_shape = \"block\"\n", "").load()
			got := warnings(c, config.WarnUnknownKey)
			contains(t, got, tt.place, "unknown key", tt.near)
			if strings.Count(got, "\n") != 0 || got == "" {
				t.Errorf("want one warning, got\n%s", got)
			}
			if c.UI.CursorShape != "block" || c.Permissions.Mode != "ask" {
				t.Error("the rest of the file did not count, or the unknown did")
			}
		})
	}
}

// TestCF04WrongType: file, line, column, the text, what was expected.
func TestCF04WrongType(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a string for a number", "[tools]\nbash_timeout_seconds = \"5\"\n", []string{"config.toml:2:24", `"5"`, "whole number"}},
		{"a float for a whole number", "tools.bash_timeout_seconds = 5.5\n", []string{"config.toml:1:30", "5.5"}},
		{"a number for a string", "language = 5\n", []string{"config.toml:1:12", "string"}},
		{"a scalar for a list", "permissions.deny = \"x\"\n", []string{"config.toml:1:20", "list of strings"}},
		{"a mixed list", "permissions.deny = [\"x\", 1]\n", []string{"list of strings"}},
		{"a scalar for a table", "agent = 5\n", []string{"config.toml:1:9", "agent", "want a table"}},
		{"a table for a scalar", "[language]\nx = 1\n", []string{"config.toml:1:1", "language", "string"}},
		{"an array of tables for a table", "[[agent]]\ncompact_ratio = 0.7\n", []string{"config.toml:1:1", "want a table: [agent]"}},
		{"providers as a string", "providers = \"x\"\n", []string{"config.toml:1:13", "[[providers]]"}},
		{"a value nobody knows", "permissions.mode = \"sometimes\"\n", []string{"config.toml:1:20", "ask, allow, deny"}},
		{"a flag's value", "permissions.headless = \"prompt\"\n", []string{"config.toml:1:24", "one of allow, deny"}},
		{"a date", "language = 2024-01-01\n", []string{"string"}},
		{"not a number", "agent.temperature = nan\n", []string{"number"}},
		{"too large", "tools.bash_timeout_seconds = 9999999999\n", []string{"whole number"}},
		{"a table of numbers", "[[plugins]]\nname=\"p\"\ntool_timeout_seconds = { a = \"1\" }\n", []string{"config.toml:3:", "plugins.p.tool_timeout_seconds"}},
		{"in a header's table", "[[plugins]]\nname=\"p\"\n[plugins.env]\nA = 1\n", []string{"config.toml:4:5", "plugins.p.env.A"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			newWorld(t, tt.text, "").fails(tt.want...)
		})
	}
}

// TestCF07WindowsPath: the error speaks of single quotes, also where the escapes
// happen to be legal.
func TestCF07WindowsPath(t *testing.T) {
	newWorld(t, `tools.shell.path = "C:\Users\me\pwsh.exe"`, "").fails("config.toml:1:", "single quotes", `'C:\Users\me'`)
	newWorld(t, `tools.shell.path = "C:\temp\new.exe"`, "").fails("config.toml:1:20", "single quotes")
	c := newWorld(t, `tools.shell.path = 'C:\Users\me\pwsh.exe'`, "").load()
	contains(t, c.Tools.Shell.Path, `C:\Users\me\pwsh.exe`)
}

// TestCF11PluginKeysAreChecked: the variables in them are expanded by the client.
func TestCF11PluginKeysAreChecked(t *testing.T) {
	text := `
[[plugins]]
name = "p"
command = "${T}"
args = ["${env:T}", "$${T}"]
env = { A = "${T:-d}" }
headers = { B = "${UNSET}" }
url = "http://${T}"
tools = { x = { approval_mode = "prompt" } }
tool_timeout_seconds = { "Slow.Tool" = 9 }
`
	w := newWorld(t, text, text)
	w.in.Granted = everything
	c := w.load()
	want := config.Plugin{
		Name: "p", Type: "stdio", Command: "${T}", Args: []string{"${env:T}", "$${T}"}, Env: map[string]string{"A": "${T:-d}"},
		Headers: map[string]string{"B": "${UNSET}"}, URL: "http://${T}", Tools: map[string]config.PluginTool{"x": {ApprovalMode: "prompt"}},
		ToolTimeoutSeconds: map[string]int{"Slow.Tool": 9}, ApprovalsReviewer: "user", FromProject: true, Enabled: true, Sandbox: true,
	}
	if d := cmp.Diff([]config.Plugin{want}, c.Plugins); d != "" {
		t.Error(d)
	}
}

// TestCF13PathsAreExpandedOrRefused: every path-valued key, CRLF, every spelling.
func TestCF13PathsAreExpandedOrRefused(t *testing.T) {
	text := func(path string) string {
		list := "['" + path + "']"
		forbid := list
		if strings.HasPrefix(path, "sub") {
			forbid = "['/sub/x']"
		}
		return strings.ReplaceAll(fmt.Sprintf(`
agent.system_prompt_file = '%s'
hooks = [{ name = 'h', event = 'Stop', command = 'c', dir = '%s' }]
tools.shell.path = '%s'
skills.paths = %s
skills.excluded_paths = %s
sandbox.workspace_root = '%s'
sandbox.allow_write = %s
sandbox.forbid_read = %s
environment.tools = { go = '%s' }
plugins = [{ name = 'p', url = 'https://h', oauth = { private_key_file = '%s', id_token_file = '%s' } }]
`, path, path, path, list, list, path, list, forbid, path, path, path), "\n", "\r\n")
	}
	paths := func(c *config.Config) []string {
		return []string{
			c.Agent.SystemPromptFile, c.Tools.Shell.Path, c.Skills.Paths[0], c.Skills.ExcludedPaths[0],
			c.Environment.Tools["go"], c.Hooks[0].Dir, c.Sandbox.WorkspaceRoot, c.Sandbox.AllowWrite[0], c.Sandbox.ForbidRead[0],
			c.Plugins[0].OAuth.PrivateKeyFile, c.Plugins[0].OAuth.IDTokenFile,
		}
	}
	n := 0
	for _, k := range config.Keys() {
		if k.IsPath {
			n++
		}
	}
	if got := len(paths(newWorld(t, text("/x"), "").load())); got != n {
		t.Fatalf("this test has %d keys, the table %d with paths", got, n)
	}
	for _, spelling := range []string{"~/x", "$HOME/x", "${HOME}/x", "${NOPE:-~}/x"} {
		w := newWorld(t, text(spelling), "")
		for i, got := range paths(w.load()) {
			if want := filepath.Join(w.me(), "x"); got != want {
				t.Errorf("%s, key %d: got %q, want %q", spelling, i, got, want)
			}
		}
	}
	w := newWorld(t, "", text("sub/x"))
	w.in.Granted = everything
	for i, got := range paths(w.load())[:8] {
		if want := filepath.Join(w.in.Workspace, "sub", "x"); got != want {
			t.Errorf("relative in a project, key %d: got %q, want %q", i, got, want)
		}
	}
	w = newWorld(t, text("sub/x"), "")
	for i, got := range paths(w.load())[:8] {
		base := w.in.Home
		if i >= 6 {
			base = w.in.Workspace // sandbox
		}
		if want := filepath.Join(base, "sub", "x"); got != want {
			t.Errorf("relative in the user's file, key %d: got %q, want %q", i, got, want)
		}
	}
	for spelling, want := range map[string]string{"~root/x": "~/", "$NOPE/x": "NOPE is not", "${HOME/x": "}", "a/$/b": "name after $", "${1}": "name"} {
		newWorld(t, "skills.paths = ['"+spelling+"']", "").fails("config.toml:1:16", want)
	}
	if got := newWorld(t, "tools.shell.path = 'pwsh'", "").load().Tools.Shell.Path; got != "pwsh" {
		t.Errorf("a program's name became %q", got)
	}
}

// TestWhatMustNotBeReadIsNamedAbsolutely: a rule that could not be kept is an
// error in every layer, never an empty rule.
func TestWhatMustNotBeReadIsNamedAbsolutely(t *testing.T) {
	for spelling, want := range map[string]string{
		"secrets": "absolute path", "./x": "absolute path", "${NOPE:-x}": "absolute path", "${NOPE}/x": "NOPE is not", "$EMPTY": "EMPTY is not",
		"": "empty", "${NOPE:-}": "empty",
	} {
		line := "sandbox.forbid_read = ['" + spelling + "']\n"
		newWorld(t, line, "", "EMPTY=").fails("config.toml:1:23", want)
		newWorld(t, "", line, "EMPTY=").fails("reasonix.toml:1:23", want)
		w := newWorld(t, "", "", "EMPTY=")
		w.in.Flags = map[string]any{"sandbox.forbid_read": []string{spelling}}
		w.fails("flag", want)
	}
	for spelling, want := range map[string]string{"${NOPE}/x": "NOPE is not", "": "empty", "${NOPE:-}": "empty"} {
		newWorld(t, "sandbox.allow_write = ['"+spelling+"']\n", "").fails("config.toml:1:23", want)
	}
	newWorld(t, "", "", "REASONIX_SANDBOX_FORBID_READ=x").fails("REASONIX_SANDBOX_FORBID_READ", "absolute path")
	w := newWorld(t, "sandbox.forbid_read = ['${NOPE:-~/.ssh}', '${HOME}/a', '/b/../c']\n", "")
	want := []string{filepath.Join(w.me(), ".ssh"), filepath.Join(w.me(), "a"), filepath.FromSlash("/c")}
	if d := cmp.Diff(want, w.load().Sandbox.ForbidRead); d != "" {
		t.Error(d)
	}
}
