package acp

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// newPromptID names a prompt or steer. A client's request ids do not: they begin
// again with every connection, and the same id twice would be one prompt.
func newPromptID() event.PromptID { return event.PromptID("acp-" + rand.Text()) }

// prompt submits a turn; its request is answered when the turn has ended.
func (s *server) prompt(ctx context.Context, req *jsonrpc.Request) error {
	ses, text, err := s.said(req)
	if err != nil {
		return err
	}
	id := newPromptID()
	ses.turns.wait(id, req)
	if err := ses.Submit(ctx, protocol.Prompt{ID: id, Text: text}); err != nil {
		ses.turns.forget(id)
		return submitError(req.Method, err)
	}
	return nil
}

// steer hands a word to the running turn; an idle session refuses it.
func (s *server) steer(ctx context.Context, req *jsonrpc.Request) (any, error) {
	ses, text, err := s.said(req)
	if err != nil {
		return nil, err
	}
	id := newPromptID()
	err = ses.turns.steer(id, func() error {
		return ses.Submit(ctx, protocol.Steer{ID: id, Text: text, IfIdle: protocol.SteerRefuse})
	})
	if err != nil {
		return nil, submitError(req.Method, err)
	}
	return acpwire.SteerResult{Disposition: "steer_accepted"}, nil
}

func (s *server) said(req *jsonrpc.Request) (*session, string, error) {
	var p acpwire.Prompt
	if err := req.Bind(&p); err != nil {
		return nil, "", err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return nil, "", err
	}
	text, err := promptText(req.Method, p.Prompt)
	return ses, text, err
}

// cancel stops whatever runs in a session. That nothing runs is no error.
func (s *server) cancel(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.Cancel
	if err := req.Bind(&p); err != nil {
		return err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return err
	}
	return submitError(req.Method, ses.Submit(ctx, protocol.Cancel{}))
}

// cancelRequest stops the turn of one prompt request. Other requests are answered
// too soon to be worth stopping.
func (s *server) cancelRequest(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.CancelRequest
	if err := req.Bind(&p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.sessions {
		if id, ok := ses.turns.of(p.RequestID); ok {
			return submitError(req.Method, ses.Submit(ctx, protocol.Cancel{Prompt: id}))
		}
	}
	return nil
}

// promptText is a prompt's blocks as one text. What cannot be passed on is
// refused or named, never dropped.
func promptText(method string, blocks []acpwire.ContentBlock) (string, error) {
	var parts []string
	for i, b := range blocks {
		field := fmt.Sprintf("prompt[%d]", i)
		switch {
		case b.Type == "text":
			parts = append(parts, b.Text)
		case b.Type == "resource_link":
			parts = append(parts, fmt.Sprintf("[%s](%s)", b.Name, b.URI))
		case b.Type == "resource" && b.Resource != nil:
			parts = append(parts, resourceText(b.Resource))
		case b.Type == "resource":
			return "", jsonrpc.InvalidParams(method, field+".resource", "it is missing")
		default:
			return "", jsonrpc.InvalidParams(method, field+".type", "blocks of type %q are not supported", b.Type)
		}
	}
	text := strings.Join(parts, "\n\n")
	if strings.TrimSpace(text) == "" {
		return "", jsonrpc.InvalidParams(method, "prompt", "it is empty")
	}
	return text, nil
}

func resourceText(r *acpwire.Resource) string {
	if r.Text == nil {
		return fmt.Sprintf("<resource uri=%q type=%q>not shown: it is not text</resource>", r.URI, r.MIMEType)
	}
	return fmt.Sprintf("<resource uri=%q>\n%s\n</resource>", r.URI, *r.Text)
}
