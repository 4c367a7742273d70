//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
	"reasonix/sandbox"
)

// pane is an editor's terminal that keeps what it was asked to run, and runs it.
type pane struct {
	ran []protocol.TerminalCommand
	err error
}

func (p *pane) Run(ctx context.Context, cmd protocol.TerminalCommand, out func([]byte)) (int, error) {
	p.ran = append(p.ran, cmd)
	if p.err != nil {
		return 0, p.err
	}
	c := exec.CommandContext(ctx, cmd.Argv[0], cmd.Argv[1:]...)
	c.Dir, c.Env = cmd.Dir, append([]string{"PATH=" + os.Getenv("PATH")}, cmd.Env...)
	text, err := c.CombinedOutput()
	out(text)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// confining is a runner that says it confines.
type confining struct{ sandbox.Runner }

func (confining) Way() string { return sandbox.WayBwrap }

func inPane(t *testing.T, p *pane, way func(sandbox.Runner) sandbox.Runner) (tool.Tool, string) {
	t.Helper()
	runner := sandbox.NewOff()
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Errorf("close runner: %v", err)
		}
	})
	dir := t.TempDir()
	env := tooltest.Env(t, dir, tooltest.Runner(way(runner)), tooltest.Settings(tool.Settings{Environ: os.Environ(), Temp: t.TempDir()}))
	env.Terminal = p
	return tooltest.Bind(t, builtin(t), env), dir
}

func in(t *testing.T, bash tool.Tool, command string) (string, *tool.Call) {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	call := &tool.Call{ID: "c1"}
	text, err := bash.Execute(tool.WithCall(t.Context(), call), raw)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return text, call
}

func TestAnUnconfinedCommandRunsInTheTerminal(t *testing.T) {
	p := &pane{}
	bash, dir := inPane(t, p, func(r sandbox.Runner) sandbox.Runner { return r })
	text, call := in(t, bash, "export GREETING='hi there'; mkdir sub; cd sub; echo one; exit 3")
	if diff := cmp.Diff(text, "one\nexit code 3"); diff != "" {
		t.Error(diff)
	}
	if call.Exit == nil || *call.Exit != 3 {
		t.Errorf("exit %v, want 3", call.Exit)
	}
	// Directory and exports carry over, into the terminal too.
	if text, _ := in(t, bash, `echo "$GREETING"; pwd`); !strings.HasPrefix(text, "hi there\n") || !strings.Contains(text, "/sub\n") {
		t.Errorf("the second says %q", text)
	}
	if len(p.ran) != 2 || p.ran[0].Call != "c1" || p.ran[0].Dir == "" || !strings.HasSuffix(p.ran[1].Dir, "/sub") || !strings.Contains(p.ran[0].Dir, dir) {
		t.Errorf("ran %+v", p.ran)
	}
	if !slices.Contains(p.ran[1].Env, "GREETING=hi there") || slices.ContainsFunc(p.ran[1].Env, func(kv string) bool { return strings.HasPrefix(kv, "HOME=") }) {
		t.Errorf("the terminal got %v", p.ran[1].Env)
	}
}

func TestAConfinedCommandStaysInTheSandbox(t *testing.T) {
	p := &pane{}
	bash, _ := inPane(t, p, func(r sandbox.Runner) sandbox.Runner { return confining{r} })
	if text, _ := in(t, bash, "echo one"); !strings.HasPrefix(text, "one\n") || len(p.ran) != 0 {
		t.Errorf("%q, ran %v", text, p.ran)
	}
}

func TestATerminalThatIsNotThereLeavesTheCommandHere(t *testing.T) {
	p := &pane{err: errors.ErrUnsupported}
	bash, _ := inPane(t, p, func(r sandbox.Runner) sandbox.Runner { return r })
	if text, _ := in(t, bash, "echo one"); !strings.HasPrefix(text, "one\n") || len(p.ran) != 1 {
		t.Errorf("%q, ran %v", text, p.ran)
	}
}
