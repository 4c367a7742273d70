package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// session is one open session and the requests that wait for its turns.
type session struct {
	protocol.Session
	conn     *jsonrpc.Conn
	followed sync.WaitGroup

	mu      sync.Mutex
	waiting map[event.PromptID]*jsonrpc.Request

	// Only follow's goroutine touches these.
	calls     map[string]message.ToolCall
	denials   []string
	questions map[event.RequestID]context.CancelFunc
}

func (s *session) wait(id event.PromptID, req *jsonrpc.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = req
}

func (s *session) unwait(id event.PromptID) *jsonrpc.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	req := s.waiting[id]
	delete(s.waiting, id)
	return req
}

// follow turns events into updates until the session closes. Updates and the
// answer to a prompt leave from this one goroutine, so an answer never overtakes
// an update of its turn.
func (s *session) follow(ctx context.Context) {
	s.calls = map[string]message.ToolCall{}
	s.questions = map[event.RequestID]context.CancelFunc{}
	for env, err := range s.Events(ctx, event.Tail) {
		if err != nil {
			return
		}
		s.draw(ctx, env.Payload)
	}
}

func (s *session) draw(ctx context.Context, p event.Payload) {
	switch p := p.(type) {
	case event.TextDelta:
		s.chunk("agent_message_chunk", p.Text)
	case event.ReasoningDelta:
		s.chunk("agent_thought_chunk", p.Text)
	case event.Replied:
		s.announce(p.Message.ToolCalls)
	case event.ToolStarted:
		s.update(acpwire.ToolCall{
			SessionUpdate: "tool_call_update", ID: p.Call, Title: p.Title, Kind: p.Kind, Status: "in_progress", Locations: locations(p.Paths),
		})
	case event.ToolFinished:
		s.finished(p)
	case event.Asked:
		s.ask(ctx, p.Question)
	case event.Answered:
		if stop := s.questions[p.ID]; stop != nil {
			stop()
			delete(s.questions, p.ID)
		}
	case event.TurnEnded:
		s.ended(p)
	default: // the rest has no word in this protocol yet
	}
}

// update sends one session/update. A client that is gone ends the reader.
func (s *session) update(u any) {
	_ = s.conn.Notify("session/update", acpwire.Update{SessionID: string(s.ID()), Update: u})
}

func (s *session) chunk(kind, text string) {
	s.update(acpwire.Chunk{SessionUpdate: kind, Content: acpwire.ContentBlock{Type: "text", Text: text}})
}

func (s *session) announce(calls []message.ToolCall) {
	for _, c := range calls {
		s.calls[c.ID] = c
		u := acpwire.ToolCall{SessionUpdate: "tool_call", ID: c.ID, Title: c.Name, Status: "pending"}
		if json.Valid([]byte(c.Arguments)) {
			u.RawInput = json.RawMessage(c.Arguments)
		}
		s.update(u)
	}
}

func (s *session) finished(p event.ToolFinished) {
	u := acpwire.ToolCall{
		SessionUpdate: "tool_call_update", ID: p.Call, Title: p.Title, Status: "completed",
		RawOutput: map[string]any{"output": p.Message.Content},
	}
	if p.Status != event.StatusOK {
		u.Status = "failed"
	}
	if p.Status == event.StatusDenied {
		s.denials = append(s.denials, p.Title+": "+p.Reason)
	}
	for _, d := range p.Diffs {
		if d.New != nil {
			u.Content = append(u.Content, acpwire.ToolContent{Type: "diff", Path: d.Path, OldText: d.Old, NewText: d.New})
		}
	}
	if len(u.Content) == 0 {
		text := acpwire.ContentBlock{Type: "text", Text: p.Message.Content}
		u.Content = []acpwire.ToolContent{{Type: "content", Content: &text}}
	}
	delete(s.calls, p.Call)
	s.update(u)
}

func locations(paths []string) []acpwire.Location {
	var all []acpwire.Location
	for _, p := range paths {
		all = append(all, acpwire.Location{Path: p})
	}
	return all
}

// ask puts a question to the client's user and passes the answer on.
func (s *session) ask(ctx context.Context, q event.Question) {
	ctx, stop := context.WithCancel(ctx)
	s.questions[q.ID] = stop
	req := acpwire.RequestPermission{SessionID: string(s.ID()), ToolCall: acpwire.ToolCall{ID: q.Call, Title: q.Title, Status: "pending"}}
	if c, ok := s.calls[q.Call]; ok && json.Valid([]byte(c.Arguments)) {
		req.ToolCall.RawInput = json.RawMessage(c.Arguments)
	}
	for _, o := range q.Options {
		req.Options = append(req.Options, acpwire.PermissionOption{ID: o.ID, Name: o.Label, Kind: o.Kind})
	}
	s.followed.Go(func() {
		defer stop()
		s.answer(ctx, q.ID, req)
	})
}

func (s *session) answer(ctx context.Context, id event.RequestID, req acpwire.RequestPermission) {
	a := event.Answer{Cancelled: true}
	var got acpwire.PermissionResult
	if err := s.conn.Call(ctx, "session/request_permission", req, &got); err == nil && got.Outcome.Outcome == "selected" {
		a = event.Answer{Choice: []string{got.Outcome.OptionID}}
	}
	// ErrStale: the turn ended meanwhile; ErrClosed: so did the session.
	_ = s.Submit(context.WithoutCancel(ctx), protocol.Answer{ID: id, Answer: a})
}

// ended answers the prompt whose turn this was.
func (s *session) ended(p event.TurnEnded) {
	denials := s.denials
	s.denials = nil
	req := s.unwait(p.Prompt)
	if req == nil {
		return
	}
	if stop := stopReason(p); stop != "" {
		res := acpwire.PromptResult{StopReason: stop}
		if len(denials) > 0 {
			res.Meta = map[string]any{"reasonix.io": map[string]any{"outcome": p.Outcome, "denials": denials}}
		}
		req.Reply(res, nil)
		return
	}
	data := map[string]any{"outcome": p.Outcome}
	if f := p.Failure; f != nil {
		data["status"], data["phase"], data["retryable"] = f.Status, f.Phase, f.Retryable
	}
	req.Reply(nil, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "session/prompt: " + firstLine(p.Detail), Data: data})
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

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// promptText is a prompt's blocks as one text.
func promptText(method string, blocks []acpwire.ContentBlock) (string, error) {
	var parts []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			parts = append(parts, b.Text)
		case "resource_link":
			parts = append(parts, fmt.Sprintf("[%s](%s)", b.Name, b.URI))
		case "resource":
			if b.Resource == nil {
				return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: a resource block has no resource", method)
			}
			parts = append(parts, fmt.Sprintf("<resource uri=%q>\n%s\n</resource>", b.Resource.URI, b.Resource.Text))
		default:
			return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: prompt blocks of type %q are not supported", method, b.Type)
		}
	}
	text := strings.Join(parts, "\n\n")
	if strings.TrimSpace(text) == "" {
		return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: the prompt is empty", method)
	}
	return text, nil
}
