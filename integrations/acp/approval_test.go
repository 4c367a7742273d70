package acp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
)

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
					"_meta":   object{"reasonix.io": object{"approvalId": "q", "kind": "permission"}},
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
	for _, m := range s.all() {
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

// A client that shows content and option names alone shows all that the terminal
// does, and no kind its schema does not know.
func TestAPermissionSaysEverything(t *testing.T) {
	q := event.Question{
		ID: "q1", Kind: event.AskPermission, Call: "c1", Title: "a && b", Reason: "to build", Why: "the rule Bash (user) asks",
		Sandbox: "bubblewrap", Fresh: true, Diffs: []event.Diff{{Path: "/w/a", Unified: "-one\n+two\n"}},
		Parts: []event.Part{{Text: "a", Verdict: "allow"}, {Text: "b", Verdict: "ask"}},
		Options: []event.Option{
			{ID: "x", Label: "Always allow", Kind: event.AllowAlways, Detail: "Bash(b:*)", Rules: []string{"Bash(b:*)"}, Example: "b c"},
			{ID: "y", Label: "Of tomorrow", Kind: "allow_for_a_day"},
		},
	}
	s := serve(t, &protocoltest.Fake{Questions: func(string) []event.Question { return []event.Question{q} }})
	id := s.prompt(s.open(t.TempDir()), "x")
	ask := s.asked()
	var got struct {
		ToolCall struct {
			Content []struct{ Content struct{ Text string } }
			Meta    map[string]any `json:"_meta"`
		}
		Options []map[string]string
	}
	decode(t, ask.Params, &got)
	var texts []string
	for _, c := range got.ToolCall.Content {
		texts = append(texts, c.Content.Text)
	}
	want := []string{
		"```diff\n-one\n+two\n```", "to build", "Asked because: the rule Bash (user) asks", "allow: `a`", "ask: `b`", "Held by: bubblewrap",
		"No rule and no earlier answer covers this; it is asked every time.",
	}
	if diff := cmp.Diff(texts, want); diff != "" {
		t.Error(diff)
	}
	options := []map[string]string{
		{"optionId": "x", "name": "Always allow: Bash(b:*) (also: b c)", "kind": "allow_always"},
		{"optionId": "y", "name": "Of tomorrow", "kind": "reject_once"},
	}
	if diff := cmp.Diff(got.Options, options); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got.ToolCall.Meta["reasonix.io"], any(object{
		"approvalId": "q1", "kind": "permission", "held": "bubblewrap", "why": "the rule Bash (user) asks", "fresh": true,
	})); diff != "" {
		t.Error(diff)
	}
	s.reply(ask, selected("x"))
	if got := s.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
}
