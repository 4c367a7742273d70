package config_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/commands/cmdutil"
	"reasonix/commands/cmdutil/cmdtest"
	"reasonix/commands/config"
)

// A desk is a home, a project and the command at work in them.
type desk struct {
	t          *testing.T
	home, work string
	environ    []string
}

func newDesk(t *testing.T, user, project string) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir(), work: t.TempDir()}
	d.environ = []string{"HOME=" + d.home}
	for path, text := range map[string]string{d.user(): user, d.project(): project} {
		if text != "" {
			d.write(path, text)
		}
	}
	return d
}

func (d *desk) user() string    { return filepath.Join(d.home, "config.toml") }
func (d *desk) project() string { return filepath.Join(d.work, "reasonix.toml") }

func (d *desk) write(path, text string) {
	d.t.Helper()
	cmdtest.Write(d.t, path, text)
}

func (d *desk) read(path string) string {
	d.t.Helper()
	return cmdtest.Read(d.t, path)
}

// run runs `config ARGS`, with the temporary directories shortened to HOME and
// WORK in what it prints.
func (d *desk) run(args ...string) (out, errs string, code int) {
	d.t.Helper()
	out, errs, err := cmdtest.Run(d.t, config.New, &cmdutil.App{Home: d.home, WorkDir: d.work, Environ: d.environ}, args...)
	if err != nil && err.Error() != "exit 3" {
		errs += err.Error() + "\n"
	}
	return d.short(out), d.short(errs), cmdutil.CodeOf(err)
}

func (d *desk) short(text string) string { return cmdtest.Short(text, d.home, "HOME", d.work, "WORK") }

// want runs and checks the exit code and what both streams say.
func (d *desk) want(code int, says []string, args ...string) (out, errs string) {
	d.t.Helper()
	out, errs, got := d.run(args...)
	if got != code {
		d.t.Errorf("config %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	for _, s := range says {
		if !strings.Contains(out+errs, s) {
			d.t.Errorf("config %s: got\n%s%swant it to say %q", strings.Join(args, " "), out, errs, s)
		}
	}
	return out, errs
}

const provider = `
[[providers]]
name = "mine"
base_url = "http://127.0.0.1:9/v1"
model = "m1"
api_key_env = "MINE_KEY"
headers = { "X-Api-Key" = "sk-header" }
`

func TestShowNamesValuesAndOrigins(t *testing.T) {
	d := newDesk(t, "language = \"zh\"\n[agent]\nmax_steps = 3\n"+provider, "[tools]\nbash_timeout_seconds = 5\n")
	d.write(filepath.Join(d.home, ".env"), "MINE_KEY=sk-file\n")
	d.environ = append(d.environ, "REASONIX_PERMISSIONS_MODE=deny", "MINE_KEY=sk-shell")
	out, errs := d.want(0, []string{"retired", "agent.max_steps", "config migrate"}, "show", "--origin")
	for _, line := range []string{`language = "zh" # HOME/config.toml:1`, `tools.bash_timeout_seconds = 5 # WORK/reasonix.toml:2`, `permissions.mode = "deny" # env REASONIX_PERMISSIONS_MODE`, `permissions.posture = "ask" # default`, `providers.mine.headers.X-Api-Key = (hidden) # HOME/config.toml:10`} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), line) {
			t.Errorf("got\n%s\nwant the line %s", out, line)
		}
	}
	if strings.Contains(out+errs, "sk-") || strings.Count(errs, "retired") != 1 {
		t.Errorf("a secret, or the retired keys more than once:\n%s%s", out, errs)
	}
	plain, _ := d.want(0, nil, "show")
	if strings.Contains(plain, "#") {
		t.Errorf("origins without --origin:\n%s", plain)
	}
}

func TestShowJSON(t *testing.T) {
	d := newDesk(t, "permissionz = 1\n"+provider, "")
	out, errs := d.want(0, nil, "show", "--output-format", "json")
	var got struct {
		Settings []struct {
			Key    string
			Value  any
			Origin struct {
				Layer, Source string
				Line          int
			}
		}
		Problems []struct {
			Level, Code, Message string
			Line                 int
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || errs != "" {
		t.Fatalf("%v, stderr %q", err, errs)
	}
	seen := map[string]bool{}
	for _, s := range got.Settings {
		seen[s.Key] = true
		if s.Key == "providers.mine.model" && (s.Value != "m1" || s.Origin.Layer != "user" || s.Origin.Line != 6) {
			t.Errorf("got %+v", s)
		}
	}
	if !seen["providers.mine.model"] || !seen["permissions.mode"] || strings.Contains(out, "sk-") {
		t.Errorf("got\n%s", out)
	}
	if len(got.Problems) != 1 || got.Problems[0].Code != "unknown_key" || got.Problems[0].Line != 1 {
		t.Errorf("got %+v", got.Problems)
	}
}

// TestCF03EveryVerbRunsWithABrokenFile: it says where, exits with 3, and the file
// stays as it is.
func TestCF03EveryVerbRunsWithABrokenFile(t *testing.T) {
	for _, text := range []string{"[agent]\n[tools]\n[agent]\n", "\n\nlanguage = \"zh\n"} {
		d := newDesk(t, "language = \"de\"\n", text)
		out, _ := d.want(3, []string{"error: WORK/reasonix.toml:3:"}, "show")
		if !strings.Contains(out, `language = "de"`) {
			t.Errorf("the good layer is lost:\n%s", out)
		}
		d.want(3, []string{"WORK/reasonix.toml:3:", `language = "de"`}, "explain", "language")
		d.want(3, []string{"WORK/reasonix.toml:3:"}, "check")
		d.want(3, []string{"WORK/reasonix.toml:3:"}, "set", "language", "en", "--local")
		d.want(3, []string{"WORK/reasonix.toml:3:"}, "migrate", "--local")
		d.want(0, []string{"reasonix.toml"}, "path")
		d.want(0, []string{"set language"}, "set", "language", "fr")
		out, errs := d.want(3, nil, "show", "--output-format", "json")
		if !json.Valid([]byte(out)) || errs != "" || !strings.Contains(out, `"level": "error"`) {
			t.Errorf("got %s, stderr %q", out, errs)
		}
		if d.read(d.project()) != text {
			t.Error("the broken file was touched")
		}
	}
}

func TestExplain(t *testing.T) {
	d := newDesk(t, "tools.bash_timeout_seconds = 1\npermissions.deny = [\"A\"]\n"+provider, "tools.bash_timeout_seconds = 2\npermissions.deny = [\"B\"]\n")
	out, _ := d.want(0, nil, "explain", "tools.bash_timeout_seconds")
	want := `tools.bash_timeout_seconds = 2

Limit of one foreground command; 0: none.

type      integer
variable  REASONIX_TOOLS_BASH_TIMEOUT_SECONDS
from      WORK/reasonix.toml:1
otherwise 1  (HOME/config.toml:1)
          120  (default)
`
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	d.want(0, []string{`permissions.deny = ["A", "B"]`, `["B"]  (WORK/reasonix.toml:2)`}, "explain", "permissions.deny")
	d.want(0, []string{`= (hidden)`}, "explain", "providers.mine.headers.X-Api-Key")
	d.want(0, []string{"(not set)"}, "explain", "agent.temperature")
	d.want(0, []string{"later version", "values    none, token, password"}, "explain", "serve.auth_mode")
	d.want(2, []string{"unknown key permission.mode", "permissions"}, "explain", "permission.mode")
	js, _ := d.want(0, nil, "explain", "language", "--output-format", "json")
	if !json.Valid([]byte(js)) {
		t.Error(js)
	}
}

func TestExplainListsTheKeysOfATable(t *testing.T) {
	d := newDesk(t, "permissions.deny = [\"A\"]\n"+provider, "")
	out, _ := d.want(0, []string{"permissions is a table of these keys:\n", "\npermissions.deny = [\"A\"]\n    ", "\npermissions.allow = (not set)\n    "}, "explain", "permissions")
	if strings.Contains(out, "tools.") {
		t.Errorf("keys of another table:\n%s", out)
	}
	d.want(0, []string{"\ntools.shell.prefer = "}, "explain", "tools.shell")
	d.want(0, []string{"\nproviders.mine.base_url = ", "= (hidden)"}, "explain", "providers.mine")
	d.want(0, []string{"\nplugins.<name>.command = (not set)"}, "explain", "plugins")
	js, _ := d.want(0, []string{`"key": "permissions.deny"`, `"type": "table"`}, "explain", "permissions", "--output-format", "json")
	if !json.Valid([]byte(js)) {
		t.Error(js)
	}
	d.want(2, []string{"unknown key permission"}, "explain", "permission")
}

func TestPath(t *testing.T) {
	d := newDesk(t, "a = 1\n", "")
	out, _ := d.want(0, nil, "path")
	want := "user     HOME/config.toml\nproject  WORK/reasonix.toml  (not there)\nkeys     HOME/.env  (not there)\n"
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestSetEveryKindOfKey(t *testing.T) {
	tests := []struct{ key, value, line string }{
		{"language", "zh", `language = "zh"`},
		{"environment.enabled", "false", `enabled = false`},
		{"tools.bash_timeout_seconds", "7", `bash_timeout_seconds = 7`},
		{"agent.temperature", "0.5", `temperature = 0.5`},
		{"permissions.deny", `["A(x, y)"]`, `deny = ["A(x, y)"]`},
		{"tools.enabled", "ls, grep", `enabled = ["ls", "grep"]`},
		{"agent.subagent_models", `{ "a.b" = "m1" }`, `subagent_models = { "a.b" = "m1" }`},
		{"agent.subagent_models.review", "m1", `review = "m1"`},
		{"providers.mine.default", "m1", `default = "m1"`},
		{`providers.mine.model_overrides."m.1".context_window`, "9", `context_window = 9`},
		{"providers.mine.extra_body", `{ top_p = 1 }`, `extra_body = { top_p = 1 }`},
		{"plugins.p.tool_timeout_seconds.slow", "9", `slow = 9`},
		{"ui.cursor_shape", "block", `cursor_shape = "block"`},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			d := newDesk(t, "# mine\n"+provider, "")
			d.want(0, []string{"set ", "HOME/config.toml.bak"}, "set", tt.key, tt.value)
			got := d.read(d.user())
			if !strings.Contains(got, tt.line) || !strings.HasPrefix(got, "# mine\n") {
				t.Errorf("got\n%s\nwant the line %s", got, tt.line)
			}
			d.want(0, []string{" has that value in HOME/config.toml already: nothing was changed"}, "set", tt.key, tt.value)
			d.want(0, []string{"removed "}, "set", tt.key, "--unset")
			d.want(0, []string{" is not set in HOME/config.toml: nothing was changed"}, "set", tt.key, "--unset")
			d.want(0, nil, "check")
		})
	}
}

func TestSetRefusesWhatWouldBreakTheConfiguration(t *testing.T) {
	d := newDesk(t, "language = \"zh\"\n", "")
	tests := []struct {
		code int
		want string
		args []string
	}{
		{2, "unknown key", []string{"languagge", "en"}},
		{2, "whole number", []string{"tools.bash_timeout_seconds", "soon"}},
		{2, "ask, allow, deny", []string{"permissions.mode", "maybe"}},
		{2, "want KEY VALUE", []string{"language"}},
		{2, "want KEY VALUE", []string{"language", "en", "--unset"}},
		{2, "your own file", []string{"permissions.posture", "yolo", "--local"}},
		{2, "retired", []string{"agent.max_steps", "5"}},
		{3, "agent.compact_ratio, agent.compact_force_ratio", []string{"agent.compact_ratio", "0.95"}},
		{3, "is not", []string{"skills.paths", "$NOPE/x"}},
	}
	for _, tt := range tests {
		d.want(tt.code, []string{tt.want}, append([]string{"set"}, tt.args...)...)
	}
	if got := d.read(d.user()); got != "language = \"zh\"\n" {
		t.Errorf("a refused change was written: %q", got)
	}
}

func TestSetSaysWhenTheValueIsHidden(t *testing.T) {
	d := newDesk(t, "", "language = \"de\"\n")
	d.want(0, []string{"warning: it does not count here", "WORK/reasonix.toml:1", `"de"`}, "set", "language", "en")
	d.environ = append(d.environ, "REASONIX_LANGUAGE=fr")
	d.want(0, []string{"env REASONIX_LANGUAGE"}, "set", "language", "it", "--local")
	if _, errs := d.want(0, nil, "set", "tools.bash_timeout_seconds", "9"); errs != "" {
		t.Errorf("a warning about nothing: %s", errs)
	}
}

// TestSetAndExplainSayWhatAProjectMayNotWiden: the key is written as asked, and
// that it has no effect is said once, there and where the key is explained.
func TestSetAndExplainSayWhatAProjectMayNotWiden(t *testing.T) {
	d := newDesk(t, "permissions.mode = \"deny\"\n", "sandbox.bash = \"off\"\n")
	_, errs := d.want(0, []string{"set permissions.mode in WORK/reasonix.toml"}, "set", "permissions.mode", "allow", "--local")
	if want := "warning: it is off in a project's file until you grant it with: reasonix permissions trust; without --local it is set in your own\n"; errs != want {
		t.Errorf("got %q, want %q", errs, want)
	}
	if !strings.Contains(d.read(d.project()), `mode = "allow"`) {
		t.Errorf("not written: %s", d.read(d.project()))
	}
	const note = "hat widens in a project file is off until it is granted."
	out, _ := d.want(0, []string{`permissions.mode = "deny"`, "W" + note, "from      HOME/config.toml:1", "warning: WORK/reasonix.toml:", "2 parts of this repository's configuration are off until you grant them: "}, "explain", "permissions.mode")
	if strings.Contains(out, "allow\"") {
		t.Errorf("the value that is off is there as a layer:\n%s", out)
	}
	d.want(0, []string{`"W` + note}, "explain", "permissions.mode", "--output-format", "json")
	if _, errs := d.want(0, nil, "explain", "permissions.deny"); errs != "" {
		t.Errorf("explain speaks of another key: %s", errs)
	}
	for _, args := range [][]string{
		{"set", "permissions.deny", "Bash(x)", "--local"},
		{"set", "permissions.mode", "ask"},
		{"set", "permissions.mode", "--unset", "--local"},
		{"set", "permissions.mode", "deny", "--local"},
	} {
		if _, errs := d.want(0, nil, args...); errs != "" {
			t.Errorf("%v: a warning about nothing: %s", args, errs)
		}
	}
	d.want(0, []string{`"code": "widens"`, `"level": "warning"`}, "check", "--output-format", "json")
}

func TestCheckMakesUnknownKeysErrors(t *testing.T) {
	d := newDesk(t, "permissionz = 1\n", "")
	_, errs := d.want(3, []string{"error: HOME/config.toml:1:1: unknown key permissionz", "permissions"}, "check")
	if strings.Contains(errs, "warning") {
		t.Error(errs)
	}
	out, errs := d.want(3, []string{`"ok": false`}, "check", "--output-format", "json")
	if !json.Valid([]byte(out)) || errs != "" {
		t.Errorf("got %s, stderr %q", out, errs)
	}
	newDesk(t, provider, "").want(0, []string{"the configuration is good"}, "check")
	newDesk(t, "default_model = \"deepseek\"\n"+provider, "").want(3, []string{"mine/m1"}, "check")
}

// What else is wrong is told at once, not when the first error is mended.
func TestCheckNamesUnknownAndRetiredKeysBesideATypeError(t *testing.T) {
	d := newDesk(t, "permissionz = 1\nagent.max_steps = 3\ntools.bash_timeout_seconds = \"soon\"\n", "languagge = \"zh\"\n")
	_, errs := d.want(3, []string{
		"error: HOME/config.toml:3:", "error: HOME/config.toml:1:1: unknown key permissionz", "error: WORK/reasonix.toml:1:1: unknown key languagge",
		"warning: HOME/config.toml:2:", "agent.max_steps",
	}, "check")
	if n := strings.Count(errs, "languagge"); n != 1 {
		t.Errorf("told %d times:\n%s", n, errs)
	}
}

func TestSetRefusesADefaultModelThatIsNone(t *testing.T) {
	d := newDesk(t, "default_model = \"mine\"\n"+provider, "")
	before := d.read(d.user())
	d.want(3, []string{`default_model: unknown model "nosuch"`, "mine/m1"}, "set", "default_model", "nosuch")
	if d.read(d.user()) != before {
		t.Error("it was written")
	}
	d.want(0, []string{"set default_model"}, "set", "default_model", "mine/m1")
	broken := newDesk(t, "default_model = \"gone\"\n"+provider, "")
	broken.want(0, []string{"set default_model", `warning: HOME/config.toml:1:`, `unknown model "later"`}, "set", "default_model", "later")
}

func TestMigrateShowsThenWrites(t *testing.T) {
	before := "language = \"zh\"\n[agent]\nmax_steps = 3 # old\ncompact_ratio = 0.7\nplanner_max_steps = 4\n"
	d := newDesk(t, before, "")
	out, errs := d.want(0, []string{"--yes"}, "migrate")
	want := `--- HOME/config.toml
+++ HOME/config.toml
@@ -1,5 +1,4 @@
 language = "zh"
 [agent]
-max_steps = 3 # old
+# old
 compact_ratio = 0.7
-planner_max_steps = 4
`
	if out != want || d.read(d.user()) != before {
		t.Errorf("got\n%s\nwant\n%s(stderr %s)", out, want, errs)
	}
	d.want(0, []string{"removed agent.max_steps, agent.planner_max_steps"}, "migrate", "--yes")
	if got := d.read(d.user()); got != "language = \"zh\"\n[agent]\n# old\ncompact_ratio = 0.7\n" {
		t.Errorf("got %q", got)
	}
	if d.read(d.user()+".bak") != before {
		t.Error("the backup differs")
	}
	d.want(0, []string{"no retired keys"}, "migrate", "--yes")
}

func TestKeysAndValuesComplete(t *testing.T) {
	d := newDesk(t, provider, "")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", ""}, "tools.shell.prefer"},
		{[]string{"set", "prov"}, "providers.mine.base_url"},
		{[]string{"set", "permissions.mode", ""}, "deny"},
		{[]string{"set", "default_model", ""}, "mine/m1"},
		{[]string{"set", "environment.enabled", ""}, "false"},
	} {
		out, _, _ := d.run(append([]string{"__complete"}, tt.args...)...)
		if !strings.Contains(out, tt.want) {
			t.Errorf("%v: got\n%s\nwant %s", tt.args, out, tt.want)
		}
		if strings.Contains(out, "sk-") {
			t.Errorf("%v: a secret: %s", tt.args, out)
		}
	}
}

func TestEveryVerbHasHelpAndAnExample(t *testing.T) {
	cmd := config.New(&cmdutil.App{})
	for _, verb := range cmd.Commands() {
		if verb.Long == "" || !strings.Contains(verb.Example, "reasonix config "+verb.Name()) {
			t.Errorf("%s: want a long help and an example of it", verb.Name())
		}
	}
}

// What a project's file says and does not count is shown with the value in force.
func TestExplainShowsWhatIsOff(t *testing.T) {
	d := newDesk(t, "agent.system_prompt = \"mine\"\n"+provider, "agent.system_prompt = \"theirs\"\n[[providers]]\nname = \"mine\"\nbase_url = \"https://evil\"\n")
	off := "off       agent.system_prompt = theirs  (WORK/reasonix.toml:1; until you grant it: reasonix permissions trust "
	d.want(0, []string{`agent.system_prompt = "mine"`, "from      HOME/config.toml:1", off}, "explain", "agent.system_prompt")
	d.want(0, []string{"WORK/reasonix.toml:1:1: 2 parts"}, "explain", "agent.system_prompt")
	d.want(0, []string{`off       providers.mine = base_url = "https://evil"`, "WORK/reasonix.toml:1:1: 2 parts"}, "explain", "providers.mine.base_url")
	d.want(0, []string{"\noff:\n    agent.system_prompt = theirs"}, "explain", "agent")
	d.want(0, []string{`"value": "theirs"`, `"command": "reasonix permissions trust `}, "explain", "agent.system_prompt", "--output-format", "json")
	out, _ := d.want(0, nil, "explain", "agent.temperature")
	if strings.Contains(out, "off ") {
		t.Errorf("it is about another key: %s", out)
	}
}
