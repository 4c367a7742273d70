package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
)

// database is a question of the model.
var database = event.Question{
	ID: "r1", Kind: event.AskQuestion, Call: "c9", Title: "Database", Body: "Which one?",
	Options: []event.Option{{ID: "q1:1", Label: "SQLite", Detail: "a file"}, {ID: "q1:2", Label: "Postgres"}, {ID: "q1:3", Label: "Neither"}},
}

// asks serves a session that puts q in every turn, to a client that can do what it says.
func asks(t *testing.T, q event.Question, can object) (s *served, session string, told *protocoltest.Collector) {
	t.Helper()
	host := &seeing{}
	host.Questions = func(string) []event.Question { return []event.Question{q} }
	s = serveHost(t, &host.Fake, protocol.Host{Opener: host})
	s.call("initialize", object{"protocolVersion": 1, "clientCapabilities": can})
	session = s.open(t.TempDir())
	return s, session, protocoltest.Collect(t.Context(), host.session, 0)
}

// requested waits for the next request of a method.
func (c *client) requested(method string) rpc {
	c.t.Helper()
	return c.next(method+" is requested", func(m rpc) bool { return m.Method == method })
}

func (c *client) refuse(to rpc, code int) {
	c.t.Helper()
	c.write(object{"jsonrpc": "2.0", "id": to.ID, "error": object{"code": code, "message": "no"}})
}

func names(t *testing.T, ask rpc) (all []string) {
	t.Helper()
	var p struct {
		Options []struct{ OptionID, Name, Kind string }
	}
	decode(t, ask.Params, &p)
	for _, o := range p.Options {
		all = append(all, o.OptionID+" "+o.Kind+" "+o.Name)
	}
	return all
}

func TestAQuestionOfTheModelIsOther(t *testing.T) {
	s, session, told := asks(t, database, object{})
	id := s.prompt(session, "x")
	ask := s.asked()
	var got struct{ ToolCall any }
	decode(t, ask.Params, &got)
	want := object{
		"toolCallId": "c9", "title": "Database", "kind": "other", "status": "pending",
		"content": []any{object{"type": "content", "content": object{"type": "text", "text": "Which one?"}}},
		"rawInput": object{"id": "q1", "header": "Database", "question": "Which one?", "multi": false, "options": []any{
			object{"id": "q1:1", "label": "SQLite", "description": "a file"}, object{"id": "q1:2", "label": "Postgres", "description": ""}, object{"id": "q1:3", "label": "Neither", "description": ""},
		}},
		"_meta": object{"reasonix.io": object{"approvalId": "r1", "kind": "question"}},
	}
	if diff := cmp.Diff(got.ToolCall, any(want)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(names(t, ask), []string{
		"q1:1 allow_once SQLite: a file", "q1:2 allow_once Postgres", "q1:3 allow_once Neither", "q1:cancel reject_once Dismiss",
	}); diff != "" {
		t.Error(diff)
	}
	s.reply(ask, selected("q1:2"))
	if got := s.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer, event.Answer{Choice: []string{"q1:2"}}); diff != "" {
		t.Error(diff)
	}
}

// AC-01: to dismiss a question is an answer, and no end of the turn.
func TestADismissedQuestionIsAnAnswer(t *testing.T) {
	for name, outcome := range map[string]object{"dismissed": selected("q1:cancel"), "cancelled": cancelled, "unknown": selected("q7:1")} {
		s, session, told := asks(t, database, object{})
		id := s.prompt(session, "x")
		s.reply(s.asked(), outcome)
		if got := s.stopped(id); got != "end_turn" {
			t.Errorf("%s: stopped with %s", name, got)
		}
		if a := protocoltest.Wait[event.Answered](t, told, nil); !a.Answer.Cancelled {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// Several are chosen one at a time, each shown as chosen, until the person is done.
func TestSeveralOptionsAreChosen(t *testing.T) {
	q := database
	q.Multi = true
	s, session, told := asks(t, q, object{})
	id := s.prompt(session, "x")
	for i, step := range []struct {
		shown []string
		pick  string
	}{
		{[]string{"q1:1 [ ] SQLite: a file", "q1:2 [ ] Postgres", "q1:3 [ ] Neither", "q1:done Done: none of them"}, "q1:3"},
		{[]string{"q1:done Done: Neither", "q1:1 [ ] SQLite: a file", "q1:2 [ ] Postgres", "q1:3 [x] Neither"}, "q1:1"},
		{[]string{"q1:done Done: SQLite, Neither", "q1:1 [x] SQLite: a file", "q1:2 [ ] Postgres", "q1:3 [x] Neither"}, "q1:3"},
		{[]string{"q1:done Done: SQLite", "q1:1 [x] SQLite: a file", "q1:2 [ ] Postgres", "q1:3 [ ] Neither"}, "q1:2"},
		{[]string{"q1:done Done: SQLite, Postgres", "q1:1 [x] SQLite: a file", "q1:2 [x] Postgres", "q1:3 [ ] Neither"}, "q1:done"},
	} {
		ask := s.asked()
		want := []string{}
		for _, one := range step.shown {
			id, name, _ := strings.Cut(one, " ")
			want = append(want, id+" allow_once "+name)
		}
		if diff := cmp.Diff(names(t, ask), append(want, "q1:cancel reject_once Dismiss")); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
		s.reply(ask, selected(step.pick))
	}
	if got := s.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer.Choice, []string{"q1:1", "q1:2"}); diff != "" {
		t.Error(diff)
	}
}

// A client that consents to all by itself takes the first option that allows, and is
// done with the next; one that chooses the same for ever is not asked for ever.
func TestAClientThatChoosesByItselfComesToAnEnd(t *testing.T) {
	q := database
	q.Multi = true
	for name, c := range map[string]struct {
		pick func(options []string) string
		want event.Answer
		asks int
	}{
		"the first": {func(options []string) string { return options[0] }, event.Answer{Choice: []string{"q1:1"}}, 2},
		"the same":  {func([]string) string { return "q1:2 x" }, event.Answer{Cancelled: true}, 12},
	} {
		s, session, told := asks(t, q, object{})
		id := s.prompt(session, "x")
		for range c.asks {
			ask := s.asked()
			first, _, _ := strings.Cut(c.pick(names(t, ask)), " ")
			s.reply(ask, selected(first))
		}
		if got := s.stopped(id); got != "end_turn" {
			t.Errorf("%s: stopped with %s", name, got)
		}
		if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer, c.want); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAClientMayChooseSeveralAtOnce(t *testing.T) {
	q := database
	q.Multi = true
	s, session, told := asks(t, q, object{})
	id := s.prompt(session, "x")
	answer := selected("q1:3")
	answer["_meta"] = object{"reasonix.io": object{"optionIds": []string{"q1:3", "q1:1", "q9:9"}}}
	s.reply(s.asked(), answer)
	s.stopped(id)
	if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer.Choice, []string{"q1:1", "q1:3"}); diff != "" {
		t.Error(diff)
	}
}

// A client that knows only the kinds means the first option of that kind.
func TestAKindStandsForItsOption(t *testing.T) {
	q := event.Question{ID: "r", Kind: event.AskUnconfined, Call: "c1", Tool: "bash", Title: "make", Body: "make all", Fresh: true, Options: []event.Option{
		{ID: "unconfined_once", Label: "Run it", Kind: event.AllowOnce}, {ID: "allow_write", Label: "Allow", Kind: event.AllowAlways}, {ID: "reject_once", Label: "Deny", Kind: event.RejectOnce},
	}}
	for chosen, want := range map[string]string{"allow_once": "unconfined_once", "allow_always": "allow_write", "allow_write": "allow_write", "reject_once": "reject_once"} {
		s, session, told := asks(t, q, object{})
		id := s.prompt(session, "x")
		s.reply(s.asked(), selected(chosen))
		s.stopped(id)
		if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer.Choice, []string{want}); diff != "" {
			t.Errorf("%s: %s", chosen, diff)
		}
	}
}

// serverAsks is a form of an MCP server.
var serverAsks = event.Question{
	ID: "r1", Kind: event.AskElicitation, Call: "c2", Title: "The MCP server db asks", Body: "Your name?",
	Schema:  json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`),
	Options: []event.Option{{ID: "accept", Label: "Answer", Kind: event.AllowOnce}, {ID: "decline", Label: "Decline", Kind: event.RejectOnce}},
}

func TestAFormOfAServerIsShownByTheClient(t *testing.T) {
	can := object{"elicitation": object{"form": object{}, "url": object{}}}
	for name, c := range map[string]struct {
		result any
		want   event.Answer
	}{
		"accepted":  {object{"action": "accept", "content": object{"name": "Ann"}}, event.Answer{Choice: []string{"accept"}, Data: json.RawMessage(`{"name":"Ann"}`)}},
		"declined":  {object{"action": "decline"}, event.Answer{Choice: []string{"decline"}}},
		"cancelled": {object{"action": "cancel"}, event.Answer{Cancelled: true}},
		"nonsense":  {[]int{1}, event.Answer{Cancelled: true}},
	} {
		s, session, told := asks(t, serverAsks, can)
		id := s.prompt(session, "x")
		ask := s.requested("elicitation/create")
		var got any
		decode(t, ask.Params, &got)
		want := object{
			"sessionId": session, "toolCallId": "c2", "mode": "form", "message": "The MCP server db asks: Your name?",
			"requestedSchema": object{"type": "object", "properties": object{"name": object{"type": "string"}}},
		}
		if diff := cmp.Diff(got, any(want)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		s.reply(ask, c.result)
		s.stopped(id)
		if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer, c.want); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAnAddressOfAServerIsOpenedByTheClient(t *testing.T) {
	q := serverAsks
	q.Schema, q.Body, q.Why = nil, "https://login.example/", "Log in"
	s, session, told := asks(t, q, object{"elicitation": object{"url": object{}}})
	id := s.prompt(session, "x")
	ask := s.requested("elicitation/create")
	var got any
	decode(t, ask.Params, &got)
	want := object{
		"sessionId": session, "toolCallId": "c2", "mode": "url", "message": "The MCP server db asks: Log in",
		"elicitationId": "r1", "url": "https://login.example/",
	}
	if diff := cmp.Diff(got, any(want)); diff != "" {
		t.Error(diff)
	}
	s.reply(ask, object{"action": "accept"})
	s.stopped(id)
	if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer, event.Answer{Choice: []string{"accept"}}); diff != "" {
		t.Error(diff)
	}
	// Whoever shows no addresses can still be asked.
	s, session, told = asks(t, q, object{})
	id = s.prompt(session, "x")
	s.reply(s.asked(), selected("decline"))
	s.stopped(id)
	if diff := cmp.Diff(protocoltest.Wait[event.Answered](t, told, nil).Answer, event.Answer{Choice: []string{"decline"}}); diff != "" {
		t.Error(diff)
	}
}

func TestAFormThatNobodyCanShowIsCancelled(t *testing.T) {
	s, session, told := asks(t, serverAsks, object{})
	if got := s.stopped(s.prompt(session, "x")); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if a := protocoltest.Wait[event.Answered](t, told, nil); !a.Answer.Cancelled {
		t.Errorf("%+v", a)
	}
}

// AC-01: whatever ends a question, the client is told that nobody waits.
func TestAC01AQuestionThatIsClosedIsGivenUp(t *testing.T) {
	form := object{"elicitation": object{"form": object{}}}
	for method, q := range map[string]event.Question{"session/request_permission": database, "elicitation/create": serverAsks} {
		s, session, _ := asks(t, q, form)
		id := s.prompt(session, "x")
		ask := s.requested(method)
		s.write(notification("session/cancel", object{"sessionId": session}))
		if got := s.stopped(id); got != "cancelled" {
			t.Errorf("%s: stopped with %s", method, got)
		}
		var p struct{ RequestID json.RawMessage }
		decode(t, s.requested("$/cancel_request").Params, &p)
		if string(p.RequestID) != string(ask.ID) {
			t.Errorf("%s: gave up %s, asked %s", method, p.RequestID, ask.ID)
		}
		s.refuse(ask, -32800)
		if got := s.stopped(s.cancelledAgain(session)); got != "cancelled" {
			t.Errorf("%s: the next one stopped with %s", method, got)
		}
	}
}

// cancelledAgain prompts and cancels at once.
func (c *client) cancelledAgain(session string) string {
	id, prompt := c.request("session/prompt", said(session, "y"))
	c.write(prompt, notification("session/cancel", object{"sessionId": session}))
	return id
}
