//go:build unix

package acp_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

func TestARealTurnWithACallAndAPermission(t *testing.T) {
	p := start(t,
		providertest.TextCalls("I make it.", providertest.Call{ID: "call_1", Name: "bash", Arguments: `{"command":"echo made > note.txt"}`}),
		providertest.Text("Done."))
	p.call("initialize", object{"protocolVersion": 1})
	session := p.open(p.dir)
	id := p.prompt(session, "make a note")
	ask := p.asked()
	if p.has("note.txt") {
		t.Error("it ran before it was allowed")
	}
	p.reply(ask, selected("allow_once"))
	if got := p.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if !p.has("note.txt") {
		t.Error("it did not run")
	}
	var got []string
	for _, m := range p.all()[2:] {
		switch m.Method {
		case "session/update":
			u := m.update(t).Update
			got = append(got, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", u.SessionUpdate, u.ToolCallID, u.Kind, u.Status)), " "))
		case "":
			got = append(got, "answer "+string(m.ID))
		default:
			got = append(got, m.Method)
		}
	}
	want := []string{
		"available_commands_update", "session_info_update",
		"agent_message_chunk", "tool_call call_1 execute pending", "session/request_permission",
		"tool_call_update call_1 execute in_progress", "tool_call_update call_1 completed",
		"agent_message_chunk", "session_info_update", "answer 3",
	}
	if diff := cmp.Diff(compact(got), want); diff != "" {
		t.Error(diff)
	}
	if got := p.text(session); got != "I make it.Done." {
		t.Errorf("text %q", got)
	}
	p.in.Close()
	p.ends("")
}

// compact drops repetitions: text comes in any number of chunks.
func compact(lines []string) (out []string) {
	for _, l := range lines {
		if len(out) == 0 || out[len(out)-1] != l {
			out = append(out, l)
		}
	}
	return out
}

func TestARejectedCallDoesNotRun(t *testing.T) {
	for _, answer := range []object{selected("reject_once"), cancelled, selected("no such option")} {
		p := start(t, providertest.Calls(bash("touch forbidden")), providertest.Text("As you wish."))
		session := p.open(p.dir)
		id := p.prompt(session, "x")
		p.reply(p.asked(), answer)
		if got := p.stopped(id); got != "end_turn" {
			t.Errorf("%v: stopped with %s", answer, got)
		}
		if p.has("forbidden") {
			t.Errorf("%v: it ran", answer)
		}
		if !strings.Contains(p.response(id).raw, "denials") {
			t.Errorf("%v: the answer does not say what was denied: %s", answer, p.response(id).raw)
		}
		p.in.Close()
		p.ends("")
	}
}

// AC-01 with the real engine: no call runs, the session goes on.
func TestAC01RealCancelWithAPermissionOpen(t *testing.T) {
	p := start(t, providertest.Calls(bash("touch forbidden")), providertest.Text("Here I am."))
	session := p.open(p.dir)
	id := p.prompt(session, "x")
	ask := p.asked()
	p.write(notification("session/cancel", object{"sessionId": session}))
	if got := p.stopped(id); got != "cancelled" {
		t.Errorf("stopped with %s", got)
	}
	p.reply(ask, cancelled)
	if got := p.stopped(p.prompt(session, "y")); got != "end_turn" {
		t.Errorf("the next one stopped with %s", got)
	}
	if p.has("forbidden") {
		t.Error("it ran")
	}
	p.in.Close()
	p.ends("")
}

// AC-07: a stop is no crash: same process, history and grants stay.
func TestAC07AStopKeepsHistoryAndGrants(t *testing.T) {
	p := start(t,
		providertest.Calls(bash("echo granted > one")),
		providertest.Raw(providertest.Delta(`"content":"half a sent"`)).Hold(),
		providertest.Calls(bash("echo granted > one")), // nobody is asked now
		providertest.Text("I said half a sentence."))
	session := p.open(p.dir)
	id := p.prompt(session, "begin")
	p.reply(p.asked(), selected("allow_session"))
	p.next("half a sentence", func(m rpc) bool { return strings.Contains(m.raw, "half a sent") })
	p.write(notification("session/cancel", object{"sessionId": session}))
	if got := p.stopped(id); got != "cancelled" {
		t.Errorf("stopped with %s", got)
	}
	if got := p.stopped(p.prompt(session, "what did you say?")); got != "end_turn" {
		t.Errorf("the next one stopped with %s", got)
	}
	if body := string(p.model.Requests()[2].Body); !strings.Contains(body, `"half a sent"`) {
		t.Errorf("the model is not told what it had said: %s", body)
	}
	p.in.Close()
	p.ends("")
}

func TestPipelinedCancelReachesTheRealEngine(t *testing.T) {
	p := start(t)
	p.model.Respond(func(*providertest.Received) providertest.Reply {
		return providertest.Raw(providertest.Delta(`"content":"word"`)).Hold() // never ends by itself
	})
	session := p.open(p.dir)
	for i := range 100 {
		id, prompt := p.request("session/prompt", said(session, "x"))
		p.write(prompt, notification("session/cancel", object{"sessionId": session}))
		if got := p.stopped(id); got != "cancelled" {
			t.Fatalf("prompt %d stopped with %s", i, got)
		}
	}
	p.in.Close()
	p.ends("")
}

// AC-09 with the real engine: a cancel of the request ends its command.
func TestAC09RealCancelRequestEndsTheCommand(t *testing.T) {
	command, words := sleeping(t)
	p := start(t, providertest.Calls(bash(command)))
	session := p.open(p.dir)
	id := p.prompt(session, "x")
	p.reply(p.asked(), selected("allow_once"))
	protocoltest.Until(t, "the command runs", func() bool { return p.has("started") })
	p.write(notification("$/cancel_request", object{"requestId": 2}))
	if got := p.stopped(id); got != "cancelled" {
		t.Errorf("stopped with %s", got)
	}
	p.in.Close()
	p.ends(words)
}

// AC-04: whichever way the client goes away in the middle of a command, it is
// over within three seconds, nothing is left running, and the session is saved.
func TestAC04TheEndOfTheClientEndsEverything(t *testing.T) {
	for name, leave := range map[string]func(p *process) error{
		"stdin closed":  func(p *process) error { return p.in.Close() },
		"stdout closed": func(p *process) error { return p.out.Close() },
		"SIGTERM":       func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":        func(p *process) error { return p.cmd.Process.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			command, words := sleeping(t)
			p := start(t, providertest.Calls(bash(command)))
			session := p.open(p.dir)
			p.prompt(session, "x")
			p.reply(p.asked(), selected("allow_once"))
			protocoltest.Until(t, "the command runs", func() bool { return p.has("started") })
			if err := leave(p); err != nil {
				t.Fatal(err)
			}
			p.ends(words)
			kept := strings.Split(strings.TrimSpace(p.journal()), "\n")
			if len(kept) < 2 || !strings.Contains(kept[len(kept)-2], `"outcome":"cancelled"`) || !strings.Contains(kept[len(kept)-1], `"session.ended"`) {
				t.Errorf("the journal ends with\n%s", strings.Join(kept[max(0, len(kept)-2):], "\n"))
			}
		})
	}
}

// AC-06: warnings, a command that writes wherever it can, a call of no tool and
// broken arguments leave nothing on stdout that is no message; listen checks.
func TestAC06OnlyMessagesOnStdout(t *testing.T) {
	model := providertest.New(t,
		providertest.Calls(bash("echo out; echo err >&2; echo tty > /dev/tty; exit 3")),
		providertest.Calls(providertest.Call{Name: "no_such_tool", Arguments: `{}`}),
		providertest.Text("Done \x00 \u2028 <&> \xf0\x9f\x98\x80."))
	p := prepare(t, "colour = true\n"+fmt.Sprintf(oneProvider, model.BaseURL(), ""))
	p.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "yolo"))
	session := p.open(p.dir)
	if got := p.stopped(p.prompt(session, "x")); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	p.in.Close()
	p.ends("")
	if !strings.Contains(p.stderr.String(), "colour") {
		t.Errorf("the unknown key is not warned of: %q", p.stderr.String())
	}
}

func TestWhatKeepsARealSessionFromOpening(t *testing.T) {
	p := prepare(t, fmt.Sprintf(oneProvider, "http://127.0.0.1:1/v1", "SCRIPTED_KEY"))
	p.run(t, exec.Command(os.Args[0], "acp"))
	m := p.call("session/new", object{"cwd": p.dir, "mcpServers": []any{}})
	if m.Error == nil || m.Error.Code != -32000 || !strings.Contains(m.Error.Message, "SCRIPTED_KEY") || m.Error.Data["authMethods"] == nil {
		t.Errorf("no key: %s", m.raw)
	}
	file := filepath.Join(p.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(p.home, ".env")
	if err := os.WriteFile(key, []byte("SCRIPTED_KEY=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{filepath.Join(p.dir, "missing"), file} {
		m := p.call("session/new", object{"cwd": cwd, "mcpServers": []any{}})
		if m.Error == nil || m.Error.Code != -32602 || m.Error.Data["field"] != "cwd" || !strings.Contains(m.Error.Message, cwd) {
			t.Errorf("%s: %s", cwd, m.raw)
		}
	}
	if err := os.WriteFile(filepath.Join(p.dir, "reasonix.toml"), []byte("[agent]\nmax_turns = \"many\"\ntemperature = \"hot\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m := p.call("session/new", object{"cwd": p.dir}); m.Error == nil || !strings.Contains(m.Error.Message, "reasonix.toml:3") {
		t.Errorf("broken project file: %s", m.raw)
	}
	if err := os.Remove(filepath.Join(p.dir, "reasonix.toml")); err != nil {
		t.Fatal(err)
	}
	p.open(p.dir) // the key that was stored meanwhile is found
	p.in.Close()
	p.ends("")
}

// Without a provider nothing opens, and with a key that counts no more no turn and no
// session: the client hears that its user has to do something, and what.
func TestAMissingKeyIsAskedFor(t *testing.T) {
	toSetUp := func(m rpc, said string) {
		t.Helper()
		if m.Error == nil || m.Error.Code != -32000 || m.Error.Data["authMethods"] == nil || !strings.Contains(m.Error.Message, said) {
			t.Errorf("got %s, want that %s is missing", m.raw, said)
		}
	}
	p := prepare(t, "")
	p.run(t, exec.Command(os.Args[0], "acp"))
	toSetUp(p.call("session/new", object{"cwd": p.dir, "mcpServers": []any{}}), "provider")
	p.in.Close()
	p.ends("")

	model := providertest.New(t, providertest.Text("Hello."), providertest.Text("Hello again."))
	model.RequireKey("the-key")
	p = prepare(t, fmt.Sprintf(oneProvider, model.BaseURL(), "SCRIPTED_KEY"))
	key := filepath.Join(p.home, ".env")
	if err := os.WriteFile(key, []byte("SCRIPTED_KEY=the-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(t, exec.Command(os.Args[0], "acp"))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "hello"))
	model.RequireKey("another-key")
	m := p.call("session/prompt", said(session, "and now?"))
	toSetUp(m, "401")
	if m.Error != nil && (m.Error.Data["outcome"] != "provider" || m.Error.Data["status"] != 401.0 || strings.Contains(m.raw, "the-key")) {
		t.Errorf("got %s", m.raw)
	}
	model.RequireKey("the-key")
	if got := p.stopped(p.prompt(session, "and now?")); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	p.result("session/close", object{"sessionId": session}, &object{})
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"session/load", "session/resume", "session/new"} {
		toSetUp(p.load(method, session, p.dir), "SCRIPTED_KEY")
	}
	p.in.Close()
	p.ends("")
}

func TestAFailedRequestIsTold(t *testing.T) {
	p := start(t, providertest.Status(400, `{"error":{"message":"too bad"}}`), providertest.Text("Better."))
	session := p.open(p.dir)
	m := p.call("session/prompt", said(session, "x"))
	if m.Error == nil || m.Error.Code != -32603 || !strings.Contains(m.Error.Message, "too bad") {
		t.Fatalf("got %s", m.raw)
	}
	if d := m.Error.Data; d["outcome"] != "provider" || d["status"] != 400.0 || d["retryable"] != false {
		t.Errorf("data %v", d)
	}
	if got := p.stopped(p.prompt(session, "again")); got != "end_turn" {
		t.Errorf("the next one stopped with %s", got)
	}
	p.in.Close()
	p.ends("")
}

// A steer reaches the model at its next step, within the turn, and so does what came with it.
func TestARealSteerIsReadInTheTurn(t *testing.T) {
	p := start(t, providertest.Calls(bash("touch made")), providertest.Text("Both."))
	session := p.open(p.dir)
	id := p.prompt(session, "x")
	ask := p.asked()
	steer := object{"sessionId": session, "prompt": []object{
		{"type": "text", "text": "and mind the gap"},
		{"type": "resource", "resource": object{"uri": "file:///plan.txt", "text": "between /train and @platform"}},
	}}
	if m := p.call("_reasonix.io/session/steer", steer); m.Error != nil {
		t.Fatal(m.raw)
	}
	p.reply(ask, selected("allow_once"))
	if got := p.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	requests := p.model.Requests()
	for _, want := range []string{"mind the gap", "between /train and @platform"} {
		if len(requests) != 2 || !bytes.Contains(requests[1].Body, []byte(want)) {
			t.Errorf("%d requests, the last without %q", len(requests), want)
		}
	}
	for _, m := range p.all() { // what nobody typed is data, also in the journal
		if strings.Contains(m.raw, "between /train") {
			t.Errorf("the client is told %s", m.raw)
		}
	}
	if !strings.Contains(p.journal(), `"display":"and mind the gap","data":"<resource uri=`) {
		t.Error("the journal does not tell what was typed from what came with it")
	}
	p.in.Close()
	p.ends("")
}

// AC-10: a reply that is cut in the middle of a call's arguments is an error in so many
// words, and the call does not run, even where what came of it could.
func TestAC10AProviderThatCutsAReplyIsTold(t *testing.T) {
	p := start(t)
	p.patience = 30 * time.Second // it is tried again a few times before
	p.model.Respond(func(r *providertest.Received) providertest.Reply {
		call := `"tool_calls":[{"index":0,"id":"w","type":"function","function":{"name":"write_file","arguments":"` +
			`{\"path\":\"note.txt\",\"content\":\"half a` + r.Last().Content + `"}}]`
		return providertest.Raw(providertest.Delta(call)).Abort()
	})
	prompts := map[string]string{}
	for _, rest := range []string{" file", `\"}`} { // no JSON, and JSON
		session := p.open(p.dir)
		p.set(session, "tool_approval", "yolo")
		prompts[session] = p.prompt(session, rest)
	}
	for _, id := range prompts {
		m := p.response(id)
		if m.Error == nil || m.Error.Code != -32603 || !strings.HasPrefix(m.Error.Message, "session/prompt: ") || len(m.Error.Message) < 40 {
			t.Fatalf("got %s", m.raw)
		}
		if d := m.Error.Data; d["outcome"] != "provider" || d["phase"] != "stream" || d["retryable"] != true {
			t.Errorf("data %v in %s", d, m.raw)
		}
	}
	if p.has("note.txt") {
		t.Error("half a file was written")
	}
	p.model.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("Here I am.") })
	for session := range prompts {
		if got := p.stopped(p.prompt(session, "and now?")); got != "end_turn" {
			t.Errorf("the next one stopped with %s", got)
		}
	}
	p.in.Close()
	p.ends("")
}
