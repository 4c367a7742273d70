package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
)

func TestInitializeSaysWhatWeCanDo(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	for _, version := range []any{0, 1, 2, 99, "1", nil} {
		var got any
		s.result("initialize", object{"protocolVersion": version, "clientCapabilities": object{"auth": object{"terminal": true}}}, &got)
		method := func(name string, versions ...any) object {
			o := object{"method": "_reasonix.io/session/" + name}
			for _, v := range versions {
				o["schemaVersion"] = v
			}
			return o
		}
		want := object{
			"protocolVersion": 1.0,
			"agentInfo":       object{"name": "reasonix", "version": "v1.2.3"},
			"agentCapabilities": object{
				"loadSession":         true,
				"promptCapabilities":  object{"image": true, "audio": false, "embeddedContext": true},
				"sessionCapabilities": object{"list": object{}, "resume": object{}, "close": object{}, "delete": object{}},
				"mcpCapabilities":     object{"http": true, "sse": true},
				"_meta": object{"reasonix.io": object{
					"sessionSteer": method("steer"), "sessionStatus": method("status", 1.0), "sessionStatusUpdate": method("status_update", 1.0),
					"sessionCompact": method("compact"), "sessionRewind": method("rewind"), "sessionFork": method("fork"),
				}},
			},
			"authMethods": []any{object{
				"id": "reasonix-setup", "name": "reasonix setup", "type": "terminal", "args": []any{"setup"},
				"description": "Run 'reasonix setup' in a terminal: it connects a model and stores its key",
			}},
		}
		if diff := cmp.Diff(got, any(want)); diff != "" {
			t.Errorf("version %v: %s", version, diff)
		}
	}
}

// Only a client that can start us in a terminal is told how.
func TestSetupInATerminalIsForClientsThatHaveOne(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	var got struct{ AuthMethods []object }
	s.result("initialize", object{"protocolVersion": 1}, &got)
	if m := got.AuthMethods; len(m) != 1 || m[0]["type"] != nil || m[0]["args"] != nil {
		t.Errorf("%v", m)
	}
}

func TestATurnIsUpdatesThenItsAnswer(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	s.fake.Reply("Hello, world.")
	session := s.open(t.TempDir())
	id := s.prompt(session, "hi")
	if got := s.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	var got []string
	for _, m := range s.all()[1:] {
		if m.Method == "" {
			got = append(got, m.raw)
			continue
		}
		u := m.update(t)
		got = append(got, fmt.Sprint(u.Update.SessionUpdate, " ", u.Update.Content))
	}
	want := []string{
		"session_info_update <nil>",
		"agent_message_chunk map[text:Hello, type:text]",
		"agent_message_chunk map[text: world. type:text]",
		"session_info_update <nil>",
		`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`,
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

// A cancel written right behind its prompt, in the same write, is never lost.
func TestPipelinedCancelIsNeverLost(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	defer s.fake.Hold()() // no reply ever ends by itself
	session := s.open(t.TempDir())
	for i := range 1000 {
		id, prompt := s.request("session/prompt", said(session, "x"))
		stop := notification("session/cancel", object{"sessionId": session})
		if i%2 == 1 {
			stop = notification("$/cancel_request", object{"requestId": prompt["id"]})
		}
		s.write(prompt, stop)
		if got := s.stopped(id); got != "cancelled" {
			t.Fatalf("prompt %d stopped with %s", i, got)
		}
		s.forget()
	}
}

// forget drops what was heard, for tests that hear much.
func (c *client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard, c.seen = nil, 0
}

// AC-09: a request-level cancel stops its own turn and no other.
func TestAC09CancelRequestStopsItsPromptOnly(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	release := s.fake.Hold()
	a, b := s.open(t.TempDir()), s.open(t.TempDir())
	inA, inB := s.prompt(a, "x"), s.prompt(b, "x")
	s.write(
		notification("$/cancel_request", object{"requestId": "nobody's"}),
		notification("$/cancel_request", object{}),
		notification("$/cancel_request", object{"requestId": json.RawMessage(inA)}),
	)
	if got := s.stopped(inA); got != "cancelled" {
		t.Errorf("A stopped with %s", got)
	}
	release()
	if got := s.stopped(inB); got != "end_turn" {
		t.Errorf("B stopped with %s", got)
	}
}

func TestWhatCannotBeDoneIsRefusedWithItsCode(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	release := s.fake.Hold()
	defer release()
	busy, idle := s.open(t.TempDir()), s.open(t.TempDir())
	s.prompt(busy, "x")
	blocks := func(all ...any) object { return object{"sessionId": idle, "prompt": all} }
	for _, c := range []struct {
		method  string
		params  any
		code    int
		field   string
		message string
	}{
		{"session/new", object{"cwd": "w"}, -32602, "cwd", `session/new: cwd: it must be an absolute path, got "w"`},
		{"session/new", object{}, -32602, "cwd", `session/new: cwd: it must be an absolute path, got ""`},
		{"session/new", object{"cwd": 5}, -32602, "cwd", "session/new: cwd: it cannot be a JSON number"},
		{"session/new", []any{}, -32602, "params", "session/new: params: they cannot be a JSON array"},
		{"session/prompt", said(busy, "more"), -32600, "", "session/prompt: a turn is running in this session"},
		{"session/prompt", said("nope", "x"), -32002, "sessionId", `session/prompt: there is no session "nope"`},
		{"session/prompt", object{"prompt": []any{}}, -32002, "sessionId", `session/prompt: there is no session ""`},
		{"session/prompt", blocks(), -32602, "prompt", "session/prompt: prompt: it is empty"},
		{"session/prompt", said(idle, " \n"), -32602, "prompt", "session/prompt: prompt: it is empty"},
		{"session/prompt", blocks(object{"type": "text", "text": "x"}, object{"type": "audio", "data": ""}), -32602, "prompt[1].type", `session/prompt: prompt[1].type: blocks of type "audio" are not supported`},
		{"session/prompt", blocks(object{"type": "resource"}), -32602, "prompt[0].resource", "session/prompt: prompt[0].resource: it is missing"},
		{"session/prompt", object{"sessionId": idle, "prompt": "text"}, -32602, "prompt", "session/prompt: prompt: it cannot be a JSON string"},
		{"_reasonix.io/session/steer", said(idle, "x"), -32600, "", "_reasonix.io/session/steer: no turn is running in this session"},
		{"_reasonix.io/session/steer", said("nope", "x"), -32002, "sessionId", `_reasonix.io/session/steer: there is no session "nope"`},
		{"authenticate", object{"methodId": "oauth"}, -32602, "methodId", `authenticate: methodId: there is no method "oauth"`},
		{"session/cancel", object{"sessionId": "nope"}, -32002, "sessionId", `session/cancel: there is no session "nope"`},
		{"session/load", object{}, -32602, "cwd", `session/load: cwd: it must be an absolute path, got ""`},
		{"logout", object{}, -32601, "", "method not found: logout"},
		{"session/steer", object{}, -32601, "", "method not found: session/steer"},
	} {
		m := s.call(c.method, c.params)
		if m.Error == nil {
			t.Errorf("%s %v: %s", c.method, c.params, m.raw)
			continue
		}
		field, _ := m.Error.Data["field"].(string)
		if m.Error.Code != c.code || m.Error.Message != c.message || field != c.field {
			t.Errorf("%s %v:\n got %s\nwant %d %s %s", c.method, c.params, m.raw, c.code, c.field, c.message)
		}
	}
	for _, silent := range []string{"session/cancel", "session/prompt", "session/new", "other", "$/cancel_request"} {
		s.write(notification(silent, object{"cwd": "/", "sessionId": "nope"}))
	}
	if m := s.call("authenticate", object{"methodId": "reasonix-setup"}); m.Error != nil {
		t.Errorf("authenticate: %s", m.raw)
	}
	if all := s.all(); all[len(all)-1].Method != "" || all[len(all)-1].Result == nil {
		t.Errorf("a notification was answered: %s", all[len(all)-1].raw)
	}
}

// refusing is a host whose sessions do not open.
type refusing struct{ err error }

func (r refusing) Open(context.Context, protocol.Spec) (protocol.Session, error) { return nil, r.err }

type codedError int

func (codedError) Error() string   { return "no key for deepseek" }
func (c codedError) ExitCode() int { return int(c) }

func TestASessionThatDoesNotOpenSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		data []string
	}{
		{fmt.Errorf("wrapped: %w", codedError(3)), -32000, []string{"authMethods"}},
		{codedError(2), -32602, nil},
		{codedError(1), -32603, nil},
		{errors.New("disk full"), -32603, nil},
	} {
		s := serveHost(t, nil, protocol.Host{Opener: refusing{c.err}})
		m := s.call("session/new", object{"cwd": t.TempDir()})
		if m.Error == nil || m.Error.Code != c.code || m.Error.Message != "session/new: "+c.err.Error() {
			t.Errorf("%v: %s, want %d", c.err, m.raw, c.code)
			continue
		}
		if diff := cmp.Diff(keys(m.Error.Data), c.data); diff != "" {
			t.Errorf("%v: data: %s", c.err, diff)
		}
	}
}

// seeing is a host that keeps what sessions were opened with and told.
type seeing struct {
	protocoltest.Fake
	specs   []protocol.Spec
	session protocol.Session
}

func (s *seeing) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	s.specs = append(s.specs, spec)
	var err error
	s.session, err = s.Fake.Open(ctx, spec)
	return s.session, err
}

func TestSessionsOpenInTheClientsDirectory(t *testing.T) {
	host := &seeing{}
	s := serveHost(t, &host.Fake, protocol.Host{Opener: host})
	dir := t.TempDir()
	s.open(dir + string(filepath.Separator) + "." + string(filepath.Separator))
	want := []protocol.Spec{{Workspace: dir, Model: "a/b", Interactive: true, Client: "acp"}}
	if diff := cmp.Diff(host.specs, want); diff != "" {
		t.Error(diff)
	}
}

func TestAnIDOfAnyKindIsAnswered(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	session := s.open(t.TempDir())
	for _, id := range []string{`"abc"`, `1.5`, `null`, `"abc"`} {
		s.sends(id, "session/prompt")
		s.write(object{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": "session/prompt", "params": said(session, "x")})
		m := s.next("the answer to "+id, func(m rpc) bool { return m.Method == "" && strings.Contains(m.raw, `"id":`+id) })
		if !strings.Contains(m.raw, "end_turn") {
			t.Errorf("%s: %s", id, m.raw)
		}
	}
}
