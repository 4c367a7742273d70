package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/integrations/acp"
)

func TestInitializeSaysWhatWeCanDo(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	for _, version := range []any{0, 1, 2, 99, "1", nil} {
		var got any
		s.result("initialize", object{"protocolVersion": version, "clientCapabilities": object{}}, &got)
		want := object{
			"protocolVersion": 1.0,
			"agentInfo":       object{"name": "reasonix", "version": "v1.2.3"},
			"agentCapabilities": object{
				"loadSession":        false,
				"promptCapabilities": object{"image": false, "audio": false, "embeddedContext": true},
				"_meta":              object{"reasonix.io": object{"sessionSteer": object{"method": "_reasonix.io/session/steer"}}},
			},
			"authMethods": []any{object{
				"id": "reasonix-setup", "name": "reasonix setup",
				"description": "Run 'reasonix setup' in a terminal: it connects a model and stores its key",
			}},
		}
		if diff := cmp.Diff(got, any(want)); diff != "" {
			t.Errorf("version %v: %s", version, diff)
		}
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
	for _, m := range s.heard[1:] {
		if m.Method == "" {
			got = append(got, m.raw)
			continue
		}
		u := m.update(t)
		got = append(got, fmt.Sprint(u.Update.SessionUpdate, " ", u.Update.Content))
	}
	want := []string{
		"agent_message_chunk map[text:Hello, type:text]",
		"agent_message_chunk map[text: world. type:text]",
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
		{"session/prompt", said("nope", "x"), -32602, "sessionId", `session/prompt: sessionId: there is no session "nope" here`},
		{"session/prompt", object{"prompt": []any{}}, -32602, "sessionId", `session/prompt: sessionId: there is no session "" here`},
		{"session/prompt", blocks(), -32602, "prompt", "session/prompt: prompt: it is empty"},
		{"session/prompt", said(idle, " \n"), -32602, "prompt", "session/prompt: prompt: it is empty"},
		{"session/prompt", blocks(object{"type": "text", "text": "x"}, object{"type": "image", "data": ""}), -32602, "prompt[1].type", `session/prompt: prompt[1].type: blocks of type "image" are not supported`},
		{"session/prompt", blocks(object{"type": "resource"}), -32602, "prompt[0].resource", "session/prompt: prompt[0].resource: it is missing"},
		{"session/prompt", object{"sessionId": idle, "prompt": "text"}, -32602, "prompt", "session/prompt: prompt: it cannot be a JSON string"},
		{"_reasonix.io/session/steer", said(idle, "x"), -32600, "", "_reasonix.io/session/steer: no turn is running in this session"},
		{"_reasonix.io/session/steer", said("nope", "x"), -32602, "sessionId", `_reasonix.io/session/steer: sessionId: there is no session "nope" here`},
		{"authenticate", object{"methodId": "oauth"}, -32602, "methodId", `authenticate: methodId: there is no method "oauth"`},
		{"session/cancel", object{"sessionId": "nope"}, -32602, "sessionId", `session/cancel: sessionId: there is no session "nope" here`},
		{"session/load", object{}, -32601, "", "method not found: session/load"},
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
	if m := s.heard[len(s.heard)-1]; m.Method != "" || m.Result == nil {
		t.Errorf("a notification was answered: %s", m.raw)
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
	want := []protocol.Spec{{Workspace: dir, Model: "a/b", Interactive: true}}
	if diff := cmp.Diff(host.specs, want); diff != "" {
		t.Error(diff)
	}
}

func TestEveryBlockOfAPromptReachesTheModel(t *testing.T) {
	host := &seeing{}
	s := serveHost(t, &host.Fake, protocol.Host{Opener: host})
	session := s.open(t.TempDir())
	told := protocoltest.Collect(t.Context(), host.session, 0)
	s.stopped(s.send("session/prompt", object{"sessionId": session, "prompt": []object{
		{"type": "text", "text": "look at"},
		{"type": "resource_link", "uri": "file:///w/a.go", "name": "a.go"},
		{"type": "resource", "resource": object{"uri": "file:///w/b.go", "text": "package b", "mimeType": "text/x-go"}},
		{"type": "resource", "resource": object{"uri": "file:///w/c.png", "blob": "AAAA", "mimeType": "image/png"}},
	}}))
	said := protocoltest.Wait[event.UserSaid](t, told, nil)
	want := `look at

[a.go](file:///w/a.go)

<resource uri="file:///w/b.go">
package b
</resource>

<resource uri="file:///w/c.png" type="image/png">not shown: it is not text</resource>`
	if diff := cmp.Diff(said.Display, want); diff != "" {
		t.Error(diff)
	}
}

func TestPermissionAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer object
		want   event.Answer
	}{
		"selected":     {object{"result": selected("o1")}, event.Answer{Choice: []string{"o1"}}},
		"cancelled":    {object{"result": cancelled}, event.Answer{Cancelled: true}},
		"empty":        {object{"result": object{}}, event.Answer{Cancelled: true}},
		"null":         {object{"result": nil}, event.Answer{Cancelled: true}},
		"wrong shape":  {object{"result": []int{1}}, event.Answer{Cancelled: true}},
		"client error": {object{"error": object{"code": -32601, "message": "no such method"}}, event.Answer{Cancelled: true}},
	} {
		t.Run(name, func(t *testing.T) {
			host := &seeing{}
			host.Questions = asking(event.AllowOnce, event.RejectOnce)
			s := serveHost(t, &host.Fake, protocol.Host{Opener: host})
			session := s.open(t.TempDir())
			told := protocoltest.Collect(t.Context(), host.session, 0)
			id := s.prompt(session, "x")
			ask := s.asked()
			var got any
			decode(t, ask.Params, &got)
			want := object{
				"sessionId": session,
				"toolCall": object{
					"toolCallId": "c1", "title": "make all", "kind": "other", "status": "pending",
					"content": []any{object{"type": "content", "content": object{"type": "text", "text": "to build"}}},
				},
				"options": []any{
					object{"optionId": "o0", "name": "Option allow_once", "kind": "allow_once"},
					object{"optionId": "o1", "name": "Option reject_once", "kind": "reject_once"},
				},
			}
			if diff := cmp.Diff(got, any(want)); diff != "" {
				t.Error(diff)
			}
			c.answer["jsonrpc"], c.answer["id"] = "2.0", ask.ID
			s.write(c.answer)
			if got := s.stopped(id); got != "end_turn" {
				t.Errorf("stopped with %s", got)
			}
			if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer, c.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAQuestionWithoutOptionsIsNotAsked(t *testing.T) {
	s := serve(t, &protocoltest.Fake{Questions: asking()})
	if got := s.stopped(s.prompt(s.open(t.TempDir()), "x")); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	for _, m := range s.heard {
		if m.Method == "session/request_permission" {
			t.Errorf("asked %s", m.raw)
		}
	}
}

// AC-01: a cancel with a permission open ends the turn, whatever the client then
// answers, and the session goes on.
func TestAC01CancelWithAPermissionOpen(t *testing.T) {
	fake := &protocoltest.Fake{Questions: func(text string) []event.Question {
		if text == "ask" {
			return asking(event.AllowOnce)("")
		}
		return nil
	}}
	s := serve(t, fake)
	session := s.open(t.TempDir())
	for _, late := range []object{cancelled, selected("o0")} {
		id := s.prompt(session, "ask")
		ask := s.asked()
		s.write(notification("session/cancel", object{"sessionId": session}))
		if got := s.stopped(id); got != "cancelled" {
			t.Errorf("stopped with %s", got)
		}
		s.reply(ask, late)
		if got := s.stopped(s.prompt(session, "go on")); got != "end_turn" {
			t.Errorf("the next one stopped with %s", got)
		}
	}
}

// AC-03: a session that waits for its user holds up no other.
func TestAC03OtherSessionsGoOnWhileOneWaits(t *testing.T) {
	fake := &protocoltest.Fake{Questions: func(text string) []event.Question {
		if text == "ask" {
			return asking(event.AllowOnce)("")
		}
		return nil
	}}
	s := serve(t, fake)
	a := s.open(t.TempDir())
	inA := s.prompt(a, "ask")
	ask := s.asked()
	b := s.open(t.TempDir())
	if got := s.stopped(s.prompt(b, "x")); got != "end_turn" {
		t.Errorf("B stopped with %s", got)
	}
	s.reply(ask, selected("o0"))
	if got := s.stopped(inA); got != "end_turn" {
		t.Errorf("A stopped with %s", got)
	}
}

// A steer that its turn did not read is played behind it: the prompt's answer
// comes when both are through, so that the session is free again by then.
func TestALateSteerIsPlayedBeforeTheAnswer(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	s.fake.Reply("one", "two", "three")
	session := s.open(t.TempDir())
	release := s.fake.Hold()
	id := s.prompt(session, "x")
	for _, word := range []string{"also y", "and z"} {
		var got any
		s.result("_reasonix.io/session/steer", said(session, word), &got)
		if diff := cmp.Diff(got, any(object{"disposition": "steer_accepted"})); diff != "" {
			t.Error(diff)
		}
	}
	release()
	if got := s.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if got := s.text(session); got != "onetwothree" {
		t.Errorf("before the answer came %q", got)
	}
	if got := s.stopped(s.prompt(session, "next")); got != "end_turn" {
		t.Errorf("the next one stopped with %s", got)
	}
}

// A cancel stops the steers that wait, too.
func TestACancelStopsLateSteersToo(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	defer s.fake.Hold()()
	session := s.open(t.TempDir())
	for range 100 {
		id := s.prompt(session, "x")
		for range 3 {
			if m := s.call("_reasonix.io/session/steer", said(session, "y")); m.Error != nil {
				t.Fatal(m.raw)
			}
		}
		s.write(notification("session/cancel", object{"sessionId": session}))
		if got := s.stopped(id); got != "cancelled" {
			t.Fatalf("stopped with %s", got)
		}
		s.forget()
	}
}

func TestEndOfInputAnswersWhatIsOwed(t *testing.T) {
	fake := &protocoltest.Fake{Questions: func(text string) []event.Question {
		if text == "ask" {
			return asking(event.AllowOnce)("")
		}
		return nil
	}}
	s := serve(t, fake)
	defer s.fake.Hold()()
	waits, runs, steered := s.open(t.TempDir()), s.open(t.TempDir()), s.open(t.TempDir())
	ids := []string{s.prompt(waits, "ask"), s.prompt(runs, "x"), s.prompt(steered, "x")}
	s.call("_reasonix.io/session/steer", said(steered, "y"))
	s.asked()
	s.in.Close()
	if err := s.ends(); err != nil {
		t.Errorf("serve: %v", err)
	}
	for _, id := range ids {
		if got := s.stopped(id); got != "cancelled" {
			t.Errorf("prompt %s stopped with %s", id, got)
		}
	}
}

// AC-04: a client that left is noticed at the first message it misses.
func TestAC04ALostClientEndsTheServer(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	session := s.open(t.TempDir())
	s.out.Close()
	s.prompt(session, "x")
	if err := s.ends(); err != nil {
		t.Errorf("serve: %v", err)
	}
}

// A client that closes our input and reads nothing more is not waited for.
func TestAClientThatStoppedReadingIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &protocoltest.Fake{}
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error)
		go func() { done <- acp.Serve(t.Context(), protocol.Host{Opener: fake}, acp.Options{}, inR, outW) }()
		go fmt.Fprintf(inW, "%s\n", `{"id":1,"method":"session/new","params":{"cwd":`+fmt.Sprintf("%q", t.TempDir())+`}}`)
		var opened rpc
		if err := json.NewDecoder(outR).Decode(&opened); err != nil {
			t.Fatal(err)
		}
		var r struct{ SessionID string }
		decode(t, opened.Result, &r)
		fmt.Fprintf(inW, `{"id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n", r.SessionID)
		inW.Close()
		begun := time.Now()
		if err := <-done; !errors.Is(err, acp.ErrUnread) {
			t.Errorf("serve: %v, want ErrUnread", err)
		}
		if took := time.Since(begun); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
		outR.Close()
	})
}

func TestACancelledContextEndsTheServer(t *testing.T) {
	fake := &protocoltest.Fake{}
	defer fake.Hold()()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := newClient(t, inW, outR)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- acp.Serve(ctx, protocol.Host{Opener: fake}, acp.Options{}, inR, outW)
		outW.Close()
	}()
	id := c.prompt(c.open(t.TempDir()), "x")
	c.next("the reply begins", func(m rpc) bool { return m.Method == "session/update" })
	cancel()
	if err := <-done; err != nil {
		t.Errorf("serve: %v", err)
	}
	if got := c.stopped(id); got != "cancelled" {
		t.Errorf("stopped with %s", got)
	}
	inW.Close()
	<-c.ended
}

func TestAnIDOfAnyKindIsAnswered(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	session := s.open(t.TempDir())
	for _, id := range []string{`"abc"`, `1.5`, `null`, `"abc"`} {
		s.write(object{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": "session/prompt", "params": said(session, "x")})
		m := s.next("the answer to "+id, func(m rpc) bool { return m.Method == "" && strings.Contains(m.raw, `"id":`+id) })
		if !strings.Contains(m.raw, "end_turn") {
			t.Errorf("%s: %s", id, m.raw)
		}
	}
}
