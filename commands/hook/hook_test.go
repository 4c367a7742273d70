//go:build unix

package hook_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/commands/cmdutil/cmdtest"
	"reasonix/commands/hook"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/trust"
	"reasonix/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m) }

// A desk is a home, a workspace and the command at work in them.
type desk struct {
	t   *testing.T
	dir string
}

const userConfig = `
[[hooks]]
name = "guard"
event = "PreToolUse"
match = "bash"
command = "grep -q 'rm -rf' && { echo 'not that' >&2; exit 2; }; exit 0"
timeout_seconds = 7
`

const claudeSettings = `{"hooks": {
  "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "cat >read; touch ../outside 2>/dev/null; exit 0"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "echo '{\"systemMessage\":\"bye\"}'"}]}]
}}`

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{t: t, dir: t.TempDir()}
	for name, text := range map[string]string{
		"home/config.toml": userConfig, "work/.claude/settings.json": claudeSettings, "user/x": "",
	} {
		cmdtest.Write(t, filepath.Join(d.dir, name), text)
	}
	return d
}

func (d desk) environ() []string {
	return []string{"HOME=" + filepath.Join(d.dir, "user"), "PATH=" + os.Getenv("PATH")}
}

// grant lets the project's hooks run.
func (d desk) grant() {
	d.t.Helper()
	home, work := filepath.Join(d.dir, "home"), filepath.Join(d.dir, "work")
	cfg, err := config.Load(wire.Input(home, work, d.environ()))
	if err != nil {
		d.t.Fatal(err)
	}
	var parts []trust.Part
	for _, p := range cfg.Ungranted {
		parts = append(parts, wire.GrantOf(p))
	}
	if len(parts) == 0 {
		d.t.Fatal("nothing waits for a grant")
	}
	if err := trust.Open(home).Grant(work, time.Now(), parts...); err != nil {
		d.t.Fatal(err)
	}
}

// run runs `hook ARGS`, with the temporary directory taken out of what it prints.
func (d desk) run(args ...string) (out, errs string, code int) {
	d.t.Helper()
	out, errs, err := cmdtest.Run(d.t, hook.New, &cmdutil.App{
		Home: filepath.Join(d.dir, "home"), WorkDir: filepath.Join(d.dir, "work"), Environ: d.environ(), Now: time.Now,
	}, args...)
	if err != nil {
		errs += err.Error()
	}
	return cmdtest.Short(out, d.dir, "DIR"), cmdtest.Short(errs, d.dir, "DIR"), cmdutil.CodeOf(err)
}

func TestListTellsWhatRunsAndWhatDoesNot(t *testing.T) {
	d := newDesk(t)
	out, errs, code := d.run("list")
	if code != 0 || !strings.Contains(out, "PreToolUse  bash") || !strings.Contains(out, `  .claude/settings.json:Stop:1: event = "Stop", command = `) || !strings.Contains(out, "DIR/home/config.toml:") || !strings.Contains(out, "2 hooks of this repository are off without your grant") {
		t.Errorf("%d %s\n%s", code, out, errs)
	}
	d.grant()
	var l struct {
		Hooks []struct {
			Name, Event, Match, Scope, File string
			Claude                          bool
			Timeout                         float64 `json:"timeout_seconds"`
		}
		Off []any
	}
	out, _, _ = d.run("list", "--output-format", "json")
	if err := json.Unmarshal([]byte(out), &l); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range l.Hooks {
		got = append(got, h.Event+" "+h.Match+" "+h.Scope)
	}
	if d := cmp.Diff([]string{"PreToolUse Bash|Edit project", "PreToolUse bash user", "TurnEnd  project"}, got); d != "" {
		t.Error(d)
	}
	if len(l.Off) != 0 || l.Hooks[1].Timeout != 7 || l.Hooks[0].Timeout != 60 || !l.Hooks[0].Claude {
		t.Errorf("%+v", l)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "work", "read")); err == nil {
		t.Error("a hook ran")
	}
}

func TestTestRunsTheHooksOfAPoint(t *testing.T) {
	d := newDesk(t)
	out, errs, code := d.run("test", "PreToolUse", "--args", `{"command":"rm -rf build"}`)
	if code != 0 || !strings.HasPrefix(out, "deny  guard, DIR/home/config.toml:") || !strings.HasSuffix(out, "blocked by guard: not that\n") {
		t.Errorf("%d %s\n%s", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "work", "read")); err == nil {
		t.Error("a hook ran that was not granted")
	}
	if out, _, _ := d.run("test", "PreToolUse"); !strings.HasSuffix(out, "it goes on as if there were no hooks\n") {
		t.Errorf("%s", out)
	}
	if out, _, _ := d.run("test", "Stop"); out != "no hook runs at TurnEnd for this\n" {
		t.Errorf("%s", out)
	}
}

func TestTestHoldsTheProjectsHooksToTheSandbox(t *testing.T) {
	d := newDesk(t)
	if !(wire.World{Home: filepath.Join(d.dir, "home"), Environ: d.environ(), Now: time.Now}).CanConfine() {
		t.Log("no sandbox works on this machine: the hook is refused, and that is told")
	}
	d.grant()
	out, errs, code := d.run("test", "PreToolUse", "--tool", "edit_file", "--args", `{"path":"a.go"}`, "--output-format", "json")
	var said struct {
		Runs []struct{ Verdict, Reason, Scope string }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Runs) != 1 || said.Runs[0].Scope != "project" {
		t.Fatalf("%v: %d %s %s", err, code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "outside")); err == nil {
		t.Error("the hook wrote outside the workspace")
	}
	read, _ := os.ReadFile(filepath.Join(d.dir, "work", "read"))
	if held := said.Runs[0].Verdict == "ok"; held != strings.Contains(string(read), `"tool_name":"Edit","tool_input":{"file_path":"`+filepath.Join(d.dir, "work", "a.go")+`"}`) {
		t.Errorf("%+v read %s", said, read)
	}
}

func TestMistakesAreUsageErrors(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"test"}, "which event? SessionStart, UserPromptSubmit, PreToolUse, "},
		{[]string{"test", "BeforeAll"}, "BeforeAll is no event"},
		{[]string{"test", "PreToolUse", "--args", "[]"}, "--args []: it is no JSON object"},
		{[]string{"test", "PreToolUse", "--name", "nobody"}, "no hook that runs here has the name nobody"},
	} {
		if _, errs, code := d.run(c.args...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d %s", c.args, code, errs)
		}
	}
}

// TestTestRunsAHookAsASessionDoes: it takes secrets out of what a hook says, and a
// repository whose data are elsewhere can be written where git needs it.
func TestTestRunsAHookAsASessionDoes(t *testing.T) {
	d := newDesk(t)
	repo, work := filepath.Join(d.dir, "repo"), filepath.Join(d.dir, "work")
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	cmdtest.Write(t, filepath.Join(repo, "x"), "")
	git(repo, "init", "-q")
	git(repo, "add", ".")
	git(repo, "commit", "-qm", "x")
	git(repo, "worktree", "add", "-q", work)
	cmdtest.Write(t, filepath.Join(work, ".claude", "settings.json"),
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo hi >new && git add new && git ls-files new && echo key sk-0123456789abcdef"}]}]}}`)
	cmdtest.Write(t, filepath.Join(d.dir, "home", ".env"), "DEEPSEEK_API_KEY=sk-0123456789abcdef\n")
	d.grant()
	out, errs, code := d.run("test", "Stop")
	confined := (wire.World{Home: filepath.Join(d.dir, "home"), Environ: d.environ(), Now: time.Now}).CanConfine()
	if confined && (code != 0 || !strings.Contains(out, "stdout: new\n") || !strings.Contains(out, "key [redacted]")) {
		t.Errorf("%d %s\n%s", code, out, errs)
	}
	if strings.Contains(out, "sk-0123") {
		t.Errorf("a key is shown: %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(d.dir, "home", "tmp", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
