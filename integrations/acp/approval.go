package acp

import (
	"context"

	"reasonix/core/event"
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
			Content: diffs(q.Diffs), RawInput: rawInput(call),
		},
	}
	if q.Reason != "" {
		text := acpwire.TextBlock(q.Reason)
		p.ToolCall.Content = append(p.ToolCall.Content, acpwire.ToolContent{Type: "content", Content: &text})
	}
	for _, o := range q.Options {
		p.Options = append(p.Options, permissionOption(o))
	}
	return p
}

// permissionOption names the rule that an answer would add.
func permissionOption(o event.Option) acpwire.PermissionOption {
	p := acpwire.PermissionOption{ID: o.ID, Name: o.Label, Kind: o.Kind}
	if o.Detail != "" {
		p.Name += ": " + o.Detail
	}
	if p.Kind == "" {
		p.Kind = event.AllowOnce
	}
	return p
}
