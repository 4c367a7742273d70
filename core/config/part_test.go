package config_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

// one loads a project's file and returns its only part.
func one(t *testing.T, project string) config.Part {
	t.Helper()
	c := newWorld(t, "", project).load()
	if len(c.Ungranted) != 1 {
		t.Fatalf("%s\nhas the parts %v", project, c.Ungranted)
	}
	return c.Ungranted[0]
}

// PM-22: comments, spacing, order and TOML's spellings change nothing; any other
// value is another part.
func TestPM22APartIsWhatItSays(t *testing.T) {
	server := one(t, "[[plugins]]\nname = \"docs\"\ncommand = \"sh\"\nargs = [\"-c\", \"x\"]\n[plugins.env]\nA = \"1\"\nB = \"2\"\n")
	rule := one(t, "[permissions]\nallow = [\"Bash(go test:*)\"]\n")
	same := map[string]config.Part{
		"# why\n[[plugins]] # docs\nenv = { B = '2', A = \"1\" }\n\nargs = [\n  \"-c\", # c\n  'x',\n]\ncommand = \"\"\"sh\"\"\"\nname = 'docs'\n": server,
		"plugins = [{ name = \"docs\", command = \"sh\", args = [\"-c\", \"x\"], env.A = \"1\", env.B = \"2\" }]\n":                                server,
		"permissions = { allow = ['Bash(go test:*)'] }\n":                                                                                          rule,
		"permissions.allow = [ # all of them\n\"Bash(go\\u0020test:*)\" ]\r\n":                                                                     rule,
	}
	for text, want := range same {
		if got := one(t, text); got.Hash != want.Hash || got.Key != want.Key {
			t.Errorf("%s\nis another part: %+v", text, got)
		}
	}
	other := map[string]config.Part{
		"[[plugins]]\nname = \"docs\"\ncommand = \"sh\"\nargs = [\"-c\", \"y\"]\nenv = { A = \"1\", B = \"2\" }\n":           server,
		"[[plugins]]\nname = \"docs\"\ncommand = \"sh\"\nargs = [\"-c x\"]\nenv = { A = \"1\", B = \"2\" }\n":                server,
		"[[plugins]]\nname = \"docs\"\ncommand = \"sh\"\nargs = [\"-c\", \"x\"]\nenv = { A = \"1\", D = \"2\" }\n":           server,
		"[[plugins]]\nname = \"docs2\"\ncommand = \"sh\"\nargs = [\"-c\", \"x\"]\nenv = { A = \"1\", B = \"2\" }\n":          server,
		"[[plugins]]\nname = \"docs\"\ncommand = \"sh\"\nargs = [\"-c\", \"x\"]\nenv = { A = \"1\", B = \"2\", C = \"\" }\n": server,
		"permissions.allow = ['Bash(go test)']\n":      rule,
		"sandbox.allow_write = ['/Bash(go test:*)']\n": rule,
	}
	for text, had := range other {
		if got := one(t, text); got.Hash == had.Hash {
			t.Errorf("%s\nis the same part as %+v", text, had)
		}
	}
}

// A grant of one element is none of its neighbours.
func TestEachElementIsAPartOfItsOwn(t *testing.T) {
	w := newWorld(t, "permissions.allow = [\"Mine\"]\n", `
[permissions]
allow = [
  "A", # a
  "B",
  "Mine",
]
[sandbox]
allow_write = ["build", "/a", "/b"]
[environment.tools]
go = "/go"
make = "/make"
`)
	c := w.load()
	var got []string
	for _, p := range c.Ungranted {
		got = append(got, strings.TrimPrefix(p.File, w.in.Workspace+string(filepath.Separator))+" "+p.Key+" "+p.Text)
		if p.Line == 0 || p.ID() != p.Hash[:8] {
			t.Errorf("%+v", p)
		}
	}
	want := []string{
		"reasonix.toml permissions.allow A", "reasonix.toml permissions.allow B",
		"reasonix.toml sandbox.allow_write /a", "reasonix.toml sandbox.allow_write /b",
		"reasonix.toml environment.tools.go /go", "reasonix.toml environment.tools.make /make",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	if a, b := c.Ungranted[0], c.Ungranted[1]; a.Line != 4 || b.Line != 5 || a.Column != 3 {
		t.Errorf("at %d:%d and %d", a.Line, a.Column, b.Line)
	}
	w.in.Granted = func(p config.Part) bool { return slices.Contains([]string{"B", "/a", "/make"}, p.Text) }
	c = w.load()
	values := []any{c.Permissions.Allow, c.Sandbox.AllowWrite, c.Environment.Tools, len(c.Granted), len(c.Ungranted)}
	wanted := []any{[]string{"Mine", "B"}, []string{filepath.Join(w.in.Workspace, "build"), "/a"}, map[string]string{"make": "/make"}, 3, 3}
	if d := cmp.Diff(wanted, values); d != "" {
		t.Error(d)
	}
	if o := c.Origin("permissions.allow"); o.Layer != config.LayerProject || len(o.Value.([]any)) != 2 {
		t.Errorf("the origin has other rules: %+v", o)
	}
}

// TestNarrowingNeedsNoGrant: what does less than the user's own file says, or the
// same.
func TestNarrowingNeedsNoGrant(t *testing.T) {
	for _, tt := range []struct{ user, project string }{
		{"", "permissions.mode = \"deny\"\n"},
		{"permissions.mode = \"allow\"\n", "permissions.mode = \"ask\"\n"},
		{"", "permissions.read_only_commands = false\n"},
		{"", "sandbox.network = false\n"},
		{"sandbox.bash = \"off\"\n", "sandbox.bash = \"enforce\"\n"},
		{"sandbox.bash = \"off\"\n", "sandbox.bash = \"off\"\n"},
		{"", "sandbox.workspace_root = \"sub\"\n"},
		{"", "sandbox.allow_write = [\"sub\", \".\"]\n"},
		{"", "tools.enabled = [\"ls\"]\n"},
		{"tools.enabled = [\"ls\", \"grep\"]\n", "tools.enabled = [\"ls\"]\n"},
		{"agent.work_mode = \"economy\"\n", "tools.enabled = [\"bash\"]\n"},
		{"", "skills.paths = [\"skills\"]\n"},
		{"agent.system_prompt = \"x\"\n", "agent.system_prompt = \"x\"\n"},
		{"agent.planner_model = \"deepseek\"\n", "agent.planner_model = \"\"\n"},
		{"", "default_model = \"deepseek-v4-pro\"\n"},
		{"environment.tools = { go = \"/go\" }\n", "environment.tools = { go = \"/go\" }\n"},
		{"", "permissions.deny = [\"Bash\"]\npermissions.ask = [\"Edit\"]\nsandbox.forbid_read = [\"/x\"]\n"},
	} {
		w := newWorld(t, tt.user, tt.project)
		c := w.load()
		key, _, _ := strings.Cut(tt.project, " =")
		if len(c.Ungranted) > 0 || c.Origins(key)[0].Layer != config.LayerProject && key != "environment.tools" {
			t.Errorf("%sover %sis %v, %v", tt.project, tt.user, c.Origin(key), c.Ungranted)
		}
	}
	for _, tt := range []struct{ user, project string }{
		{"permissions.mode = \"deny\"\n", "permissions.mode = \"ask\"\n"},
		{"tools.enabled = [\"ls\"]\n", "tools.enabled = []\n"},
		{"tools.enabled = [\"ls\"]\n", "tools.enabled = [\"grep\"]\n"},
		{"agent.work_mode = \"economy\"\n", "tools.enabled = [\"web_fetch\"]\n"},
		{"sandbox.workspace_root = \"sub\"\n", "sandbox.workspace_root = \".\"\n"},
		{"sandbox.workspace_root = \"sub\"\n", "sandbox.workspace_root = \"\"\n"},
		{"agent.system_prompt = \"x\"\n", "agent.system_prompt = \"\"\n"},
		{"", "agent.planner_model = \"deepseek/deepseek-v4-pro\"\n"},
	} {
		c := newWorld(t, tt.user, tt.project).load()
		key, _, _ := strings.Cut(tt.project, " =")
		if len(c.Ungranted) != 1 || c.Origin(key).Layer != config.LayerUser && c.Origin(key).Layer != config.LayerDefault {
			t.Errorf("%sover %sis %v, %v", tt.project, tt.user, c.Origin(key), c.Ungranted)
		}
	}
}

// TestAPartIsShownAsWhatItIs: commands whole, secrets never, and nothing that a
// terminal would act on or hide.
func TestAPartIsShownAsWhatItIs(t *testing.T) {
	long := strings.Repeat("x ", 500) + "; evil"
	for text, want := range map[string]string{
		"permissions.allow = ['Bash(" + long + ")']":                                                                       "Bash(" + long + ")",
		`permissions.allow = ["Bash(ls)\u001b[2K\u202e\u200b\u0085"]`:                                                      `Bash(ls)\u001B[2K\u202E\u200B\u0085`,
		`permissions.allow = ["Bash(ls) "]`:                                                                                `"Bash(ls) "`,
		`permissions.allow = [""]`:                                                                                         `""`,
		`tools.enabled = ["bash"]` + "\nagent.system_prompt_file = '/p.md'":                                                "/p.md (cannot be read: no such file or directory)",
		"agent.system_prompt = \"You are\\nhelpful\\u202e\"":                                                               `"You are\nhelpful\u202E"`,
		"[[hooks]]\nname = 'h'\nevent = 'Stop'\ncommand = 'touch x'":                                                       `event = "Stop", command = "touch x"`,
		"[[plugins]]\nname = 'p'\nurl = 'https://me:pw@host/p?token=sk-1'":                                                 `url = "https://(hidden)@host/p?token=(hidden)"`,
		"[[plugins]]\nname = 'p'\nurl = 'https://h/p?a=sk-1&b=${B:-sk-2}&sk-3'":                                            `url = "https://h/p?a=(hidden)&b=${B:-(hidden)}&(hidden)"; sends B of your environment to https://h/p?a=(hidden)&b=${B:-(hidden)}&(hidden)`,
		"[[plugins]]\nname = 'p'\nurl = 'https://h'\nheaders = { A = 'Bearer ${T}', B = '${T:-sk-1}', C = '$ {x}' }":       `url = "https://h", headers = { A = "(hidden)${T}", B = "${T:-(hidden)}", C = (hidden) }; sends T of your environment to https://h`,
		"[[plugins]]\nname = 'p'\nurl = 'https://h'\noauth = { client_id = 'c', client_secret_env = 'S', scopes = ['a'] }": `url = "https://h", oauth = { client_id = "c", client_secret_env = "S", scopes = ["a"] }; sends S of your environment to https://h`,
		"[[hooks]]\nname = 'h'\nevent = 'Stop'\ncommand = \"a\\u3164b\\u2800c\\ufe0fd\\u034f\"":                            `event = "Stop", command = "a\u3164b\u2800c\uFE0Fd\u034F"`,
		"[[plugins]]\nname = 'p'\nheaders = { X = 'sk-1' }\nargs = ['a']\ncommand = 'c'":                                   `command = "c", args = ["a"], headers = { X = (hidden) }`,
		"[[plugins]]\nname = 'p'\nenv = { A = 'sk-1' }":                                                                    `env = { A = (hidden) }`,
		"[[providers]]\nname = 'p'\nbase_url = 'http://h'\napi_key_env = 'K'\nmodel = 'm'":                                 `base_url = "http://h", api_key_env = "K"`,
		"[[providers]]\nname = 'p'\nbase_url = 'http://h'\nextra_body = { a = { b = 'sk-1' } }":                            `base_url = "http://h", extra_body = { a = (hidden) }`,
	} {
		p := one(t, text+"\n")
		if p.Text != want {
			t.Errorf("%s\nis shown as %q, want %q", text, p.Text, want)
		}
		if p.Effect == "" {
			t.Errorf("%s\nhas no effect in words", text)
		}
	}
	c := newWorld(t, "", "[[plugins]]\nname = \"p\\u202e\\u001b\"\ncommand = 'x'\n").load()
	if told := warnings(c, config.WarnWidens); strings.ContainsAny(told, "\u202e\u001b") {
		t.Errorf("a name writes to the terminal: %q", told)
	}
}

// TestWhatAlwaysWouldStoreIsThePart: the part a rule will be, before it is written.
func TestWhatAlwaysWouldStoreIsThePart(t *testing.T) {
	got := one(t, "permissions.allow = ['Bash(go test:*)']\n")
	want := config.RulePart("Bash(go test:*)")
	if got.Key != want.Key || got.Hash != want.Hash || got.Text != want.Text || got.Kind != want.Kind {
		t.Errorf("got %+v, want %+v", want, got)
	}
}

// The hint to grant a part can be typed, whatever a project calls its servers.
func TestTheTrustCommandCanBeTyped(t *testing.T) {
	for name, typed := range map[string]bool{
		"docs": true, "a.b": true, "a_b-c@1:x": true,
		"a b": false, "a\nb": false, "a'b": false, "-rf": false, "$(x)": false, "é": false, "a;b": false, "\x1b[2J": false, "@a": false, "~": false,
	} {
		w := newWorld(t, "", "")
		key, err := json.Marshal(name)
		noErr(t, err)
		w.write(w.serversFile(), `{"mcpServers": {`+string(key)+`: {"command": "x"}}}`)
		p := w.load().Ungranted[0]
		want := "reasonix permissions trust " + p.ID()
		if typed {
			want = "reasonix mcp trust " + name
		}
		if got := p.TrustCommand(); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if p := config.RulePart("Edit"); p.TrustCommand() != "reasonix permissions trust "+p.ID() {
		t.Error(p.TrustCommand())
	}
}
