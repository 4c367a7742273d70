package acp

import (
	"context"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// compact makes the conversation smaller, at once or before the next request of the
// running turn. Updates say what became of it.
func (s *server) compact(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.Compact
	if err := req.Bind(&p); err != nil {
		return err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return err
	}
	return submitError(req.Method, ses.Submit(ctx, protocol.Compact{Focus: p.Focus}))
}

// rewind moves the end of the conversation, puts files back, or both. Its answer says
// what was done; it is found behind the newest record of before. One rewind of a session
// waits for another, or both would find the same record.
func (s *server) rewind(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var p acpwire.Rewind
	if err := req.Bind(&p); err != nil {
		return nil, err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return nil, err
	}
	if p.To == "" {
		return nil, jsonrpc.InvalidParams(req.Method, "to", "it must be the id of a message")
	}
	op := protocol.Rewind{To: message.ID(p.To), Conversation: p.Conversation == nil || *p.Conversation, Files: p.Files}
	var last event.Seq
	select {
	case last = <-ses.rewinds:
		defer func() { ses.rewinds <- last }()
	case <-ctx.Done():
		return nil, s.internal(req.Method, ctx.Err())
	}
	last = max(last, ses.status.now().Last)
	if err := submitError(req.Method, ses.Submit(ctx, op)); err != nil {
		return nil, err
	}
	// It happens now, whoever waits for it.
	for env, err := range ses.Events(context.WithoutCancel(ctx), last) {
		if err != nil {
			return nil, s.internal(req.Method, err)
		}
		if done, ok := env.Payload.(event.Rewound); ok {
			last = env.Seq
			return rewound(done), nil
		}
	}
	return nil, submitError(req.Method, protocol.ErrClosed)
}

func rewound(done event.Rewound) acpwire.Rewound {
	r := acpwire.Rewound{Head: string(done.Head), Was: string(done.Was), Restored: []string{}, Kept: []acpwire.KeptFile{}}
	for _, f := range done.Files {
		r.Restored = append(r.Restored, f.Path)
	}
	for _, k := range done.Kept {
		r.Kept = append(r.Kept, acpwire.KeptFile{Path: k.Path, Reason: k.Reason})
	}
	return r
}

// fork opens a copy of a session, here or at rest, and answers as session/new does.
func (s *server) fork(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.Fork
	if err := req.Bind(&p); err != nil {
		return err
	}
	here := s.sessions.find(p.SessionID)
	if p.Cwd == "" && here != nil {
		p.Cwd = here.spec.Workspace
	}
	if p.Cwd == "" {
		in, ok, err := s.stored(ctx, req.Method, p.SessionID)
		if err != nil {
			return err
		}
		if !ok {
			return notFound(req.Method, p.SessionID)
		}
		p.Cwd = in.Workspace
	}
	spec, err := s.specOf(req.Method, p.OpenSession)
	if err != nil {
		return err
	}
	p.Meta.Relocate = false
	if here == nil {
		if spec, err = s.again(ctx, req.Method, p.OpenSession, spec); err != nil {
			return err
		}
	} else if !samePlace(here.spec.Workspace, spec.Workspace) {
		return wrongCwd(req.Method, p.SessionID, here.spec.Workspace)
	}
	spec.Session, spec.Fork = "", protocol.Fork{Session: event.SessionID(p.SessionID), At: event.Seq(p.At)}
	return s.start(ctx, req, p.OpenSession, spec)
}
