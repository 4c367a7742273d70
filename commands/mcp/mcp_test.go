package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/commands/mcp"
)

// A bench is a home, a repository and `mcp` at work in it.
type bench struct {
	t          *testing.T
	home, work string
	stdin      string
	tty        bool
	environ    []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{t: t, home: t.TempDir(), work: t.TempDir()}
}

func (b *bench) write(path, text string) {
	b.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) project(name, text string) { b.write(filepath.Join(b.work, name), text) }

func (b *bench) read(path string) string {
	text, _ := os.ReadFile(path) // "" when there is none
	return string(text)
}

func (b *bench) config() string { return b.read(filepath.Join(b.home, "config.toml")) }

// run runs `mcp ARGS` and wants an exit code. The directories are HOME and WORK in
// what it says.
func (b *bench) run(code int, args ...string) (out, errs string) {
	b.t.Helper()
	var o, e bytes.Buffer
	app := &cmdutil.App{
		Out: &o, Err: &e, In: strings.NewReader(b.stdin), StdinTTY: b.tty, StderrTTY: b.tty, Home: b.home, WorkDir: b.work,
		Environ: append([]string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH")}, b.environ...), Version: "v0",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
	cmd := mcp.New(app)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err := cmd.Execute()
	if err != nil {
		e.WriteString("error: " + err.Error() + "\nhint: " + cmdutil.HintOf(err) + "\n")
	}
	short := strings.NewReplacer(filepath.ToSlash(b.home), "HOME", filepath.ToSlash(b.work), "WORK")
	out, errs = short.Replace(o.String()), short.Replace(e.String())
	if got := cmdutil.CodeOf(err); got != code {
		b.t.Fatalf("mcp %v: exit %d, want %d\n%s%s", args, got, code, out, errs)
	}
	return out, errs
}

func says(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			t.Errorf("got\n%s\nwant it to say %q", text, s)
		}
	}
}

// MC-18: what follows -- is the program and its arguments, as they are.
func TestMC18AddTakesACommandLineAsItIs(t *testing.T) {
	b := newBench(t)
	args := []string{"a b", `"q"`, `C:\x y`, "-e", "--scope", "$HOME", ""}
	out, errs := b.run(0, append([]string{"add", "--env", "T=a=${T:-b c}", "p", "--", `C:\x y\s.cmd`}, args...)...)
	says(t, out, "added p to HOME/config.toml\n")
	says(t, errs, "it cannot start now: ", `s.cmd`)
	out, _ = b.run(0, "get", "p", "--output-format", "json")
	var got struct {
		Command string
		Args    []string
		Env     []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(args, got.Args); d != "" || got.Command != `C:\x y\s.cmd` || got.Env[0] != "T" {
		t.Errorf("%+v %s", got, d)
	}
	says(t, b.config(), `env = { T = "a=${T:-b c}" }`)
}

func TestAddStoresWhatCannotStartAndSaysSo(t *testing.T) {
	b := newBench(t)
	_, errs := b.run(0, "add", "gone", "--", "no-such-program-anywhere")
	says(t, errs, "it cannot start now: program no-such-program-anywhere was not found on PATH")
	_, errs = b.run(0, "add", "var", "--", "sh", "${NOPE}")
	says(t, errs, "variable NOPE is not set")
	_, errs = b.run(0, "add", "rel", "--", "./missing/tool")
	says(t, errs, "there is no program ./missing/tool")
	_, errs = b.run(0, "add", "old", "--type", "sse", "https://h/sse", "-H", "X-Api-Key: sk-1")
	says(t, errs, "sse is deprecated", "the value of X-Api-Key stands in the file as it is")
	if _, errs = b.run(0, "add", "web", "https://h/mcp?k=v", "--client-id", "c", "--oauth-scope", "a,b", "--approval", "writes"); errs != "" {
		t.Errorf("a good one: %s", errs)
	}
	out, _ := b.run(0, "list")
	says(t, out, "gone  on       no-such-program-anywhere", "var   problem  sh '${NOPE}'", "web   on       https://h/mcp?k=(hidden)", "HOME/config.toml:2")
	out, _ = b.run(0, "get", "web")
	says(t, out, "type      http", "approval  writes, by user")
	for _, leak := range []string{"sk-1", "k=v"} {
		out, errs := b.run(0, "list", "--output-format", "json")
		if strings.Contains(out+errs, leak) {
			t.Errorf("%s is shown:\n%s", leak, out)
		}
	}
}

// What keeps a server from starting is said once, and without the name and the place
// that the line before it has.
func TestAddSaysEachThingOnce(t *testing.T) {
	b := newBench(t)
	b.project(".mcp.json", `{"mcpServers": {"twice": {"command": "sh"}}}`)
	for _, args := range [][]string{
		{"var", "--", "sh", "${NOPE}", "${NOPE}"},
		{"head", "https://h/mcp", "-H", "Authorization: Bearer ${NOPE}", "-H", "X-Other: ${NOPE}"},
		{"--env", "A=${NOPE}", "--env", "B=${NOPE}", "env", "--", "sh"},
		{"twice", "--", "sh", "${NOPE}"},
	} {
		out, errs := b.run(0, append([]string{"add"}, args...)...)
		says(t, errs, "note: it cannot start now: variable NOPE is not set; ")
		if n := strings.Count(errs, "\n"); n != 1 || strings.Contains(errs, "HOME") {
			t.Errorf("%v: %d lines\n%s%s", args, n, out, errs)
		}
	}
	_, errs := b.run(0, "add", "--scope", "project", "twice", "--replace", "--", "sh", "${NOPE}")
	if n := strings.Count(errs, "\n"); n != 1 {
		t.Errorf("%d lines\n%s", n, errs)
	}
	b.run(0, "remove", "twice", "--scope", "user")
	b.project("reasonix.toml", "")
	_, errs = b.run(0, "add", "--scope", "project", "twice", "--", "sh", "${NOPE}")
	if n := strings.Count(errs, "reasonix mcp trust twice"); n != 1 {
		t.Errorf("said %d times\n%s", n, errs)
	}
	out, _ := b.run(0, "get", "var")
	says(t, out, "problem   variable NOPE is not set")
}

func TestAddRefusesWhatIsNoServer(t *testing.T) {
	b := newBench(t)
	b.run(0, "add", "p", "--", "sh")
	before := b.config()
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"there is a server of that name already", []string{"add", "p", "--", "sh"}},
		{"want a name without a slash", []string{"add", "a/b", "--", "sh"}},
		{"want NAME URL, got \"x\" behind the address", []string{"add", "q", "https://h", "x"}},
		{"--env is for a program", []string{"add", "q", "https://h", "-e", "A=b"}},
		{"headers and OAuth are for a remote server", []string{"add", "q", "-H", "A: b", "--", "sh"}},
		{"--env: want NAME=VALUE", []string{"add", "q", "-e", "A", "--", "sh"}},
		{"--header: want NAME:VALUE", []string{"add", "q", "https://h", "-H", "A"}},
		{"--env: A is there twice", []string{"add", "q", "-e", "A=1", "-e", "A=2", "--", "sh"}},
		{"--no-sandbox counts in your own file alone", []string{"add", "q", "--no-sandbox", "--scope", "project", "--", "sh"}},
	} {
		_, errs := b.run(2, tt.args...)
		says(t, errs, tt.want)
	}
	if b.config() != before {
		t.Errorf("the file changed:\n%s", b.config())
	}
	b.run(0, "add", "--replace", "p", "--", "cat", "-")
	out, _ := b.run(0, "list")
	says(t, out, "cat -")
}

func TestServersAreTurnedOffAndRemovedWhereTheyStand(t *testing.T) {
	b := newBench(t)
	b.write(filepath.Join(b.home, "config.toml"), "# mine\n[[plugins]]\nname = \"p\" # p\ncommand = \"sh\"\n")
	b.project(".mcp.json", `{"mcpServers": {"json": {"command": "sh"}}}`)
	b.run(0, "add", "--scope", "project", "theirs", "--", "sh")
	out, _ := b.run(0, "disable", "p")
	says(t, out, "disabled p in HOME/config.toml")
	out, _ = b.run(0, "disable", "p")
	says(t, out, "p was disabled already")
	out, _ = b.run(0, "list")
	says(t, out, "p       off", "json    untrusted", "theirs  untrusted")
	b.run(0, "enable", "p")
	out, _ = b.run(0, "disable", "theirs", "--output-format", "json")
	says(t, out, `"did": "disabled"`, `"file": "WORK/reasonix.toml"`, `"changed": true`)
	_, errs := b.run(2, "remove", "json")
	says(t, errs, "declared in WORK/.mcp.json:1, which this does not change", "mcp trust --revoke json")
	_, errs = b.run(2, "remove", "thiers")
	says(t, errs, `there is no MCP server "thiers" here`, "did you mean theirs?")
	b.run(2, "remove", "--scope", "project", "p")
	b.run(0, "remove", "theirs")
	out, _ = b.run(0, "remove", "p")
	says(t, out, "removed p from HOME/config.toml")
	if b.config() != "" && b.config() != "# mine\n" {
		t.Errorf("left:\n%q", b.config())
	}
	if text := b.read(filepath.Join(b.work, ".mcp.json")); !strings.Contains(text, "json") {
		t.Errorf(".mcp.json was written: %s", text)
	}
}

// A server of .mcp.json is turned off by the user's own file; the repository's is not
// written, and what it says itself cannot be turned on.
func TestARepositorysServerIsTurnedOffForItsUser(t *testing.T) {
	b := newBench(t)
	const text = `{"mcpServers": {"json": {"command": "sh"}, "off": {"command": "sh", "disabled": true}}}`
	b.project(".mcp.json", text)
	b.project("reasonix.toml", "[[plugins]]\nname = 'theirs'\ncommand = 'sh'\n")
	list := func(want ...string) {
		t.Helper()
		out, _ := b.run(0, "list")
		says(t, out, want...)
	}
	out, _ := b.run(0, "disable", "json")
	says(t, out, "disabled json in HOME/config.toml")
	says(t, b.config(), "mcp_disabled = [", "/json")
	list("json    off", "theirs  untrusted")
	out, _ = b.run(0, "disable", "json")
	says(t, out, "json was disabled already in HOME/config.toml")
	out, _ = b.run(0, "doctor", "json")
	says(t, out, "it is turned off", "-> reasonix mcp enable json")
	out, _ = b.run(0, "trust", "--yes", "json")
	says(t, out, "Note: it is turned off: reasonix mcp enable json", "trusted json")
	list("json    off")
	out, errs := b.run(0, "enable", "json")
	says(t, out, "enabled json in HOME/config.toml")
	if errs != "" || strings.Contains(b.config(), "json") {
		t.Errorf("stderr %q, left %q", errs, b.config())
	}
	list("json    on")
	b.run(0, "trust", "--revoke", "json")
	b.run(0, "disable", "json")
	_, errs = b.run(0, "enable", "json", "--output-format", "json")
	says(t, errs, "note: it starts once you let it: reasonix mcp trust json")
	b.run(0, "disable", "theirs", "--scope", "user")
	list("theirs  off")
	b.run(0, "enable", "theirs")
	list("theirs  untrusted")
	b.run(0, "trust", "--yes", "off")
	list("off     off")
	_, errs = b.run(2, "enable", "off")
	says(t, errs, "server off is turned off in WORK/.mcp.json:1 itself", "reasonix mcp add off")
	_, errs = b.run(2, "disable", "json", "--scope", "project")
	says(t, errs, "which this does not change", "leave out --scope project")
	if got := b.read(filepath.Join(b.work, ".mcp.json")); got != text {
		t.Errorf(".mcp.json was written: %s", got)
	}
	if got := b.read(filepath.Join(b.work, "reasonix.toml")); strings.Contains(got, "enabled") {
		t.Errorf("reasonix.toml was written: %s", got)
	}
}

// What would keep a server from starting is said before it is let start.
func TestTrustSaysWhatIsInTheWay(t *testing.T) {
	b := newBench(t)
	b.project(".mcp.json", `{"mcpServers": {"gone": {"command": "no-such-program-anywhere"}, "var": {"command": "sh", "args": ["${NOPE}"]}, "good": {"command": "sh"}}}`)
	out, _ := b.run(2, "trust", "gone")
	says(t, out, "Note: it cannot start now: program no-such-program-anywhere was not found on PATH\n")
	out, _ = b.run(0, "trust", "--yes", "--output-format", "json", "gone")
	says(t, out, `"trusted": true`, `"it cannot start now: program no-such-program-anywhere was not found on PATH"`)
	out, _ = b.run(0, "trust", "--yes", "var")
	says(t, out, "Note: it cannot start now: variable NOPE is not set")
	if out, _ = b.run(0, "trust", "--yes", "good"); strings.Contains(out, "Note") {
		t.Errorf("got %s", out)
	}
}

func TestImportTakesOverWhatOtherProgramsHave(t *testing.T) {
	b := newBench(t)
	b.run(0, "add", "had", "--", "sh")
	b.project("mcp.json", `{"servers": {"had": {"command": "other"}, "new": {"command": "sh", "args": ["${input:key}"]}, "web": {"url": "https://h"}, "bad": {"command": 1}}}`)
	out, errs := b.run(2, "import", "mcp.json")
	says(t, out, "added new to HOME/config.toml", "added web to", "skipped had: there is one of that name")
	says(t, errs, "error: server bad: command: want a string", "left out", "note: new: it cannot start now: ", "KEY is not set")
	out, _ = b.run(0, "import", "mcp.json", "had", "--replace", "--output-format", "json")
	says(t, out, `"imported": [`, `"had"`, `"problems": []`)
	_, errs = b.run(2, "import", "mcp.json", "bad")
	says(t, errs, "server bad: command")
	out, _ = b.run(0, "list")
	says(t, out, "had  on       other")
	b.stdin = `{"mcpServers": {"piped": {"command": "sh"}}}`
	b.run(0, "import", "-", "--scope", "project")
	says(t, b.read(filepath.Join(b.work, "reasonix.toml")), `name = "piped"`)
	for text, want := range map[string]string{"{": "it is no JSON", "{}": "it has no MCP servers", `{"mcpServers": {}}`: "it has no MCP servers"} {
		b.project("x.json", text)
		_, errs = b.run(2, "import", "x.json")
		says(t, errs, want)
	}
	_, errs = b.run(2, "import", "mcp.json", "none")
	says(t, errs, `there is no server "none" in the file`)
	b.run(2, "import", "missing.json")
}

func TestTrustIsOfOneServerAsItIs(t *testing.T) {
	b := newBench(t)
	b.project("reasonix.toml", "[[plugins]]\nname = 'a'\ncommand = 'sh'\nargs = ['1']\nenv = { K = '1' }\n[permissions]\nallow = ['Bash']\n")
	b.project(".mcp.json", `{"mcpServers": {"b": {"url": "https://h"}}}`)
	out, errs := b.run(2, "trust", "a")
	says(t, out, `says: command = "sh", args = ["1"], env = { K = (hidden) }`, "It means: ")
	says(t, errs, "nobody can be asked here", "--yes")
	b.tty, b.stdin = true, "what\nn\n"
	out, _ = b.run(0, "trust", "a")
	says(t, out, "Let it start? [y/N] Let it start? [y/N] nothing was granted")
	b.stdin = ""
	_, errs = b.run(2, "trust", "a")
	says(t, errs, "the input ended")
	b.stdin = "y\n"
	out, _ = b.run(0, "trust", "a")
	says(t, out, "trusted a; it starts with the next session")
	out, _ = b.run(0, "list")
	says(t, out, "a  on         sh 1", "b  untrusted")
	out, _ = b.run(0, "trust", "a", "--output-format", "json")
	says(t, out, `"trusted": true`, `"changed": false`)

	b.project("reasonix.toml", "[[plugins]]\nname = 'a'\ncommand = 'sh'\nargs = ['1']\nenv = { K = '1' }\ncall_timeout_seconds = 9\n")
	out, _ = b.run(0, "list")
	says(t, out, "a  on")
	b.project("reasonix.toml", "[[plugins]]\nname = 'a'\ncommand = 'sh'\nargs = ['1']\nenv = { K = '2' }\n")
	out, _ = b.run(0, "list")
	says(t, out, "a  untrusted")

	b.tty = false
	out, _ = b.run(0, "trust", "--yes", "b", "--output-format", "json")
	says(t, out, `"trusted": true`, `"changed": true`)
	out, _ = b.run(0, "trust", "--revoke", "b")
	says(t, out, "took the trust in b back")
	_, errs = b.run(2, "trust", "--revoke", "b")
	says(t, errs, "server b is not granted here")
	b.run(0, "add", "own", "--", "sh")
	_, errs = b.run(2, "trust", "own")
	says(t, errs, "declared by you and needs no trust")
	_, errs = b.run(2, "trust", "none")
	says(t, errs, `there is no MCP server "none"`)
	b.run(2, "trust", "--revoke", "--yes", "b")
}

// PM-21: nothing that lists or shows runs what a repository declares, and a broken
// file does not keep the others from being listed.
func TestPM21NothingIsStartedToBeListed(t *testing.T) {
	b := newBench(t)
	b.project(".mcp.json", `{"mcpServers": {"evil\u001b": {"command": "sh", "args": ["-c", "touch canary"], "headersHelper": "touch canary"}}}`)
	b.project("reasonix.toml", "plugins = 1\n")
	b.write(filepath.Join(b.home, "config.toml"), "[[plugins]]\nname = 'mine'\ncommand = 'sh'\n")
	out, errs := b.run(3, "list")
	says(t, out, "mine", `evil\u001B`)
	says(t, errs, "reasonix.toml:1")
	b.run(3, "list", "--output-format", "json")
	b.run(3, "get", "mine")
	if _, err := os.Stat(filepath.Join(b.work, "canary")); err == nil || strings.Contains(out+errs, "\x1b") {
		t.Errorf("it ran, or writes to the terminal:\n%s%s", out, errs)
	}
}
