//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"reasonix/core/tool"
	bash "reasonix/core/tool/shell"
	"reasonix/core/tool/tooltest"
	"reasonix/sandbox"
)

func TestMain(m *testing.M) {
	if sandbox.Helper(os.Args) || web(os.Args) {
		return
	}
	goleak.VerifyTestMain(m)
}

// shell is the bash tool bound to a workspace, and the calls made of it.
type shell struct {
	t    *testing.T
	tool tool.Tool
	env  tool.Env
	dir  string
	set  tool.Settings
}

func open(t *testing.T, change ...func(*tool.Settings)) *shell {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	set := tool.Settings{Environ: os.Environ(), Temp: t.TempDir()}
	for _, f := range change {
		f(&set)
	}
	runner := sandbox.NewOff()
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Errorf("close runner: %v", err)
		}
	})
	env := tooltest.Env(t, dir, tooltest.Runner(runner), tooltest.Settings(set))
	return &shell{t: t, tool: tooltest.Bind(t, builtin(t), env), env: env, dir: dir, set: set}
}

func builtin(t *testing.T) tool.Tool {
	t.Helper()
	return named(t, "bash")
}

func named(t *testing.T, name string) tool.Tool {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == name {
			return tl
		}
	}
	t.Fatalf("%s is not registered", name)
	return nil
}

// result is what came of one call.
type result struct {
	text string
	err  error
	call *tool.Call
	full string // content of the saved output
	live strings.Builder
}

// args are a call's arguments.
type args map[string]any

func (s *shell) call(ctx context.Context, a args) *result {
	s.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		s.t.Fatal(err)
	}
	r := &result{}
	r.call = &tool.Call{ID: "call-1", Out: &r.live, Save: func(rd io.Reader) (string, string, error) {
		data, err := io.ReadAll(rd)
		r.full = string(data)
		return "hash", "/saved/output.txt", err
	}}
	r.text, r.err = s.tool.Execute(tool.WithCall(ctx, r.call), raw)
	return r
}

// run makes a call that must not be an error.
func (s *shell) run(command string) *result {
	s.t.Helper()
	r := s.call(s.t.Context(), args{"command": command})
	if r.err != nil {
		s.t.Fatalf("%s: %v", command, r.err)
	}
	return r
}

// want runs a command and compares what the model is told.
func (s *shell) want(command, text string) {
	s.t.Helper()
	if got := s.run(command).text; got != text {
		s.t.Errorf("%s\n got %q\nwant %q", command, got, text)
	}
}

func TestConformance(t *testing.T) {
	runner := sandbox.NewOff()
	t.Cleanup(func() { _ = runner.Close() })
	for name, args := range map[string]string{
		"bash":        `{"command":"echo hello","timeout_ms":60000,"description":"greet"}`,
		"bash_output": `{"filter":"x"}`,
		"wait":        `{"timeout_ms":1000}`,
		"kill_shell":  "", // a job must be there
	} {
		t.Run(name, func(t *testing.T) {
			tooltest.Run(t, named(t, name), tooltest.Args(args),
				tooltest.In(tooltest.Runner(runner), tooltest.Settings(tool.Settings{Environ: os.Environ()})))
		})
	}
	t.Run("in the background", func(t *testing.T) {
		tooltest.Run(t, builtin(t), tooltest.Args(`{"command":"echo hello","run_in_background":true}`),
			tooltest.In(tooltest.Runner(runner), tooltest.Settings(tool.Settings{Environ: os.Environ()})))
	})
}

func TestExitCodeIsAlwaysTold(t *testing.T) {
	s := open(t)
	for command, want := range map[string]struct {
		text string
		code int
	}{
		":":                      {"exit code 0", 0},
		"echo a":                 {"a\nexit code 0", 0},
		"printf a; exit 3":       {"a\nexit code 3", 3},
		"echo out; echo err >&2": {"out\nerr\nexit code 0", 0},
		"kill -9 $$":             {"ended by signal: killed", -1},
		"exit 137":               {"exit code 137 (as after signal 9, killed)", 137},
		"for do":                 {"bash: eval: line 2: syntax error: unexpected end of file\nexit code 2", 2},
		"\n\nno-such-program-x":  {"bash: line 3: no-such-program-x: command not found\nexit code 127", 127},
	} {
		r := s.run(command)
		if r.text != want.text || r.call.Exit == nil || *r.call.Exit != want.code {
			t.Errorf("%q: got %q, exit %v; want %q, %d", command, r.text, r.call.Exit, want.text, want.code)
		}
	}
}

func TestDescriptionNamesTheInterpreterAndIsShort(t *testing.T) {
	set := func(s *tool.Settings) { s.BashTimeout = 120e9 }
	one, two := open(t, set).tool.Description(), open(t, set).tool.Description()
	if one != two {
		t.Errorf("descriptions differ: %q, %q", one, two)
	}
	if !strings.Contains(one, " bash.") || !strings.Contains(one, "Limit 2m0s") || len(one) > 220 {
		t.Errorf("got %d bytes: %q", len(one), one)
	}
}

func TestSubjectIsTheFirstLine(t *testing.T) {
	for command, want := range map[string]string{
		"":                       "bash",
		"\n  ls -l\nrm x":        "ls -l",
		"\x1b[31mls":             "ls",
		strings.Repeat("界", 130): strings.Repeat("界", 119) + "…",
	} {
		raw, _ := json.Marshal(args{"command": command, "description": "look"})
		got := builtin(t).(tool.Subjecter).Subject(raw)
		if got.Title != want || got.Kind != "execute" || got.Reason != "look" {
			t.Errorf("%q: got %+v, want title %q", command, got, want)
		}
	}
}

func TestInterpreterIsChosenBySettings(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"pwsh", "powershell"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"PATH=relative:" + bin + ":/usr/bin:/bin"}
	for _, c := range []struct {
		shell, path string
		told, named string
	}{
		{"", "", " bash.", "/bash"},
		{"auto", "", " bash.", "/bash"},
		{"bash", "", " bash.", "/bash"},
		{"pwsh", "", " pwsh.", bin + "/pwsh"},
		{"powershell", "", " powershell.", bin + "/powershell"},
		{"auto", "/bin/sh", " sh.", "/bin/sh"},
	} {
		s := open(t, func(set *tool.Settings) { set.Shell, set.ShellPath, set.Environ = c.shell, c.path, environ })
		if got := s.tool.Description(); !strings.Contains(got, c.told) {
			t.Errorf("%q %q: got %q, want %q in it", c.shell, c.path, got, c.told)
		}
		if named, err := bash.Interpreter(s.set); err != nil || !strings.HasSuffix(named, c.named) {
			t.Errorf("%q %q: named %q, %v", c.shell, c.path, named, err)
		}
	}
}

func TestMissingInterpreterIsAnErrorAtBind(t *testing.T) {
	for _, set := range []tool.Settings{
		{Shell: "pwsh", Environ: []string{"PATH=/nowhere"}},
		{ShellPath: "/nowhere/bash"},
		{ShellPath: "/usr"},
	} {
		env := tooltest.Env(t, t.TempDir(), tooltest.Settings(set))
		_, err := builtin(t).(tool.Binder).Bind(env)
		if err == nil || !strings.Contains(err.Error(), "tools.shell.") {
			t.Errorf("%+v: got %v", set, err)
		}
	}
}

func TestNULInACommandIsRefused(t *testing.T) {
	r := open(t).call(t.Context(), args{"command": "echo a\x00b"})
	if r.err == nil || !strings.Contains(r.err.Error(), "NUL") {
		t.Errorf("got %q, %v", r.text, r.err)
	}
}

func TestLongCommandsRun(t *testing.T) {
	s := open(t)
	body := strings.Repeat("some 'text' $HOME `x`\n", 20_000)
	s.want("cat > out <<'END'\n"+body+"END\necho $?", "0\nexit code 0")
	got, err := os.ReadFile(filepath.Join(s.dir, "out"))
	if err != nil || string(got) != body {
		t.Errorf("got %d bytes, %v; want %d", len(got), err, len(body))
	}
}

func TestTemporaryFilesAreRemoved(t *testing.T) {
	s := open(t)
	s.run("seq 1 100000; export A=1")
	s.call(t.Context(), args{"command": "seq 1 100000; sleep 600", "timeout_ms": 300})
	s.run("echo " + strings.Repeat("x", 150_000))
	left, err := os.ReadDir(s.set.Temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
}

func BenchmarkCall(b *testing.B) {
	dir := b.TempDir()
	runner := sandbox.NewOff()
	defer runner.Close()
	env := tooltest.Env(b, dir, tooltest.Runner(runner), tooltest.Settings(tool.Settings{Environ: os.Environ(), Temp: dir}))
	var bound tool.Tool
	for _, tl := range tool.Builtins() {
		if tl.Name() == "bash" {
			bound = tooltest.Bind(b, tl, env)
		}
	}
	raw := json.RawMessage(`{"command":":"}`)
	for b.Loop() {
		if out, err := bound.Execute(b.Context(), raw); err != nil || out != "exit code 0" {
			b.Fatal(fmt.Sprint(out, err))
		}
	}
}
