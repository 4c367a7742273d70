package acp

import (
	"context"
	"slices"
	"strings"
	"sync"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// session is one open session as its client sees it.
type session struct {
	protocol.Session
	conn     *jsonrpc.Conn
	turns    turns
	joined   chan struct{} // closed once no event can be missed
	followed sync.WaitGroup

	// Only follow's goroutine touches these.
	shown     shown
	calls     map[string]message.ToolCall
	denials   []string
	questions map[event.RequestID]context.CancelFunc
}

func newSession(s protocol.Session, conn *jsonrpc.Conn) *session {
	return &session{
		Session: s, conn: conn, joined: make(chan struct{}),
		calls: map[string]message.ToolCall{}, questions: map[event.RequestID]context.CancelFunc{},
	}
}

// follow turns events into updates until the session closes. Updates, questions
// and the answer to a prompt leave from this one goroutine, so none overtakes
// another.
func (s *session) follow(ctx context.Context) {
	join := sync.OnceFunc(func() { close(s.joined) })
	defer join()
	for env, err := range s.Events(ctx, event.Tail) {
		if err != nil {
			break
		}
		if _, ok := env.Payload.(event.CaughtUp); ok {
			join()
		}
		s.draw(ctx, env.Payload)
	}
	for _, req := range s.turns.rest() {
		req.Reply(acpwire.PromptResult{StopReason: "cancelled"}, nil)
	}
}

func (s *session) draw(ctx context.Context, p event.Payload) {
	switch p := p.(type) {
	case event.UserSaid:
		s.turns.read(p.Prompt)
	case event.TextDelta:
		s.chunk(acpwire.AgentMessage, p.Message, s.shown.text(p.Message, p.Offset, p.Text))
	case event.ReasoningDelta:
		s.chunk(acpwire.AgentThought, p.Message, s.shown.thought(p.Message, p.Offset, p.Text))
	case event.Replied:
		s.replied(p.Message)
	case event.ToolStarted:
		s.started(p)
	case event.ToolFinished:
		s.finished(p)
	case event.Folded:
		s.folded(p)
	case event.Asked:
		s.ask(ctx, p.Question)
	case event.Answered:
		s.answered(p.ID)
	case event.TurnEnded:
		s.ended(ctx, p)
	default: // the rest has no word in this protocol
	}
}

// update sends one session/update. When the client is gone, the server ends.
func (s *session) update(u any) {
	_ = s.conn.Notify("session/update", acpwire.Update{SessionID: string(s.ID()), Update: u})
}

func (s *session) chunk(kind string, id message.ID, text string) {
	if text == "" {
		return
	}
	s.update(acpwire.Chunk{SessionUpdate: kind, MessageID: string(id), Content: acpwire.TextBlock(text)})
}

// replied brings what deltas did not, and announces the calls.
func (s *session) replied(m message.Message) {
	s.chunk(acpwire.AgentMessage, m.ID, s.shown.rest(m))
	for _, c := range m.ToolCalls {
		s.calls[c.ID] = c
		s.update(acpwire.ToolCall{
			SessionUpdate: acpwire.ToolCallBegun, ID: c.ID, Title: c.Name, Name: c.Name, Kind: kindOf(c.Name),
			Status: "pending", RawInput: rawInput(c),
		})
	}
}

// ended answers the prompt whose turn this was.
func (s *session) ended(ctx context.Context, p event.TurnEnded) {
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
		req.Reply(nil, turnError(req.Method, p))
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
func turnError(method string, p event.TurnEnded) error {
	line, _, _ := strings.Cut(p.Detail, "\n")
	if line == "" {
		line = string(p.Outcome)
	}
	data := map[string]any{"outcome": p.Outcome}
	if p.Reason != "" {
		data["reason"] = p.Reason
	}
	if f := p.Failure; f != nil {
		data["status"], data["phase"], data["retryable"] = f.Status, f.Phase, f.Retryable
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: method + ": " + line, Data: data}
}

// shown is how much of a reply the client was sent. A slow reader may be owed
// deltas it never gets: text goes on where it was as soon as the whole is there.
type shown struct {
	message       message.ID
	texts, thinks int // bytes
}

func (s *shown) begin(id message.ID) {
	if s.message != id {
		*s = shown{message: id}
	}
}

func (s *shown) text(id message.ID, offset int, text string) string {
	s.begin(id)
	return further(&s.texts, offset, text)
}

func (s *shown) thought(id message.ID, offset int, text string) string {
	s.begin(id)
	return further(&s.thinks, offset, text)
}

// rest is what of a whole reply's text was not sent.
func (s *shown) rest(m message.Message) string {
	s.begin(m.ID)
	return further(&s.texts, 0, m.Content)
}

// further is the part of text, which lies at offset, behind the first *sent
// bytes. It is empty when bytes between them are missing.
func further(sent *int, offset int, text string) string {
	skip := *sent - offset
	if skip < 0 || skip >= len(text) {
		return ""
	}
	*sent = offset + len(text)
	return text[skip:]
}
