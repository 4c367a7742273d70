package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

// serverOf loads and returns the server of that name.
func (w world) serverOf(name string) config.Server {
	w.t.Helper()
	s, ok := w.load().Server(name)
	if !ok {
		w.t.Fatalf("there is no server %s", name)
	}
	return s
}

func (w world) dotenv(text string) { w.write(filepath.Join(w.in.Workspace, ".env"), text) }

// MC-18: nothing splits, quotes or unescapes what a command line is made of.
func TestMC18ACommandLineIsPassedAsGiven(t *testing.T) {
	command := `C:\x y\s.cmd`
	args := []string{`a b`, `"q"`, `'s'`, `\\host\x`, `$HOME`, `$$`, `${`, `${a b}`, `${env:T}`, `%PATH%`, "", "-c"}
	file := "[[plugins]]\nname = 'p'\ncommand = '" + command + "'\nargs = ['a b', '\"q\"', \"'s'\", '\\\\host\\x', '$HOME', '$$', '${', '${a b}', '${env:T}', '%PATH%', '', '-c']\n"
	s := newWorld(t, file, "", "T=x").serverOf("p")
	if d := cmp.Diff(append([]string{command}, args...), append([]string{s.Command}, s.Args...)); d != "" || !s.Usable() {
		t.Errorf("%s %s", s.Problem, d)
	}
	w := newWorld(t, "", "")
	w.write(w.serversFile(), `{"mcpServers": {"p": {"command": "C:\\x y\\s.cmd", "args": ["a b", "\"q\"", "'s'", "\\\\host\\x", "$HOME", "$$", "${", "${a b}", "${env:T}", "%PATH%", "", "-c"]}}}`)
	w.in.Granted = everything
	s = w.serverOf("p")
	if d := cmp.Diff(append([]string{command}, args...), append([]string{s.Command}, s.Args...)); d != "" {
		t.Error(d)
	}
}

func TestVariablesOfAServerHaveValues(t *testing.T) {
	w := newWorld(t, `
[[plugins]]
name = "p"
command = "${BIN}/server"
args = ["--db=${DB}", "${A:-1}${B:-two words}${E:-e}", "${CLAUDE_PROJECT_DIR}", "${REASONIX_WORKSPACE_ROOT}/x"]
env = { TOKEN = "${TOKEN}", E = "[${E}]" }
[[plugins]]
name = "q"
type = "streamable-http"
url = "https://${HOST:-example.com}/mcp"
headers = { Authorization = "Bearer ${MINE}" }
`, "", "BIN=/opt", "TOKEN=t1", "E=", "A=0", "BOTH=env")
	w.dotenv("DB=file.db\nTOKEN=project\nMINE=project\n")
	w.write(w.envFile(), "MINE=sk-home-env\n")
	p, q := w.serverOf("p"), w.serverOf("q")
	got := []any{p.Command, p.Args, p.Env, p.Missing, p.Problem, q.Type, q.URL, q.Headers, q.Problem}
	want := []any{
		"/opt/server",
		[]string{"--db=file.db", "0two wordse", w.in.Workspace, w.in.Workspace + "/x"},
		map[string]string{"TOKEN": "t1", "E": "[]"},
		[]string(nil), "", "http", "https://example.com/mcp",
		map[string]string{"Authorization": "Bearer sk-home-env"},
		"",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if values := w.load().SecretValues(); !slices.Contains(values, "sk-home-env") {
		t.Errorf("a header's value is not redacted: %v", values)
	}
}

// A variable without a value turns that one server off, and both are named.
func TestAMissingVariableIsOneServersMatter(t *testing.T) {
	w := newWorld(t, "[[plugins]]\nname = \"good\"\ncommand = \"x\"\n[[plugins]]\nname = \"bad\"\ncommand = \"x\"\nargs = [\"${NOPE}\", \"${ALSO}\", \"${NOPE:-d}\"]\n", "")
	c := w.load()
	var states []string
	for _, s := range c.Servers() {
		states = append(states, s.Name+" "+strings.Join(s.Missing, ","))
		if s.Name == "bad" {
			contains(t, s.Problem, "server bad", "config.toml:5", "variable ALSO is not set", "also missing: NOPE", "${ALSO:-default}")
		}
		if s.Usable() != (s.Name == "good") {
			t.Errorf("%s: %q", s.Name, s.Problem)
		}
	}
	if d := cmp.Diff([]string{"bad ALSO,NOPE", "good "}, states); d != "" {
		t.Error(d)
	}
}

// The workspace's .env gives no keys and no variables of reasonix, and says
// neither what runs nor where requests go for a server of the user's own.
func TestWhatAProjectEnvFileMayNotSay(t *testing.T) {
	for text, want := range map[string]string{
		"args = ['${MINE_KEY}']\ncommand = 'x'":                         "MINE_KEY is not set, and is never taken from ",
		"args = ['${mine_key}']\ncommand = 'x'":                         "never taken from ",
		"env = { A = '${REASONIX_HOME}' }\ncommand = 'x'":               "REASONIX_HOME is not set, and is never taken from ",
		"command = '${BIN}'":                                            "BIN is not set: ",
		"url = 'https://${BIN}'\nheaders = { A = 'sk' }\ntype = 'http'": "BIN is not set: ",
	} {
		w := newWorld(t, mine+"[[plugins]]\nname = 'p'\n"+text+"\n", "")
		w.dotenv("MINE_KEY=evil\nmine_key=evil\nREASONIX_HOME=/evil\nBIN=evil\n")
		s := w.serverOf("p")
		contains(t, s.Problem, want)
		if strings.Contains(strings.Join(append(s.Args, s.Command, s.URL, s.Env["A"]), " "), "evil") {
			t.Errorf("%s\nbecame %+v", text, s)
		}
	}
}

// A server of a project gets nothing of the user's: not <home>/.env, not a key
// that is exported, not the variables of reasonix.
func TestAProjectsServerGetsNoKeys(t *testing.T) {
	for _, name := range []string{"HOME_ONLY", "MINE_KEY", "REASONIX_SERVE_TOKEN", "REASONIX_HOME", "Home_Only"} {
		w := newWorld(t, mine, "[[plugins]]\nname = 'p'\ncommand = 'x'\nargs = ['${"+name+"}']\n[plugins.oauth]\nclient_secret_env = '"+name+"'\n",
			"MINE_KEY=sk-mine", "REASONIX_SERVE_TOKEN=sk-serve", "REASONIX_HOME=/h", "HOME_ONLY=sk-exported", "Home_Only=sk-exported")
		w.write(w.envFile(), "HOME_ONLY=sk-home\n")
		w.in.Granted = everything
		s := w.serverOf("p")
		if s.Usable() || s.Args[0] != "" || s.ClientSecret != "" || !slices.Equal(s.Missing, []string{name}) {
			t.Errorf("%s: %+v", name, s)
		}
		contains(t, s.Problem, name, "no server of a project gets")
	}
	w := newWorld(t, "", "[[plugins]]\nname = 'p'\ncommand = '${BIN}'\nargs = ['${OPEN}']\n", "OPEN=yes")
	w.dotenv("BIN=node\n")
	w.in.Granted = everything
	if s := w.serverOf("p"); !s.Usable() || s.Command != "node" || s.Args[0] != "yes" {
		t.Errorf("%+v", s)
	}
	env := newWorld(t, mine, "").load().ServerEnviron([]string{"PATH=/bin", "MINE_KEY=x", "REASONIX_HOME=/h", "reasonix_x=1", "A=1"})
	if d := cmp.Diff([]string{"PATH=/bin", "A=1"}, env); d != "" {
		t.Error(d)
	}
}

func TestAHostileProjectEnvFileServesNothing(t *testing.T) {
	w := newWorld(t, "[[plugins]]\nname = 'p'\ncommand = 'x'\nargs = ['${A}']\n", "")
	outside := filepath.Join(filepath.Dir(w.in.Workspace), "outside")
	w.write(outside, "A=outside\n")
	noErr(t, os.Symlink(outside, filepath.Join(w.in.Workspace, ".env")))
	s := w.serverOf("p")
	contains(t, s.Problem, "variable A is not set", "a link that does not lead to a file inside the project")
	same := newWorld(t, "[[plugins]]\nname = 'p'\ncommand = 'x'\nargs = ['${A}']\n", "")
	same.in.Workspace = same.in.Home
	same.write(same.envFile(), "A=sk-key\n")
	if s := same.serverOf("p"); s.Args[0] != "sk-key" {
		t.Errorf("the keys' file is the project's, too: %+v", s)
	}
}

// A project cannot take a server out of the sandbox, not even one that the user
// has taken out, nor let it ask the model.
func TestAProjectCannotWidenAServer(t *testing.T) {
	user := "[[plugins]]\nname = 'own'\ncommand = 'x'\nsandbox = false\nsampling = true\n"
	w := newWorld(t, user, "[[plugins]]\nname = 'own'\nargs = ['y']\n[[plugins]]\nname = 'theirs'\ncommand = 'x'\nsandbox = false\nsampling = true\n")
	c := w.load()
	if s, _ := c.Server("own"); s.Sandbox || !s.Sampling || s.FromProject || len(s.Args) > 0 {
		t.Errorf("the user's own: %+v", s)
	}
	contains(t, warnings(c, config.WarnUserOnly), "plugins.theirs.sandbox", "plugins.theirs.sampling")
	contains(t, c.Ungranted[0].Effect, "laid over your own")
	w.in.Granted = everything
	for _, s := range w.load().Servers() {
		if !s.Sandbox || s.Sampling || !s.FromProject || s.ApprovalMode("x") != "auto" {
			t.Errorf("granted: %+v", s)
		}
	}
}

func TestWhoApprovesWhat(t *testing.T) {
	block := "[[plugins]]\nname = 'my server'\ncommand = 'x'\ntrusted_read_only_tools = ['look']\ntool_timeout_seconds = { slow = 1800, zero = 0 }\n"
	more := "tools = { del = { approval_mode = 'prompt' } }\ndefault_tools_approval_mode = 'writes'\ncall_timeout_seconds = 9\nstart_timeout_seconds = 3\n"
	plan := "agent.plan_mode_allowed_tools = ['mcp__my_server__find', 'mcp__my server__see', 'mcp__other__x', 'mcp__my_server__']\n"
	s := newWorld(t, plan+block, "").serverOf("my server")
	got := []any{s.ApprovalMode("del"), s.ApprovalMode("x"), s.TrustedReadOnlyTools, s.StartTimeout, s.CallLimit("x"), s.CallLimit("slow"), s.CallLimit("zero"), s.ApprovalsReviewer}
	want := []any{"approve", "approve", []string{"look", "find", "see"}, 30 * time.Second, 300 * time.Second, 1800 * time.Second, 300 * time.Second, "user"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s = newWorld(t, block+more, "").serverOf("my server")
	got = []any{s.ApprovalMode("del"), s.ApprovalMode("x"), s.CallLimit("x"), s.StartTimeout}
	if d := cmp.Diff([]any{"prompt", "writes", 9 * time.Second, 3 * time.Second}, got); d != "" {
		t.Error(d)
	}
	w := newWorld(t, "tools.mcp_call_timeout_seconds = 0\n", block)
	w.in.Granted = everything
	if s = w.serverOf("my server"); s.ApprovalMode("x") != "auto" || s.CallLimit("x") != 300*time.Second {
		t.Errorf("a project's: %s, %s", s.ApprovalMode("x"), s.CallLimit("x"))
	}
}

func TestAServerThatCannotBeStartedSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "want command",
		"type = 'http'\ncommand = 'x'":     "http:// or https://",
		"url = 'ftp://x'":                  "http:// or https://",
		"url = '${A:-nowhere}'":            "http:// or https://",
		"command = '${A:-}'":               "want command",
		"url = 'https://x'":                "",
		"type = 'sse'\nurl = 'https://x'":  "",
		"command = 'x'\nenabled = false":   "",
		"type = 'stdio'\nurl = 'https://'": "want command",
	} {
		s := newWorld(t, "[[plugins]]\nname = \"p\\u001b\"\n"+text+"\n", "").serverOf("p\x1b")
		contains(t, s.Problem, want)
		if strings.Contains(s.Problem, "\x1b") || s.Usable() != (want == "" && s.Enabled) {
			t.Errorf("%s\n%q", text, s.Problem)
		}
	}
}

// PM-22: what a server is holds its grant, its variables included, for PATH says which
// program a command is; what its limits and the values of its headers are does not.
func TestPM22AGrantIsOfTheServerNotOfItsLimits(t *testing.T) {
	block := func(more string) string {
		return "[[plugins]]\nname = 'p'\ncommand = '${BIN:-x}'\nargs = ['${ARG}']\n" + more
	}
	hash := func(dotenv, more string) string {
		w := newWorld(t, "", block(more))
		w.dotenv(dotenv)
		return w.load().Ungranted[0].Hash
	}
	is := hash("", "env = { A = '1' }\nheaders = { H = '1' }\n")
	for _, same := range []string{
		"env = { A = '1' }\nheaders = { H = '$X ${} ${a b}' }\n", "env = { A = '1' }\nheaders = { H = '1' }\ncall_timeout_seconds = 9\nenabled = false\n",
	} {
		if hash("", same) != is || hash("X=1\nA=2\n", same) != is {
			t.Errorf("%s\nis another part", same)
		}
	}
	for _, other := range []string{
		"env = { B = '1' }\nheaders = { H = '1' }\n", "env = { A = '2' }\nheaders = { H = '1' }\n", "env = { A = '1' }\nheaders = { I = '1' }\n", "env = { A = '1' }\nheaders = { H = '1' }\ndefault_tools_approval_mode = 'approve'\n",
		"env = { A = '1' }\nheaders = { H = '1' }\nheaders_helper = 'x'\n", "env = { A = '1' }\nheaders = { H = '1' }\ntype = 'stdio'\n",
	} {
		if hash("", other) == is {
			t.Errorf("%s\nis the same part", other)
		}
	}
	if hash("BIN=evil\n", "env = { A = '1' }\nheaders = { H = '1' }\n") == is || hash("ARG=evil\n", "env = { A = '1' }\nheaders = { H = '1' }\n") == is {
		t.Error("the workspace's .env makes another program of a granted server")
	}
	if hash("", "env = { PATH = '${BIN}' }\n") == hash("BIN=evil\n", "env = { PATH = '${BIN}' }\n") {
		t.Error("the workspace's .env says where a granted server's program is found")
	}
	w := newWorld(t, "", block("env = { PATH = './bin', Api_Token = 'sk-1' }"))
	contains(t, w.load().Ungranted[0].Text, `env = { Api_Token = (hidden), PATH = "./bin" }`)
	w.dotenv("BIN=evil\n")
	contains(t, w.load().Ungranted[0].Text, `; unless your environment does, .env says that BIN is "evil"`)
}

// A granted server cannot come to be sent more of the user's environment: the names of
// the variables in its values are part of what was granted, and are shown there.
func TestAGrantNamesWhatOfTheEnvironmentAServerGets(t *testing.T) {
	load := func(entry string) config.Part {
		w := newWorld(t, "", "")
		w.write(w.serversFile(), `{"mcpServers": {"w": {`+entry+`}}}`)
		w.dotenv("GITHUB_TOKEN=theirs\n")
		return w.load().Ungranted[0]
	}
	plain := load(`"url": "http://h/mcp", "headers": {"X-Team": "blue"}`)
	if strings.Contains(plain.Text, "environment") {
		t.Errorf("nothing is sent: %s", plain.Text)
	}
	for entry, want := range map[string]string{
		`"url": "http://h/mcp", "headers": {"X-Team": "${AWS_SECRET_ACCESS_KEY:-}${GITHUB_TOKEN:-}"}`: "; sends AWS_SECRET_ACCESS_KEY, GITHUB_TOKEN of your environment to http://h/mcp",
		`"url": "http://h/mcp", "headers": {"X-Team": "blue ${GITHUB_TOKEN}"}`:                        "; sends GITHUB_TOKEN of your environment to http://h/mcp",
		`"url": "http://h/mcp", "headers": {"X-Team": "blue"}, "env": {"E": "${GITHUB_TOKEN}"}`:       "; sends GITHUB_TOKEN of your environment to http://h/mcp",
		`"url": "http://h/mcp?k=${GITHUB_TOKEN:-x}", "headers": {"X-Team": "blue"}`:                   "; sends GITHUB_TOKEN of your environment to http://h/mcp?",
		`"command": "x", "env": {"E": "a${GITHUB_TOKEN:-}", "D": "${CLAUDE_PROJECT_DIR}"}`:            "; gives GITHUB_TOKEN of your environment to that program",
		`"command": "x", "args": ["${GITHUB_TOKEN}"]`:                                                 "; gives GITHUB_TOKEN of your environment to that program",
	} {
		p := load(entry)
		contains(t, p.Text, want)
		if p.Hash == plain.Hash {
			t.Errorf("%s\nis the same part", entry)
		}
	}
	for _, pair := range [][2]string{
		{`"command": "x", "env": {"E": "1"}`, `"command": "x", "env": {"E": "${A}"}`},
		{`"command": "x", "env": {"E": "${A}"}`, `"command": "x", "env": {"E": "${A}${B}"}`},
		{`"url": "http://h", "headers": {"H": "${A}"}`, `"url": "http://h", "headers": {"H": "${B:-${A}}"}`},
	} {
		if load(pair[0]).Hash == load(pair[1]).Hash {
			t.Errorf("%s\nand %s\nare one part", pair[0], pair[1])
		}
	}
	if load(`"url": "http://h", "headers": {"H": "${A} 1"}`).Hash != load(`"url": "http://h", "headers": {"H": "2 ${A:-z}"}`).Hash {
		t.Error("what stands around a variable changed the grant")
	}
	own := one(t, "[[plugins]]\nname = 'p'\nheaders = { H = '${A}' }\noauth = { client_secret_env = 'SECRET' }\n")
	contains(t, own.Text, "; gets A, SECRET of your environment")
}
