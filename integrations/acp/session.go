package acp

import (
	"context"
	"slices"
	"strings"
	"sync"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// client is whom a session is for: what it can and wants, and how it is spoken to.
type client struct {
	can         acpwire.ClientCapabilities
	lang        string  // of people; empty is English
	home        string  // of the user, which errors do not show
	lent        *lender // what it lends; nil: nothing
	wantsStatus bool    // it is to be told
	authMethods []acpwire.AuthMethod
}

// session is one open session as its client sees it.
type session struct {
	protocol.Session
	client
	conn     *jsonrpc.Conn
	host     protocol.Host
	spec     protocol.Spec // what it was opened with
	turns    turns
	steers   steers
	rewinds  chan event.Seq // holds the record of the newest rewind, unless one is under way
	status   status
	changing sync.Mutex    // held by the change that is being submitted
	asks     chan func()   // what follow's goroutine is to do between two events
	gone     chan struct{} // closed when it does nothing more
	followed sync.WaitGroup
	drawing  *drawing // only follow's goroutine touches it
}

func newSession(s protocol.Session, conn *jsonrpc.Conn, host protocol.Host, spec protocol.Spec, of client) *session {
	rewinds := make(chan event.Seq, 1)
	rewinds <- 0
	ses := &session{
		Session: s, client: of, conn: conn, host: host, spec: spec, rewinds: rewinds, asks: make(chan func()), gone: make(chan struct{}),
	}
	ses.drawing = newDrawing(ses, ses.ended)
	return ses
}

// ended answers the prompt whose turn this was.
func (s *session) ended(ctx context.Context, p event.TurnEnded) {
	s.status.ended(p)
	s.tellStatus(ctx, ending(p))
	req, late, moved := s.turns.end(p.Prompt, s.status.now().Running != "")
	if p.Outcome == event.Cancelled {
		// Whoever cancels a turn wants none of its steers played either. The
		// first of them runs already; the last is stopped first.
		for _, id := range slices.Backward(late) {
			_ = s.Submit(ctx, protocol.Cancel{Prompt: id}) // ErrClosed: then it is stopped
		}
	}
	denials := s.drawing.denied(moved)
	if req == nil {
		return
	}
	stop := stopReason(p)
	if stop == "" {
		req.Reply(nil, s.turnError(req.Method, p))
		return
	}
	res := acpwire.PromptResult{StopReason: stop}
	if p.Outcome != event.Completed || len(denials) > 0 {
		meta := map[string]any{"outcome": p.Outcome}
		if p.Reason != "" {
			meta["reason"] = p.Reason
		}
		if len(denials) > 0 {
			meta["denials"] = denials
		}
		res.Meta = ours(meta)
	}
	req.Reply(res, nil)
}

// stopReason is the protocol's word for an outcome, empty for an error
// (docs/architecture.md section 6).
func stopReason(p event.TurnEnded) string {
	switch p.Outcome {
	case event.Completed, event.Denied:
		return "end_turn"
	case event.Cut:
		return "max_tokens"
	case event.Refused:
		return "refusal"
	case event.Limit:
		return "max_turn_requests"
	case event.Cancelled:
		return "cancelled"
	case event.Provider, event.Stalled, event.Internal:
	}
	return ""
}

// refusedKey is the kind of failure of an endpoint that refuses the key, or wants one.
const refusedKey = "auth"

// turnError is a turn that failed: one line for people, the rest as data.
func (s *session) turnError(method string, p event.TurnEnded) error {
	line, _, _ := strings.Cut(p.Detail, "\n")
	if line == "" {
		line = string(p.Outcome)
	}
	data := map[string]any{"outcome": p.Outcome}
	if p.Reason != "" {
		data["reason"] = p.Reason
	}
	if p.Outcome == backgroundFailed {
		data["job"] = p.Reason
	}
	code := jsonrpc.CodeInternal
	if f := p.Failure; f != nil {
		data["status"], data["phase"], data["retryable"] = f.Status, f.Phase, f.Retryable
		if f.Kind == refusedKey {
			code, data["authMethods"] = codeAuthRequired, s.authMethods
		}
	}
	return &jsonrpc.Error{Code: code, Message: method + ": " + withoutHome(s.home, line), Data: data}
}
