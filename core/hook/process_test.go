//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/hook"
	"reasonix/sandbox"
	"reasonix/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m) }

// real runs commands of /bin/sh.
func real(t *testing.T, hooks ...hook.Hook) *hook.Exec {
	t.Helper()
	off := sandbox.NewOff()
	t.Cleanup(func() { off.Close() })
	return &hook.Exec{
		Hooks: hooks, User: off, Sandbox: off, Workspace: t.TempDir(), Now: time.Now,
		Environ: []string{"PATH=" + os.Getenv("PATH")}, Hold: sandbox.Cmd{Env: []string{"PATH=" + os.Getenv("PATH")}},
	}
}

func TestAScriptReadsItsInputAndBlocks(t *testing.T) {
	e := real(t, hook.Hook{Event: hook.PreToolUse, Match: "Bash", Claude: true, Command: `
		read -r line
		case $line in *'"tool_name":"Bash"'*'rm -rf'*) echo "not in $CLAUDE_PROJECT_DIR" >&2; exit 2;; esac`})
	for command, blocked := range map[string]bool{"rm -rf /": true, "ls": false} {
		v, err := e.Fire(t.Context(), hook.PreToolUse, hook.Input{Tool: "bash", Args: []byte(`{"command":"` + command + `"}`)})
		if err != nil || v.Block != blocked || blocked && v.Reason != "not in "+e.Workspace {
			t.Errorf("%s: %+v %v", command, v, err)
		}
	}
}

func TestAScriptThatReadsNothingIsNoFailure(t *testing.T) {
	e := real(t, hook.Hook{Event: hook.PostToolUse, Command: "exit 0"})
	v, err := e.Fire(t.Context(), hook.PostToolUse, hook.Input{Tool: "bash", Result: strings.Repeat("x", 1<<20)})
	if err != nil || v.Runs[0].Word != hook.WordOK {
		t.Errorf("%s %v", short(v), err)
	}
}

// At the time-out nothing is left of the hook's processes.
func TestATimeoutEndsTheProcessTree(t *testing.T) {
	e := real(t, hook.Hook{Event: hook.PreToolUse, Timeout: 2 * time.Second, Command: `
		(trap '' TERM; sh -c 'trap "" TERM; echo $$ >pid.tmp; mv pid.tmp pid; while :; do sleep 60; done') & wait`})
	v, err := e.Fire(t.Context(), hook.PreToolUse, hook.Input{})
	if err != nil || !v.Block || !strings.Contains(v.Reason, "did not end within 2s") {
		t.Fatalf("%+v %v", v, err)
	}
	text, err := os.ReadFile(filepath.Join(e.Workspace, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("process %d is alive", pid)
	}
}
