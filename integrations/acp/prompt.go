package acp

import (
	"context"
	"crypto/rand"

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
	ses, in, err := s.read(req)
	if err != nil {
		return err
	}
	id := newPromptID()
	ses.turns.wait(id, req)
	if err := ses.Submit(ctx, protocol.Prompt{ID: id, Text: in.Text, Data: in.Data, Images: in.Images}); err != nil {
		ses.turns.forget(id)
		return submitError(req.Method, err)
	}
	return nil
}

// read takes the session and the words out of a prompt or a steer.
func (s *server) read(req *jsonrpc.Request) (*session, input, error) {
	var p acpwire.Prompt
	if err := req.Bind(&p); err != nil {
		return nil, input{}, err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return nil, input{}, err
	}
	in, err := blocks(req.Method, ses.spec.Workspace, p.Prompt)
	return ses, in, err
}

// cancel stops whatever runs in a session, and what waits to run there. That nothing does
// is no error.
func (s *server) cancel(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.Cancel
	if err := req.Bind(&p); err != nil {
		return err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return err
	}
	return submitError(req.Method, ses.Submit(ctx, protocol.Cancel{All: true}))
}

// cancelRequest stops the turn of one prompt request; what is served beside, cancelBeside
// stops.
func (s *server) cancelRequest(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.CancelRequest
	if err := req.Bind(&p); err != nil {
		return err
	}
	for _, ses := range s.sessions.all() {
		if id, ok := ses.turns.of(p.RequestID); ok {
			return submitError(req.Method, ses.Submit(ctx, protocol.Cancel{Prompt: id}))
		}
	}
	return nil
}
