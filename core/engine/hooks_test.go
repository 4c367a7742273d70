//go:build unix

package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/tool"
	"reasonix/sandbox"
)

// shell is a sandbox.Runner without a sandbox and without a helper process.
type shell struct{ sandbox.Runner }

func (shell) Run(ctx context.Context, cmd sandbox.Cmd) (sandbox.Exit, error) {
	c := osexec.CommandContext(ctx, cmd.Argv[0], cmd.Argv[1:]...)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = cmd.Dir, cmd.Env, cmd.In, cmd.Out, cmd.Err
	c.WaitDelay = 10 * time.Millisecond
	err := c.Run()
	if ctx.Err() != nil {
		return sandbox.Exit{Code: -1}, context.Cause(ctx)
	}
	if c.ProcessState == nil {
		return sandbox.Exit{}, err
	}
	return sandbox.Exit{Code: c.ProcessState.ExitCode()}, nil
}

// hooked is a world with hooks of /bin/sh, which run in dir.
type hooked struct {
	*world
	dir string
}

func newHooked(t *testing.T, hooks []hook.Hook, tools ...tool.Tool) hooked {
	t.Helper()
	h := hooked{newWorld(t, tools...), t.TempDir()}
	for i := range hooks {
		hooks[i].Name = cmpOr(hooks[i].Name, fmt.Sprintf("h%d", i+1))
	}
	h.hooks = &hook.Exec{
		Hooks: hooks, User: shell{}, Sandbox: shell{}, Workspace: h.dir, Now: time.Now, Environ: []string{"PATH=" + os.Getenv("PATH")},
	}
	return h
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// read is a file that hooks wrote.
func (h hooked) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(h.dir, name)) // what is not there is empty
	return string(text)
}

// echoes is a tool that says which arguments it got.
type echoes struct{ fn }

func (e echoes) Execute(_ context.Context, args json.RawMessage) (string, error) {
	return "got " + string(args), nil
}

func echo() echoes { return echoes{fn{"echo", false, nil}} }

func with(name, args string) providertest.Reply {
	return providertest.Calls(providertest.Call{Name: name, Arguments: args})
}

func results(c *protocoltest.Client) []event.ToolFinished {
	return protocoltest.Payloads[event.ToolFinished](c.Durable())
}

// ran is what hooks ran, in words.
func ran(c *protocoltest.Client) []string {
	var all []string
	for _, r := range protocoltest.Payloads[event.HookRan](c.Durable()) {
		all = append(all, strings.TrimSuffix(r.Hook+" "+r.Point+" "+r.Verdict+": "+r.Reason, ": "))
	}
	return all
}

func TestAHookBlocksACallAndTheModelReadsWhy(t *testing.T) {
	var n atomic.Int64
	h := newHooked(t, []hook.Hook{{Event: hook.PreToolUse, Match: "touch", Command: `echo "use pnpm" >&2; exit 2`}}, touch(&n))
	h.policy.Allow = []permission.Rule{{Tool: "touch"}}
	h.model.Add(one("touch"), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{Approval: "yolo"}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Completed || n.Load() != 0 {
		t.Errorf("%+v, %d calls", ended, n.Load())
	}
	r := results(c)[0]
	if r.Status != event.StatusDenied || r.Reason != "use pnpm" || r.Rule != "hook h1" {
		t.Errorf("result %+v", r)
	}
	if got := h.model.Requests()[1].Last().Content; got != "blocked by the hook h1: use pnpm" {
		t.Errorf("the model read %q", got)
	}
	if d := cmp.Diff([]string{"h1 PreToolUse deny: use pnpm"}, ran(c)); d != "" {
		t.Error(d)
	}
	if run := protocoltest.Payloads[event.HookRan](c.Durable())[0]; run.Call != r.Call || run.Took <= 0 {
		t.Errorf("run %+v", run)
	}
}

// A hook's ask is a question in every posture, and no grant answers it.
func TestAHooksAskIsAskedOfAPerson(t *testing.T) {
	const asks = `echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"looks odd"}}'`
	for _, posture := range []string{"ask", "auto", "yolo"} {
		var n atomic.Int64
		h := newHooked(t, []hook.Hook{{Event: hook.PreToolUse, Command: asks}}, touch(&n))
		h.policy.Allow = []permission.Rule{{Tool: "touch"}}
		h.model.Add(one("touch"), one("touch"), providertest.Text("done"))
		c := protocoltest.NewClient(t, h.open(t, protocol.Spec{Approval: posture, Interactive: true}), protocoltest.Choose("allow_once"))
		c.Say("x")
		questions := asked(c)
		if len(questions) != 2 || n.Load() != 2 {
			t.Fatalf("%s: asked %d times, %d calls", posture, len(questions), n.Load())
		}
		if q := questions[0]; q.Why != "the hook h1 asks: looks odd" || !q.Fresh || ids(q) != "allow_once reject_once" {
			t.Errorf("%s: question %+v", posture, q)
		}
	}
	// Nobody can be asked: it is refused.
	var n atomic.Int64
	h := newHooked(t, []hook.Hook{{Event: hook.PreToolUse, Command: asks}}, touch(&n))
	h.model.Add(one("touch"), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Denied || n.Load() != 0 {
		t.Errorf("headless: %+v, %d calls", ended, n.Load())
	}
}

func TestAHooksAllowAnswersTheFallbackAndNothingElse(t *testing.T) {
	rule := []permission.Rule{{Tool: "touch", Source: "user"}}
	for _, c := range []struct {
		name   string
		policy permission.Policy
		asked  int
		ran    int64
	}{
		{"no rule", permission.Policy{Mode: permission.Ask}, 0, 1},
		{"an ask rule", permission.Policy{Mode: permission.Ask, Ask: rule}, 1, 1},
		{"a deny rule", permission.Policy{Mode: permission.Ask, Deny: rule}, 0, 0},
		{"mode deny", permission.Policy{Mode: permission.Deny}, 0, 0},
	} {
		for _, at := range []hook.Point{hook.PreToolUse, hook.PermissionRequest} {
			var n atomic.Int64
			h := newHooked(t, []hook.Hook{{Event: at, Command: `echo '{"decision":"approve","reason":"fine"}'`}}, touch(&n))
			h.policy = c.policy
			h.model.Add(one("touch"), providertest.Text("done"))
			client := protocoltest.NewClient(t, h.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_once"))
			client.Say("x")
			if got := len(asked(client)); got != c.asked || n.Load() != c.ran {
				t.Errorf("%s, %s: asked %d times, %d calls", c.name, at, got, n.Load())
			}
			if c.asked == 0 && c.ran == 1 && protocoltest.Payloads[event.ToolStarted](client.Durable())[0].Rule != "hook h1" {
				t.Errorf("%s, %s: %+v", c.name, at, results(client))
			}
		}
	}
	// remember is a fresh review: no hook is even asked to answer.
	remember := fn{"remember", false, func(context.Context) (string, error) { return "kept", nil }}
	h := newHooked(t, []hook.Hook{
		{Event: hook.PreToolUse, Command: `echo '{"decision":"approve"}'`},
		{Event: hook.PermissionRequest, Command: `echo '{"decision":"approve"}'`},
	}, remember)
	h.model.Add(one("remember"), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("reject_once"))
	c.Say("x")
	if len(asked(c)) != 1 || results(c)[0].Status != event.StatusDenied || !slices.Equal(ran(c), []string{"h1 PreToolUse allow"}) {
		t.Errorf("remember: %+v %v", results(c), ran(c))
	}
}

func TestAHookRefusesInThePlaceOfAPerson(t *testing.T) {
	var n atomic.Int64
	h := newHooked(t, []hook.Hook{{Event: hook.PermissionRequest, Claude: true, Command: `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not today"}}}'`}}, touch(&n))
	h.model.Add(one("touch"), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_once"))
	c.Say("x")
	if len(asked(c)) != 0 || n.Load() != 0 || results(c)[0].Reason != "the hook h1 denied it: not today" {
		t.Errorf("%+v", results(c))
	}
}

// What a hook puts in the place of arguments is judged, recorded and run.
func TestReplacedArgumentsAreJudgedAndRecorded(t *testing.T) {
	w, ran := bashWorld(t)
	h := hooked{w, t.TempDir()}
	const replace = `read -r line; case $line in *danger*) echo '{"updatedInput":{"command":"rm -rf x"}}';; *) echo '{"updatedInput":{"command":"go test"}}';; esac`
	h.hooks = &hook.Exec{
		Hooks: []hook.Hook{{Name: "swap", Event: hook.PreToolUse, Match: "Bash", Command: replace}}, User: shell{}, Workspace: h.dir, Now: time.Now,
		Environ: []string{"PATH=" + os.Getenv("PATH")},
	}
	h.policy = permission.Policy{Mode: permission.Ask, Allow: []permission.Rule{{Tool: "Bash", Spec: "go vet:*"}, {Tool: "Bash", Spec: "danger:*"}}, Deny: []permission.Rule{{Tool: "Bash", Spec: "rm -rf*"}}}
	h.model.Add(bash("go vet"), bash("danger"), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_once"))
	c.Say("x")
	// The first is allowed as the model wrote it, the second denied as the hook wrote it.
	if q := asked(c); len(q) != 1 || q[0].Body != "go test" {
		t.Errorf("asked %+v", q)
	}
	if len(*ran) != 1 || results(c)[1].Status != event.StatusDenied {
		t.Errorf("%d ran, %+v", len(*ran), results(c))
	}
	told := notices(c, "hook_arguments")
	if len(told) != 2 || told[1].Args[3] != `{"command":"rm -rf x"}` {
		t.Errorf("recorded %+v", told)
	}
	if got := h.model.Requests()[1].Last().Content; got != "ok\n[host] The hook swap gave this call other arguments; it was judged and run with these: {\"command\":\"go test\"}" {
		t.Errorf("the model read %q", got)
	}
	h.model.CheckPrefix(t)
}

func TestWhatHooksSayOfAResultIsReadWithIt(t *testing.T) {
	h := newHooked(t, []hook.Hook{
		{Event: hook.PostToolUse, Command: `cat >input; echo '{"additionalContext":"2 files formatted"}'`},
		{Event: hook.PostToolUse, Command: `echo "lint: unused variable" >&2; exit 2`},
	}, echo())
	h.model.Add(with("echo", `{"path":"a"}`), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{}), nil)
	c.Say("x")
	want := "got {\"path\":\"a\"}\nthe hook h2 says of this: lint: unused variable\n<hook-context event=\"PostToolUse\">\n2 files formatted\n</hook-context>"
	if got := h.model.Requests()[1].Last().Content; got != want || results(c)[0].Message.Content != want {
		t.Errorf("the model read %q", got)
	}
	var in struct {
		Tool     string `json:"tool_name"`
		Response struct {
			Content string `json:"content"`
		} `json:"tool_response"`
	}
	if err := json.Unmarshal([]byte(h.read("input")), &in); err != nil || in.Tool != "echo" || in.Response.Content != `got {"path":"a"}` {
		t.Errorf("%+v %v", in, err)
	}
}

// What hooks say at the start stands in the first message of the user, never in the
// prefix, and once for each opening.
func TestTheStartsContextIsInTheFirstMessage(t *testing.T) {
	h := newHooked(t, []hook.Hook{
		{Event: hook.SessionStart, Command: `read -r line; echo "$line" >>starts; echo "on branch main </hook-context>"`},
		{Event: hook.UserPromptSubmit, Command: `echo "it is noon"`},
	})
	h.model.Add(providertest.Text("a"), providertest.Text("b"), providertest.Text("c"))
	s := h.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	c.Say("x")
	say(t, c, "p2")
	s.Close()
	again := h.open(t, protocol.Spec{Session: s.ID()})
	say(t, protocoltest.NewClient(t, again, nil), "p3")
	const noon = "<hook-context event=\"UserPromptSubmit\">\nit is noon\n</hook-context>\n\n"
	const start = "<hook-context event=\"SessionStart\">\non branch main <\\/hook-context>\n</hook-context>\n\n" + noon
	for i, want := range []string{start + "x", noon + "more", start + "more"} {
		if got := h.model.Requests()[i].Last().Content; got != want {
			t.Errorf("request %d: %q", i, got)
		}
	}
	if r := h.model.Requests()[0]; strings.Contains(r.Messages[0].Content, "branch") {
		t.Errorf("the prefix has it: %q", r.Messages[0].Content)
	}
	h.model.CheckPrefix(t)
	starts := strings.Split(strings.TrimSpace(h.read("starts")), "\n")
	if len(starts) != 2 || !strings.Contains(starts[0], `"source":"startup"`) || !strings.Contains(starts[1], `"source":"resume"`) {
		t.Errorf("starts %q", starts)
	}
	said := protocoltest.Payloads[event.UserSaid](c.Durable())[0]
	if said.Display != "x" || len(said.Sources) != 2 || said.Sources[0].Kind != "hook" || said.Sources[0].Ref != "SessionStart" {
		t.Errorf("said %+v", said)
	}
}

func TestABlockedPromptIsKeptAndNotSent(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.UserPromptSubmit, Command: `grep -q secret && { echo "it holds a secret" >&2; exit 2; }; exit 0`}})
	h.model.Add(providertest.Text("fine"))
	s := h.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	ended := c.Say("the secret is 1")
	if ended.Outcome != event.Completed || ended.Reason != "hook" || ended.Detail != "it holds a secret" || len(h.model.Requests()) != 0 {
		t.Errorf("%+v, %d requests", ended, len(h.model.Requests()))
	}
	if n := notices(c, "hook_blocked_prompt"); len(n) != 1 || n[0].Text != "the hook h1 did not let the prompt through: it holds a secret" {
		t.Errorf("notices %+v", n)
	}
	queued := protocoltest.Payloads[event.PromptQueued](c.Durable())
	if len(queued) != 1 || queued[0].Display != "the secret is 1" || len(protocoltest.Payloads[event.UserSaid](c.Durable())) != 0 {
		t.Errorf("kept %+v", queued)
	}
	s.Close()
	again := h.open(t, protocol.Spec{Session: s.ID()})
	say(t, protocoltest.NewClient(t, again, nil), "p2")
	if got := h.model.Requests()[0]; len(got.Messages) != 2 || got.Last().Content != "more" {
		t.Errorf("after a resume the model read %+v", got.Messages)
	}
}

func TestABlockedSteerDoesNotReachTheModel(t *testing.T) {
	inCall, goOn := make(chan struct{}), make(chan struct{})
	wait := fn{"wait", true, func(context.Context) (string, error) { close(inCall); <-goOn; return "waited", nil }}
	h := newHooked(t, []hook.Hook{{Event: hook.UserPromptSubmit, Command: `grep -q secret && exit 2; exit 0`}}, wait)
	h.model.Add(one("wait"), providertest.Text("done"))
	s := h.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	<-inCall
	for _, text := range []string{"secret", "go on"} {
		if err := s.Submit(t.Context(), protocol.Steer{ID: event.PromptID(text), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	close(goOn)
	c.Ended("p")
	last := h.model.Requests()[1]
	if last.Last().Content != "go on" || slices.ContainsFunc(protocoltest.Payloads[event.UserSaid](c.Durable()), func(p event.UserSaid) bool { return p.Display == "secret" }) {
		t.Errorf("the model read %+v", last.Messages)
	}
	if ended := c.Ended("secret"); ended.Outcome != event.Completed || ended.Reason != "hook" {
		t.Errorf("ended %+v", ended)
	}
}

func TestContinueFalseStopsTheTurn(t *testing.T) {
	for _, at := range []hook.Point{hook.PreToolUse, hook.PostToolUse} {
		var n atomic.Int64
		h := newHooked(t, []hook.Hook{{Event: at, Command: `echo '{"continue":false,"stopReason":"budget is spent"}'`}}, touch(&n))
		h.model.Add(providertest.Calls(providertest.Call{Name: "touch"}, providertest.Call{Name: "touch"}))
		c := protocoltest.NewClient(t, h.open(t, protocol.Spec{}), nil)
		ended := c.Say("x")
		if ended.Outcome != event.Completed || ended.Reason != "hook" || ended.Detail != "budget is spent" || len(h.model.Requests()) != 1 {
			t.Errorf("%s: %+v", at, ended)
		}
		if r := results(c)[0]; at == hook.PreToolUse && (r.Rule != "hook h1" || r.Message.Content != "blocked by the hook h1: budget is spent") {
			t.Errorf("blocked: %+v", r)
		}
		if want := map[hook.Point]int64{hook.PreToolUse: 0, hook.PostToolUse: 1}[at]; n.Load() != want || len(results(c)) != 2 {
			t.Errorf("%s: %d calls, %+v", at, n.Load(), results(c))
		}
	}
}

func TestAHookKeepsTheTurnGoing(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.TurnEnd, Claude: true, Command: `
		read -r line; echo "$line" >>ends
		case $line in *'"stop_hook_active":false'*) echo '{"decision":"block","reason":"run the tests"}';; esac`}})
	h.model.Add(providertest.Text("done"), providertest.Text("tests pass"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Completed {
		t.Errorf("%+v", ended)
	}
	if got := h.model.Requests()[1].Last().Content; got != "[host] The hook h1 does not let the turn end yet: run the tests" {
		t.Errorf("the model read %q", got)
	}
	ends := h.read("ends")
	if strings.Count(ends, "\n") != 2 || !strings.Contains(ends, `"hook_event_name":"Stop"`) || !strings.Contains(ends, `"last_assistant_message":"tests pass"`) {
		t.Errorf("ends %s", ends)
	}
	h.model.CheckPrefix(t)
}

func TestAHookCannotKeepTheTurnGoingForEver(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.TurnEnd, Command: `echo more >&2; exit 2`}})
	h.model.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("done") })
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Completed || len(h.model.Requests()) != 6 || len(notices(c, "hook_again")) != 1 {
		t.Errorf("%+v, %d requests", ended, len(h.model.Requests()))
	}
}

// A turn that is cancelled still has its end.
func TestTurnEndRunsForACancelledTurn(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.TurnEnd, Command: `cat >end; exit 2`}})
	gate := make(chan struct{})
	defer close(gate)
	h.model.Add(providertest.Raw(providertest.Delta(`"content":"a"`), providertest.Finish("stop"), providertest.Done).GateAt(1, gate))
	s := h.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait[event.TextDelta](t, c.Collector, nil)
	if err := s.Submit(t.Context(), protocol.Cancel{}); err != nil {
		t.Fatal(err)
	}
	if ended := c.Ended("p"); ended.Outcome != event.Cancelled || !strings.Contains(h.read("end"), `"outcome":"cancelled"`) {
		t.Errorf("%+v %s", ended, h.read("end"))
	}
}

// A failing hook is told of once, is recorded each time, and stops nothing.
func TestAFailingHookStopsNothing(t *testing.T) {
	var n atomic.Int64
	h := newHooked(t, []hook.Hook{{Event: hook.PreToolUse, Command: `echo broken >&2; exit 7`}}, touch(&n))
	h.model.Add(one("touch"), one("touch"), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Completed || n.Load() != 2 {
		t.Errorf("%+v, %d calls", ended, n.Load())
	}
	if failed := notices(c, "hook_failed"); len(failed) != 1 || failed[0].Text != "the hook h1 failed at PreToolUse: it ended with exit code 7: broken" {
		t.Errorf("notices %+v", failed)
	}
	if got := ran(c); len(got) != 2 || got[0] != "h1 PreToolUse failed: it ended with exit code 7: broken" {
		t.Errorf("ran %v", got)
	}
}

// Of what is to be remembered a notification says nothing but the tool's name.
func TestNotificationsTellOfAQuestion(t *testing.T) {
	remember := fn{"remember", false, func(context.Context) (string, error) { return "kept", nil }}
	h := newHooked(t, []hook.Hook{{Event: hook.Notification, Command: `read -r line; echo "$line" >>notes.tmp; cp notes.tmp notes.new; mv notes.new notes`}}, titled{remember}, titled{fn{"touch", false, remember.run}})
	h.model.Add(one("remember"), one("touch"), providertest.Text("done"))
	s := h.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, protocoltest.Choose("allow_once"))
	c.Say("x")
	lines := func() []string { return strings.Split(strings.TrimSpace(h.read("notes")), "\n") }
	protocoltest.Until(t, "both notifications", func() bool { return len(lines()) == 2 })
	for _, line := range lines() {
		var in map[string]any
		if err := json.Unmarshal([]byte(line), &in); err != nil {
			t.Fatal(err)
		}
		memory := in["tool_name"] == "remember"
		if strings.Contains(line, "private words") == memory || !strings.Contains(in["message"].(string), "needs your permission to use") {
			t.Errorf("told %s", line)
		}
	}
}

// A server's question asks for no permission.
func TestNotificationsTellAQuestionFromAPermission(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.Notification, Command: `cat >note.tmp; mv note.tmp note`}})
	s := h.open(t, protocol.Spec{Interactive: true})
	protocoltest.NewClient(t, s, protocoltest.Choose("yes"))
	if _, err := h.lent.Ask(t.Context(), event.Question{Kind: event.AskElicitation, Title: "which branch?"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Until(t, "the notification", func() bool { return h.read("note") != "" })
	if note := h.read("note"); strings.Contains(note, "permission") || !strings.Contains(note, "which branch?") {
		t.Errorf("told %s", note)
	}
}

// A hook that fails in the same way is told of once, whatever it prints.
func TestAHookThatFailsIsToldOfOnce(t *testing.T) {
	touch := fn{"touch", false, func(context.Context) (string, error) { return "done", nil }}
	h := newHooked(t, []hook.Hook{{Event: hook.PreToolUse, Command: `echo "process $$ failed" >&2; exit 3`}}, touch)
	h.model.Add(one("touch"), one("touch"), providertest.Text("done"))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_once"))
	c.Say("x")
	told, ran := 0, 0
	for _, e := range c.Durable() {
		switch p := e.Payload.(type) {
		case event.Notice:
			if p.Code == "hook_failed" {
				told++
			}
		case event.HookRan:
			ran++
		default: // of something else
		}
	}
	if told != 1 || ran != 2 {
		t.Errorf("told of %d times, ran %d times", told, ran)
	}
}

// titled is a tool whose calls have a telling title.
type titled struct{ fn }

func (titled) Subject(json.RawMessage) tool.Subject { return tool.Subject{Title: "private words"} }

func TestSessionEndRunsWhenTheSessionCloses(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.SessionEnd, Command: `cat >end`}})
	h.model.Add(providertest.Text("done"))
	s := h.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	c.Say("x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(h.read("end"), `"reason":"other"`) {
		t.Errorf("end %q", h.read("end"))
	}
	var last []string
	for env, err := range h.store.Read(t.Context(), s.ID(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		last = append(last, event.KindOf(env.Payload).Type)
	}
	if !slices.Equal(last[len(last)-2:], []string{"hook.ran", event.KindOf(event.Ended{}).Type}) {
		t.Errorf("the journal ends with %v", last)
	}
}

// Closing does not wait for a hook that hangs while the session starts.
func TestCloseEndsTheHooksOfTheStart(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.SessionStart, Command: `exec sleep 60`}})
	s := h.open(t, protocol.Spec{})
	begun := time.Now()
	if err := s.Close(); err != nil || time.Since(begun) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(begun))
	}
}

func TestPreCompactAddsToWhatASummaryKeeps(t *testing.T) {
	h := newHooked(t, []hook.Hook{{Event: hook.PreCompact, Match: "manual", Command: `cat >input; echo '{"additionalContext":"keep the ticket number"}'`}}, dump(2_000))
	h.window = 100_000
	h.model.Respond(worker(providertest.Call{Name: "dump"}))
	c := protocoltest.NewClient(t, h.open(t, protocol.Spec{}), nil)
	for i := range 30 {
		prompt(t, c, fmt.Sprintf("turn %d", i))
	}
	compactNow(t, c, "the parser")
	if in := h.read("input"); !strings.Contains(in, `"trigger":"manual"`) || !strings.Contains(in, `"custom_instructions":"the parser"`) {
		t.Errorf("read %s", in)
	}
	if !slices.ContainsFunc(h.model.Requests(), func(r *providertest.Received) bool {
		return summary(r) && bytes.Contains(r.Body, []byte("keep the ticket number")) && bytes.Contains(r.Body, []byte("the parser"))
	}) {
		t.Error("no request for a summary says what to keep")
	}
}

// A planner's calls pass the same hooks; what is about the session runs once.
func TestThePlannersCallsPassTheHooks(t *testing.T) {
	w := planned(t)
	h := hooked{w, t.TempDir()}
	h.hooks = &hook.Exec{
		Hooks: []hook.Hook{
			{Name: "guard", Event: hook.PreToolUse, Match: "dump", Command: `echo "not this" >&2; exit 2`},
			{Name: "start", Event: hook.SessionStart, Command: `echo x >>starts`},
			{Name: "prompt", Event: hook.UserPromptSubmit, Command: `echo x >>prompts`},
			{Name: "end", Event: hook.TurnEnd, Command: `echo x >>ends`},
		},
		User: shell{}, Workspace: h.dir, Now: time.Now, Environ: []string{"PATH=" + os.Getenv("PATH")},
	}
	s := h.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	c.Say("plan it")
	if got := w.plans.Requests()[1].Last().Content; got != "blocked by the hook guard: not this" {
		t.Errorf("the planner read %q", got)
	}
	if got := h.read("starts") + h.read("prompts") + h.read("ends"); got != "x\nx\nx\n" {
		t.Errorf("ran %q", got)
	}
}
