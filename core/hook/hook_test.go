package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/hook"
	"reasonix/sandbox"
)

// program is a Runner whose commands are functions of their standard input.
type program struct {
	sandbox.Runner
	run  func(ctx context.Context, stdin string, cmd sandbox.Cmd) (out, errOut string, exit sandbox.Exit, err error)
	mu   sync.Mutex
	cmds []sandbox.Cmd
	read []string
}

func (p *program) Run(ctx context.Context, cmd sandbox.Cmd) (sandbox.Exit, error) {
	stdin, err := io.ReadAll(cmd.In)
	if err != nil {
		return sandbox.Exit{}, err
	}
	p.mu.Lock()
	p.cmds, p.read = append(p.cmds, cmd), append(p.read, string(stdin))
	p.mu.Unlock()
	out, errOut, exit, err := p.run(ctx, string(stdin), cmd)
	_, _ = io.WriteString(cmd.Out, out)
	_, _ = io.WriteString(cmd.Err, errOut)
	return exit, err
}

func prints(out, errOut string, code int) *program {
	return &program{run: func(context.Context, string, sandbox.Cmd) (string, string, sandbox.Exit, error) {
		return out, errOut, sandbox.Exit{Code: code}, nil
	}}
}

// answers runs commands that are what they print.
func answers() *program {
	return &program{run: func(_ context.Context, _ string, cmd sandbox.Cmd) (string, string, sandbox.Exit, error) {
		return cmd.Argv[len(cmd.Argv)-1], "", sandbox.Exit{}, nil
	}}
}

func exec(p *program, hooks ...hook.Hook) *hook.Exec {
	return &hook.Exec{Hooks: hooks, User: p, Sandbox: p, Workspace: "/work", Now: time.Now}
}

// short is a verdict in one line.
func short(v hook.Verdict) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	if v.Block {
		parts = append(parts, "block")
	}
	add("permission", string(v.Permission))
	add("reason", v.Reason)
	add("args", string(v.Args))
	add("context", v.Context)
	if v.Stop {
		add("stop", v.StopReason)
	}
	add("messages", strings.Join(v.Messages, "|"))
	for _, r := range v.Runs {
		if r.Word == hook.WordFailed {
			add("failed", r.Reason)
		}
	}
	return strings.Join(parts, "; ")
}

// TestWhatAHookSays is the table of exit codes and outputs: those of Claude Code mean
// here what they mean there.
func TestWhatAHookSays(t *testing.T) {
	const pre, post, prompt, start, ask, end, compact = hook.PreToolUse, hook.PostToolUse, hook.UserPromptSubmit, hook.SessionStart, hook.PermissionRequest, hook.TurnEnd, hook.PreCompact
	for _, c := range []struct {
		name        string
		at          hook.Point
		out, errOut string
		code        int
		want        string
	}{
		{"nothing", pre, "", "", 0, ""},
		{"text is not for the model", pre, "checked", "", 0, ""},
		{"exit code 2", pre, "", "use pnpm\n", 2, "block; permission=deny; reason=use pnpm"},
		{"exit code 2 with the reason in the wrong place", pre, "use pnpm", "", 2, "block; permission=deny; reason=use pnpm"},
		{"exit code 2 without a reason", pre, "", "", 2, "block; permission=deny; reason=the hook h gave no reason"},
		{"exit code 2 wins over JSON", pre, `{"decision":"approve"}`, "no", 2, "block; permission=deny; reason=no"},
		{"another exit code", pre, `{"decision":"block"}`, "a\ncommand not found", 127, "failed=it ended with exit code 127: command not found"},
		{"JSON that is none", pre, `{"decision":`, "", 0, "failed=it printed what looks like JSON and is not what a hook says: unexpected end of JSON input"},
		{"decision block", pre, `{"decision":"block","reason":"r"}`, "", 0, "block; permission=deny; reason=r"},
		{"decision approve", pre, `{"decision":"approve","reason":"r"}`, "", 0, "permission=allow; reason=r"},
		{"permissionDecision deny", pre, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}`, "", 0, "block; permission=deny; reason=r"},
		{"permissionDecision ask", pre, `{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"r"}}`, "", 0, "permission=ask; reason=r"},
		{"permissionDecision allow", pre, `{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "", 0, "permission=allow"},
		{"permissionDecision defer", pre, `{"hookSpecificOutput":{"permissionDecision":"defer"}}`, "", 0, ""},
		{"permissionDecision beside the rest", pre, `{"permissionDecision":"ask","permissionDecisionReason":"r"}`, "", 0, "permission=ask; reason=r"},
		{"a decision that is none", pre, `{"decision":"maybe"}`, "", 0, `failed=it decided "maybe", which is neither allow, ask, deny, approve nor block`},
		{"a block beside an allow", pre, `{"decision":"block","reason":"no","permissionDecision":"allow"}`, "", 0, "block; permission=deny; reason=no"},
		{"a block beside an allow of its own member", pre, `{"decision":"block","reason":"no","hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}`, "", 0, "block; permission=deny; reason=no"},
		{"an ask beside an allow", pre, `{"decision":"approve","permissionDecision":"ask","hookSpecificOutput":{"permissionDecision":"allow"}}`, "", 0, "permission=ask"},
		{"a deny beside an ask", pre, `{"permissionDecision":"deny","permissionDecisionReason":"no","hookSpecificOutput":{"permissionDecision":"ask"}}`, "", 0, "block; permission=deny; reason=no"},
		{"an allow beside a behavior", ask, `{"decision":"approve","hookSpecificOutput":{"decision":{"behavior":"deny","message":"m"}}}`, "", 0, "block; permission=deny; reason=m"},
		{"a word twice", pre, `{"decision":"block","decision":"approve","reason":"no"}`, "", 0, "block; permission=deny; reason=no"},
		{"a word twice, in another case", pre, `{"decision":"block","Decision":"approve","reason":"no"}`, "", 0, "block; permission=deny; reason=no"},
		{"a word twice in a member that is there twice", pre, `{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"},"reason":"no"}`, "", 0, "block; permission=deny; reason=no"},
		{"a word that is none beside a block", pre, `{"permissionDecision":"maybe","decision":"block","reason":"no"}`, "", 0, "block; permission=deny; reason=no"},
		{"a word that is none beside an allow", pre, `{"permissionDecision":"maybe","decision":"approve"}`, "", 0, `failed=it decided "maybe", which is neither allow, ask, deny, approve nor block`},
		{"no word at all", pre, `{"decision":null,"permissionDecision":""}`, "", 0, ""},
		{"exit code 2 beside an allow", pre, `{"decision":"block","hookSpecificOutput":{"permissionDecision":"allow"}}`, "no", 2, "block; permission=deny; reason=no"},
		{"updatedInput", pre, `{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}`, "", 0, `args={"command":"ls"}`},
		{"updatedInput and allow", pre, `{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"a":1}}}`, "", 0, `permission=allow; args={"a":1}`},
		{"updatedInput that is no object", pre, `{"updatedInput":[1]}`, "", 0, "failed=its updatedInput is no JSON object"},
		{"updatedInput null", pre, `{"updatedInput":null}`, "", 0, ""},
		{"updatedInput after the call", post, `{"updatedInput":{"a":1}}`, "", 0, ""},
		{"additionalContext", pre, `{"hookSpecificOutput":{"additionalContext":"c"}}`, "", 0, "context=c"},
		{"continue", pre, `{"continue":false,"stopReason":"enough"}`, "", 0, "stop=enough"},
		{"continue without a reason", pre, `{"continue":false}`, "", 0, "stop=the hook h stopped the turn"},
		{"continue true", pre, `{"continue":true,"suppressOutput":true}`, "", 0, ""},
		{"systemMessage", pre, `{"systemMessage":"m"}`, "", 0, "messages=m"},

		{"result: block", post, `{"decision":"block","reason":"r"}`, "", 0, "block; reason=r"},
		{"result: exit code 2", post, "", "lint", 2, "block; reason=lint"},
		{"result: context", post, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}`, "", 0, "context=c"},
		{"result: allow means nothing", post, `{"decision":"approve"}`, "", 0, ""},

		{"prompt: text is context", prompt, "branch main\n", "", 0, "context=branch main"},
		{"prompt: block", prompt, `{"decision":"block","reason":"a key"}`, "", 0, "block; reason=a key"},
		{"prompt: context", prompt, `{"hookSpecificOutput":{"additionalContext":"c"}}`, "", 0, "context=c"},
		{"start: text is context", start, "c", "", 0, "context=c"},
		{"start: nothing to block", start, "", "no", 2, "failed=it ended with exit code 2: no"},
		{"compact: nothing to block", compact, `{"decision":"block","reason":"r"}`, "", 0, ""},
		{"request: allow", ask, `{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}`, "", 0, "permission=allow"},
		{"request: deny", ask, `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m"}}}`, "", 0, "block; permission=deny; reason=m"},
		{"request: other arguments", ask, `{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"a":1}}}}`, "", 0, "failed=its updatedInput comes too late: a person was to be asked about the call as it is; only PreToolUse may change it"},
		{"end: block", end, `{"decision":"block","reason":"run the tests"}`, "", 0, "block; reason=run the tests"},
	} {
		for _, claude := range []bool{false, true} {
			h := hook.Hook{Name: "h", Event: c.at, Command: "x", Claude: claude}
			v, err := exec(prints(c.out, c.errOut, c.code), h).Fire(t.Context(), c.at, hook.Input{Tool: "bash", Args: json.RawMessage(`{}`)})
			if got := short(v); err != nil || got != c.want {
				t.Errorf("%s (Claude %v): %s %v, want %s", c.name, claude, got, err, c.want)
			}
		}
	}
}

func TestVerdictsCombine(t *testing.T) {
	said := func(permission string) string {
		return fmt.Sprintf(`{"permissionDecision":%q,"permissionDecisionReason":%[1]q}`, permission)
	}
	for _, c := range []struct {
		name  string
		hooks []string
		want  string
		ran   int
	}{
		{"ask beats allow", []string{said("allow"), said("ask"), said("allow")}, "permission=ask; reason=ask", 3},
		{"the first block ends it", []string{said("ask"), said("deny"), said("allow")}, "block; permission=deny; reason=deny", 2},
		{"context adds up", []string{`{"additionalContext":"a"}`, `{"additionalContext":"b"}`}, "context=a\nb", 2},
		{"an allow is of the arguments it saw", []string{said("allow"), `{"updatedInput":{"command":"rm"}}`}, `args={"command":"rm"}`, 2},
		{"an allow with arguments is of them", []string{`{"updatedInput":{"command":"a"}}`, `{"permissionDecision":"allow","updatedInput":{"command":"b"}}`}, `permission=allow; args={"command":"b"}`, 2},
		{"a failure stops nothing", []string{`{"decision":1}`, said("deny")}, "block; permission=deny; reason=deny; failed=it printed what looks like JSON and is not what a hook says: json: cannot unmarshal number into Go struct field output.decision of type string", 2},
	} {
		var hooks []hook.Hook
		for _, out := range c.hooks {
			hooks = append(hooks, hook.Hook{Event: hook.PreToolUse, Command: out})
		}
		v, err := exec(answers(), hooks...).Fire(t.Context(), hook.PreToolUse, hook.Input{Tool: "bash"})
		if got := short(v); err != nil || got != c.want || len(v.Runs) != c.ran {
			t.Errorf("%s: %s %v (%d ran), want %s (%d)", c.name, got, err, len(v.Runs), c.want, c.ran)
		}
	}
}

// The user's hooks come last: what they judge is what runs.
func TestTheUsersHooksSeeWhatTheProjectsMadeOfTheArguments(t *testing.T) {
	user, project := prints("", "", 0), prints(`{"updatedInput":{"command":"other"}}`, "", 0)
	e := &hook.Exec{
		Hooks: []hook.Hook{{Name: "mine", Event: hook.PreToolUse, Command: "u"}, {Name: "theirs", Event: hook.PreToolUse, Command: "p", FromProject: true}},
		User:  user, Sandbox: project, Workspace: "/work", Now: time.Now,
		Hold: sandbox.Cmd{Env: []string{"A=held", "CLAUDE_PROJECT_DIR=x"}, Writable: []string{"/work"}, Hidden: []string{"/home/me/.ssh"}}, Environ: []string{"A=mine"},
	}
	v, err := e.Fire(t.Context(), hook.PreToolUse, hook.Input{Tool: "bash", Args: json.RawMessage(`{"command":"first"}`)})
	if err != nil || v.Replaced != "theirs" || len(v.Runs) != 2 || v.Runs[0].Hook.Name != "theirs" {
		t.Fatalf("%+v %v", v, err)
	}
	if !strings.Contains(user.read[0], `"tool_input":{"command":"other"}`) {
		t.Errorf("the user's hook read %s", user.read[0])
	}
	held := project.cmds[0]
	if !slices.Equal(held.Writable, []string{"/work"}) || !slices.Equal(held.Hidden, []string{"/home/me/.ssh"}) || held.Dir != "/work" {
		t.Errorf("the project's hook is held to %+v", held)
	}
	want := []string{"A=held", "REASONIX_PROJECT_DIR=/work", "CLAUDE_PROJECT_DIR=/work", "REASONIX_HOOK_EVENT=PreToolUse", "REASONIX_HOOK_DEPTH=1"}
	if d := cmp.Diff(want, held.Env); d != "" {
		t.Errorf("environment of the project's: -want +got\n%s", d)
	}
	if mine := user.cmds[0]; mine.Env[0] != "A=mine" || mine.Writable != nil || !slices.Equal(mine.Argv, []string{"sh", "-c", "u"}) {
		t.Errorf("the user's hook: %+v", mine)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		match, tool string
		want        bool
	}{
		{"", "bash", true},
		{"*", "bash", true},
		{"bash", "bash", true},
		{"bash", "bash_output", false},
		{"Bash", "bash", true},
		{"Edit|Write", "edit_file", true},
		{"Edit|Write", "write_file", true},
		{"Edit|Write", "move_file", true},
		{"Edit|Write", "multi_edit", false},
		{"Edit|MultiEdit|Write", "multi_edit", true},
		{".*Edit", "notebook_edit", true},
		{"Read", "read_file", true},
		{"Task", "task", true},
		{"TodoWrite", "todo_write", true},
		{"WebFetch", "web_fetch", true},
		{"Glob|Grep", "grep", true},
		{"mcp__memory__.*", "mcp__memory__create", true},
		{"mcp__memory__.*", "mcp__other__create", false},
	} {
		e := exec(nil, hook.Hook{Event: hook.PreToolUse, Match: c.match})
		if got := e.Wants(hook.PreToolUse, c.tool); got != c.want {
			t.Errorf("%q and %s: %v", c.match, c.tool, got)
		}
		if e.Wants(hook.PostToolUse, c.tool) {
			t.Errorf("%q runs at another point", c.match)
		}
	}
	if e := exec(nil, hook.Hook{Event: hook.SessionStart, Match: "resume"}); e.Wants(hook.SessionStart, "startup") || !e.Wants(hook.SessionStart, "resume") {
		t.Error("a match of how a session began is not obeyed")
	}
	if e := exec(nil, hook.Hook{Event: hook.UserPromptSubmit, Match: "bash"}); !e.Wants(hook.UserPromptSubmit, "") {
		t.Error("a point that is about nothing has a match")
	}
}

// A hook that cannot be matched is told of instead of being passed over.
func TestABadMatchIsAFailure(t *testing.T) {
	h := hook.Hook{Name: "h", Event: hook.PreToolUse, Match: "(", Command: "x"}
	v, err := exec(prints("", "", 0), h).Fire(t.Context(), hook.PreToolUse, hook.Input{Tool: "bash"})
	if err != nil || !strings.Contains(short(v), `failed=its match "(" is no regular expression`) {
		t.Errorf("%s %v", short(v), err)
	}
	if h.Check() == nil || (hook.Hook{Event: "Never", Command: "x"}).Check() == nil || (hook.Hook{Event: hook.TurnEnd}).Check() == nil {
		t.Error("Check finds nothing")
	}
}

func TestWhatAHookReads(t *testing.T) {
	in := hook.Input{
		Session: "s1", Dir: "/work", Turn: 3, Call: "c1", Tool: "edit_file", Args: json.RawMessage(`{"path":"a/b.go","old_string":"x"}`), Result: "done",
	}
	for _, c := range []struct {
		name   string
		at     hook.Point
		in     hook.Input
		claude bool
		want   string
	}{
		{"Claude: a call", hook.PreToolUse, in, true, `{"session_id":"s1","cwd":"/work","hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/work/a/b.go","old_string":"x"},"tool_use_id":"c1"}`},
		{"Claude: a result", hook.PostToolUse, in, true, `{"session_id":"s1","cwd":"/work","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/work/a/b.go","old_string":"x"},"tool_response":{"content":"done","is_error":false},"tool_use_id":"c1"}`},
		{"Claude: a command", hook.PreToolUse, hook.Input{Dir: "/work", Tool: "bash", Args: json.RawMessage(`{"command":"ls","timeout_ms":5}`)}, true, `{"session_id":"","cwd":"/work","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","timeout":5}}`},
		{"Claude: the end", hook.TurnEnd, hook.Input{Session: "s1", Outcome: "completed", Words: "w", Again: true}, true, `{"session_id":"s1","cwd":"","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"w"}`},
		{"Claude: compaction", hook.PreCompact, hook.Input{Trigger: "auto"}, true, `{"session_id":"","cwd":"","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":""}`},
		{"ours: a call", hook.PreToolUse, in, false, `{"session_id":"s1","cwd":"/work","hook_event_name":"PreToolUse","tool_name":"edit_file","tool_input":{"path":"a/b.go","old_string":"x"},"tool_use_id":"c1","event":"PreToolUse","sessionId":"s1","turn":3,"toolName":"edit_file","toolArgs":{"path":"a/b.go","old_string":"x"},"toolResult":"done"}`},
		{"ours: a prompt", hook.UserPromptSubmit, hook.Input{Prompt: "hi"}, false, `{"session_id":"","cwd":"","hook_event_name":"UserPromptSubmit","prompt":"hi","event":"UserPromptSubmit","sessionId":""}`},
		{"ours: the end", hook.TurnEnd, hook.Input{Outcome: "cancelled", Words: "w"}, false, `{"session_id":"","cwd":"","hook_event_name":"TurnEnd","stop_hook_active":false,"last_assistant_message":"w","outcome":"cancelled","event":"TurnEnd","sessionId":"","lastAssistantText":"w"}`},
	} {
		p := prints("", "", 0)
		if _, err := exec(p, hook.Hook{Event: c.at, Claude: c.claude}).Fire(t.Context(), c.at, c.in); err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal([]byte(p.read[0]), &got); err != nil || !strings.HasSuffix(p.read[0], "}\n") {
			t.Errorf("%s: %v in %q", c.name, err, p.read[0])
		}
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", c.name, d)
		}
	}
}

func TestClaudesArgumentsComeBackUnderOurNames(t *testing.T) {
	e := exec(prints(`{"hookSpecificOutput":{"updatedInput":{"file_path":"/work/c.go","old_string":"x"}}}`, "", 0), hook.Hook{Event: hook.PreToolUse, Claude: true})
	v, err := e.Fire(t.Context(), hook.PreToolUse, hook.Input{Dir: "/work", Tool: "edit_file", Args: json.RawMessage(`{"path":"b.go"}`)})
	if err != nil || string(v.Args) != `{"old_string":"x","path":"/work/c.go"}` {
		t.Errorf("%s %v", v.Args, err)
	}
}

// hangs runs until its context ends.
func hangs() *program {
	return &program{run: func(ctx context.Context, _ string, _ sandbox.Cmd) (string, string, sandbox.Exit, error) {
		<-ctx.Done()
		return "", "", sandbox.Exit{TimedOut: true}, context.Cause(ctx)
	}}
}

func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		h     hook.Hook
		after time.Duration
		block bool
	}{
		{hook.Hook{Event: hook.PreToolUse}, 5 * time.Second, true},
		{hook.Hook{Event: hook.UserPromptSubmit}, 5 * time.Second, true},
		{hook.Hook{Event: hook.PreToolUse, Timeout: time.Second}, time.Second, true},
		{hook.Hook{Event: hook.PreToolUse, Claude: true}, time.Minute, false},
		{hook.Hook{Event: hook.PermissionRequest}, 5 * time.Second, false},
		{hook.Hook{Event: hook.PostToolUse}, 30 * time.Second, false},
		{hook.Hook{Event: hook.TurnEnd}, 30 * time.Second, false},
		{hook.Hook{Event: hook.SessionEnd, Claude: true}, 5 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			c.h.Name = "h"
			begun := time.Now()
			v, err := exec(hangs(), c.h).Fire(t.Context(), c.h.Event, hook.Input{Tool: "bash"})
			if took := time.Since(begun); err != nil || took != c.after || v.Block != c.block || len(v.Runs) != 1 || v.Runs[0].Took != c.after {
				t.Errorf("%+v: after %s %+v %v", c.h, took, v, err)
			}
			if want := fmt.Sprintf("it did not end within %s and was ended", c.after); v.Runs[0].Word != hook.WordFailed || v.Runs[0].Reason != want {
				t.Errorf("%+v: %+v", c.h, v.Runs[0])
			}
		})
	}
}

func TestTheEndOfTheTurnIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	p := &program{run: func(ctx context.Context, _ string, _ sandbox.Cmd) (string, string, sandbox.Exit, error) {
		cancel(why)
		<-ctx.Done()
		return "", "", sandbox.Exit{}, context.Cause(ctx)
	}}
	if v, err := exec(p, hook.Hook{Event: hook.PreToolUse}).Fire(ctx, hook.PreToolUse, hook.Input{}); !errors.Is(err, why) || v.Block {
		t.Errorf("%+v %v", v, err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	long := strings.Repeat("x", hook.MaxOutput+1000)
	v, err := exec(prints(long, long, 0), hook.Hook{Event: hook.SessionStart}).Fire(t.Context(), hook.SessionStart, hook.Input{})
	if err != nil || len(v.Runs[0].Out) != hook.MaxOutput || len(v.Context) > 17<<10 || len(v.Context) < 16<<10 {
		t.Errorf("%d bytes kept, %d for the model, %v", len(v.Runs[0].Out), len(v.Context), err)
	}
	v, err = exec(prints(`{"reason":"`+long, "", 0), hook.Hook{Event: hook.PreToolUse}).Fire(t.Context(), hook.PreToolUse, hook.Input{})
	if err != nil || short(v) != "failed=it printed JSON of more than 262144 bytes" {
		t.Errorf("%s %v", short(v), err)
	}
	v, _ = exec(prints("", long, 2), hook.Hook{Event: hook.PreToolUse}).Fire(t.Context(), hook.PreToolUse, hook.Input{})
	if !v.Block || len(v.Reason) > 5<<10 {
		t.Errorf("a reason of %d bytes", len(v.Reason))
	}
}

func TestSecretsAreTakenOut(t *testing.T) {
	e := exec(prints(`{"additionalContext":"key sk-1","systemMessage":"sk-1","decision":"block","reason":"sk-1"}`, "", 0), hook.Hook{Event: hook.PreToolUse})
	e.Redact = strings.NewReplacer("sk-1", "[redacted]").Replace
	v, err := e.Fire(t.Context(), hook.PreToolUse, hook.Input{})
	if text := fmt.Sprintf("%+v", v); err != nil || strings.Contains(text, "sk-1") || !v.Block {
		t.Errorf("%s %v", text, err)
	}
}

// A text is cut behind that: no beginning of a secret is left at its end.
func TestSecretsAreTakenOutBeforeTextsAreCut(t *testing.T) {
	long := strings.Repeat("x", 4<<10-2) + "sk-1"
	h := hook.Hook{Event: hook.PreToolUse}
	for _, e := range []*hook.Exec{
		exec(prints(`{"decision":"block","reason":"`+long+`","systemMessage":"`+long+`"}`, "", 0), h), exec(prints("", long, 2), h), exec(prints(long, "", 2), h),
	} {
		e.Redact = strings.NewReplacer("sk-1", "[redacted]").Replace
		v, err := e.Fire(t.Context(), hook.PreToolUse, hook.Input{})
		v.Runs = nil
		if text := fmt.Sprintf("%+v", v); err != nil || strings.Contains(text, "xsk") || !v.Block {
			t.Errorf("%v %.40s", err, text)
		}
	}
}

// Who interrupts a turn does not wait for what Claude Code runs at its end only.
func TestClaudesStopDoesNotRunForAnInterruptedTurn(t *testing.T) {
	for outcome, want := range map[string]int{"completed": 2, "cancelled": 1} {
		e := exec(prints("", "", 0), hook.Hook{Event: hook.TurnEnd, Claude: true}, hook.Hook{Event: hook.TurnEnd})
		v, err := e.Fire(t.Context(), hook.TurnEnd, hook.Input{Outcome: outcome})
		if err != nil || len(v.Runs) != want {
			t.Errorf("%s: %d ran, %v", outcome, len(v.Runs), err)
		}
	}
}

func TestParsePoint(t *testing.T) {
	for _, p := range hook.Points() {
		if got, ok := hook.ParsePoint(string(p)); !ok || got != p {
			t.Errorf("%s: %s %v", p, got, ok)
		}
	}
	if p, ok := hook.ParsePoint("Stop"); p != hook.TurnEnd || !ok {
		t.Errorf("Stop is %s", p)
	}
	if _, ok := hook.ParsePoint("PostLLMCall"); ok {
		t.Error("an unknown point was read")
	}
}
