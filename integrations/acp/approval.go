package acp

import (
	"context"
	"strings"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// ask puts a question to the client's user, right behind the call it is about,
// and passes the answer on. A client can only choose: a question without options
// is answered with nothing.
func (s *session) ask(ctx context.Context, q event.Question) {
	if len(q.Options) == 0 {
		s.answer(ctx, q.ID, event.Answer{Cancelled: true})
		return
	}
	call, err := s.conn.Call("session/request_permission", s.permission(q))
	if err != nil {
		s.answer(ctx, q.ID, event.Answer{Cancelled: true})
		return
	}
	waiting, stop := context.WithCancel(ctx)
	s.questions[q.ID] = stop
	s.followed.Go(func() {
		defer stop()
		if a, ok := chosen(waiting, call); ok {
			s.answer(ctx, q.ID, a)
		}
	})
}

// answered gives up a question that is closed, be it by its own answer.
func (s *session) answered(id event.RequestID) {
	if stop := s.questions[id]; stop != nil {
		stop()
		delete(s.questions, id)
	}
}

// chosen waits for the client's user; false when the question was closed first.
// Anything but a choice, an error or a client that left, is no consent.
func chosen(ctx context.Context, call *jsonrpc.Call) (event.Answer, bool) {
	var got acpwire.PermissionResult
	err := call.Wait(ctx, &got)
	if ctx.Err() != nil {
		return event.Answer{}, false
	}
	if err != nil || got.Outcome.Outcome != "selected" {
		return event.Answer{Cancelled: true}, true
	}
	return event.Answer{Choice: []string{got.Outcome.OptionID}}, true
}

func (s *session) answer(ctx context.Context, id event.RequestID, a event.Answer) {
	// ErrStale: the turn ended meanwhile; ErrClosed: so did the session.
	_ = s.Submit(ctx, protocol.Answer{ID: id, Answer: a})
}

func (s *session) permission(q event.Question) acpwire.RequestPermission {
	call := s.calls[q.Call]
	p := acpwire.RequestPermission{
		SessionID: string(s.ID()),
		ToolCall: acpwire.ToolCall{
			ID: q.Call, Title: q.Title, Name: call.Name, Kind: kindOf(call.Name), Status: "pending",
			Content: append(diffs(q.Diffs), words(q)...), RawInput: rawInput(call), Meta: meta("held", q.Sandbox, "why", q.Why),
		},
	}
	for _, o := range q.Options {
		p.Options = append(p.Options, permissionOption(o))
	}
	return p
}

// words are what a person must read before an answer, a paragraph each: a client
// may show nothing but the content.
func words(q event.Question) []acpwire.ToolContent {
	var all []acpwire.ToolContent
	add := func(before, text, after string) {
		if text != "" {
			all = append(all, textContent(before+text+after))
		}
	}
	for _, d := range q.Diffs {
		if d.New == nil {
			add("```diff\n", strings.ReplaceAll(d.Unified, "```", "` ` `"), "```")
		}
	}
	if q.Kind == event.AskUnconfined || q.Kind == event.AskQuestion {
		add("", q.Body, "")
	}
	add("", q.Reason, "")
	add("", sentence("question.why", q.Why), "")
	for _, part := range q.Parts {
		add(part.Verdict+": `", part.Text, "`")
	}
	add("", sentence("question.held", q.Sandbox), "")
	if q.Fresh {
		add("", i18n.T(i18n.English, "question.fresh"), "")
	}
	return all
}

// sentence says text in words that every front end uses; empty stays empty.
func sentence(key, text string) string {
	if text == "" {
		return ""
	}
	return i18n.T(i18n.English, key, text)
}

// permissionOption names the rules that an answer would add, and what else they
// allow. A kind of a newer version is shown as one that grants nothing.
func permissionOption(o event.Option) acpwire.PermissionOption {
	p := acpwire.PermissionOption{ID: o.ID, Name: o.Label, Kind: o.Kind}
	if o.Detail != "" {
		p.Name += ": " + o.Detail
	}
	if o.Example != "" {
		p.Name += " (also: " + o.Example + ")"
	}
	switch p.Kind {
	case event.AllowOnce, event.AllowAlways, event.RejectOnce, event.RejectAlways:
	case "":
		p.Kind = event.AllowOnce
	default:
		p.Kind = event.RejectOnce
	}
	return p
}
