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

// session is one open session as its client sees it.
type session struct {
	protocol.Session
	conn        *jsonrpc.Conn
	host        protocol.Host
	spec        protocol.Spec // what it was opened with
	home        string        // of the user, which errors do not show
	wantsStatus bool          // its client is to be told
	turns       turns
	steers      steers
	rewinds     chan event.Seq // holds the record of the newest rewind, unless one is under way
	status      status
	followed    sync.WaitGroup
	drawing     // only follow's goroutine touches it
}

func newSession(s protocol.Session, conn *jsonrpc.Conn, host protocol.Host, spec protocol.Spec) *session {
	rewinds := make(chan event.Seq, 1)
	rewinds <- 0
	return &session{Session: s, conn: conn, host: host, spec: spec, rewinds: rewinds, drawing: newDrawing()}
}

// follow turns events into updates until the session closes. Updates, questions
// and the answers to prompts and steers leave from this one goroutine, so none
// overtakes another. joined is called, once, as soon as the past is known, or with what
// keeps it from being known: what comes before it is shown by past alone, which may be
// nil, and what the client must not hear before the answer to its request comes behind
// it.
func (s *session) follow(ctx context.Context, past *replay, joined func(error)) {
	var fault error
	join := sync.OnceFunc(func() { joined(fault) })
	defer join()
	var caughtUp, live bool
	var held []event.Envelope
	for env, err := range s.Events(ctx, 0) {
		if fault = err; err != nil {
			break
		}
		if _, is := env.Payload.(event.CaughtUp); is {
			caughtUp = true
			past.end()
		}
		s.status.apply(env)
		switch {
		case live:
			s.draw(ctx, env)
			s.told(ctx, env)
			continue
		case !caughtUp:
			if past != nil {
				past.show(env)
			}
			continue
		}
		held = append(held, env)
		if live = s.settled(env.Payload); !live {
			continue
		}
		join()
		for _, e := range held {
			s.draw(ctx, e)
			s.told(ctx, e)
		}
		held = nil
	}
	for _, req := range s.turns.rest() {
		req.Reply(acpwire.PromptResult{StopReason: "cancelled"}, nil)
	}
	s.steers.rest()
	s.status.over()
	s.undraw()
}

// settled reports whether p is the last of what a reader is told of the present that
// the answer to who opened the session needs: what can be chosen in it.
func (s *session) settled(p event.Payload) bool {
	switch p.(type) {
	case event.CaughtUp:
		return s.host.Catalog == nil // nobody offers anything
	case event.Offered:
		return true
	default:
		return false
	}
}

// told does with an event what is no update of the protocol: it answers steers and
// tells a client that asked for it the new status.
func (s *session) told(ctx context.Context, e event.Envelope) {
	s.steers.seen(e, s.status.now().Running != "")
	s.status.changed()
	if _, ended := e.Payload.(event.TurnEnded); !ended { // that was told before the answer
		s.tellStatus(ctx, changedBy(e.Payload))
	}
}

// update sends one session/update. When the client is gone, the server ends.
func (s *session) update(u any) {
	if c, ok := u.(acpwire.Chunk); ok {
		_ = s.conn.Notify("session/update", &acpwire.ChunkUpdate{SessionID: string(s.ID()), Chunk: c})
		return
	}
	_ = s.conn.Notify("session/update", acpwire.Update{SessionID: string(s.ID()), Update: u})
}

// ended answers the prompt whose turn this was.
func (s *session) ended(ctx context.Context, p event.TurnEnded) {
	s.status.ended(p)
	s.tellStatus(ctx, ending(p))
	req, late := s.turns.end(p.Prompt)
	if p.Outcome == event.Cancelled {
		// Whoever cancels a turn wants none of its steers played either. The
		// first of them runs already; the last is stopped first.
		for _, id := range slices.Backward(late) {
			_ = s.Submit(ctx, protocol.Cancel{Prompt: id}) // ErrClosed: then it is stopped
		}
	}
	if req == nil {
		return
	}
	denials := s.denials
	s.denials = nil
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
		res.Meta = map[string]any{"reasonix.io": meta}
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
	if f := p.Failure; f != nil {
		data["status"], data["phase"], data["retryable"] = f.Status, f.Phase, f.Retryable
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: method + ": " + withoutHome(s.home, line), Data: data}
}
