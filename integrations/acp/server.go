// Package acp is the Agent Client Protocol server: JSON-RPC on one side, Ops and
// Events on the other. It lets an editor open sessions, prompt, steer and cancel,
// and answers its questions through the editor. It sees the contract only,
// nothing of the engine or the loop. commands/acp runs it on standard streams.
package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// Options are what a server is started with.
type Options struct {
	Version string        // of this program
	Spec    protocol.Spec // defaults of every session: model, effort, posture
}

// server is one connection's sessions.
type server struct {
	host protocol.Host
	opts Options
	conn *jsonrpc.Conn

	mu       sync.Mutex
	sessions map[string]*session
	work     sync.WaitGroup
}

// Serve answers one client on r and w until it closes r or ctx ends; every turn
// is then cancelled and every session closed.
func Serve(ctx context.Context, host protocol.Host, opts Options, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{host: host, opts: opts, sessions: map[string]*session{}}
	s.conn = jsonrpc.New(r, w, func(req *jsonrpc.Request) { s.handle(ctx, req) })
	read := make(chan error, 1)
	go func() { read <- s.conn.Serve() }()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
	}
	err = errors.Join(err, s.closeAll())
	cancel()
	s.work.Wait()
	return err
}

func (s *server) closeAll() error {
	s.mu.Lock()
	open := s.sessions
	s.sessions = nil
	s.mu.Unlock()
	var errs []error
	for _, ses := range open {
		errs = append(errs, ses.Close())
		ses.followed.Wait()
	}
	return errors.Join(errs...)
}

// handle runs on the reader's goroutine: a prompt and the cancel right behind it
// are submitted in the order they came. Only opening a session takes long.
func (s *server) handle(ctx context.Context, req *jsonrpc.Request) {
	switch req.Method {
	case "initialize":
		req.Reply(s.initialize(), nil)
	case "session/new":
		s.work.Go(func() { req.Reply(s.open(ctx, req)) })
	case "session/prompt":
		if err := s.prompt(ctx, req); err != nil {
			req.Reply(nil, err)
		}
	case "session/cancel":
		s.cancel(ctx, req)
	case "_reasonix.io/session/steer":
		req.Reply(s.steer(ctx, req))
	default:
		req.Reply(nil, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %s", req.Method))
	}
}

func (s *server) initialize() acpwire.InitializeResult {
	return acpwire.InitializeResult{
		ProtocolVersion: acpwire.Version,
		AgentCapabilities: acpwire.AgentCapabilities{
			PromptCapabilities: acpwire.PromptCapabilities{EmbeddedContext: true},
		},
		AgentInfo:   acpwire.Implementation{Name: "reasonix", Version: s.opts.Version},
		AuthMethods: []acpwire.AuthMethod{{ID: "reasonix-setup", Name: "reasonix setup", Description: "Run 'reasonix setup' in a terminal to store a provider's key"}},
	}
}

// open answers session/new. The client learns the session's id before its first
// update.
func (s *server) open(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var p acpwire.NewSession
	if err := req.Bind(&p); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(p.Cwd) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "session/new: cwd must be an absolute path, got %q", p.Cwd)
	}
	spec := s.opts.Spec
	spec.Workspace, spec.Interactive = filepath.Clean(p.Cwd), true
	opened, err := s.host.Open(ctx, spec)
	if err != nil {
		return nil, openError(err)
	}
	ses := &session{Session: opened, conn: s.conn, waiting: map[event.PromptID]*jsonrpc.Request{}}
	s.mu.Lock()
	closed := s.sessions == nil
	if !closed {
		s.sessions[string(opened.ID())] = ses
	}
	s.mu.Unlock()
	if closed {
		return nil, errors.Join(jsonrpc.ErrClosed, opened.Close())
	}
	ses.followed.Go(func() { ses.follow(context.WithoutCancel(ctx)) })
	return acpwire.NewSessionResult{SessionID: string(opened.ID())}, nil
}

// openError tells a client which of the two things it can do about a session
// that does not open: set credentials up, or ask for something else.
func openError(err error) error {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		switch coded.ExitCode() {
		case 3:
			return jsonrpc.Errorf(-32000, "session/new: %v", err)
		case 2:
			return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "session/new: %v", err)
		}
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "session/new: %v", err)
}

func (s *server) find(method, id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, ok := s.sessions[id]
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: no session %q", method, id)
	}
	return ses, nil
}

// prompt submits a turn; its request is answered when the turn has ended.
func (s *server) prompt(ctx context.Context, req *jsonrpc.Request) error {
	ses, text, err := s.said(req)
	if err != nil {
		return err
	}
	id := event.PromptID(fmt.Sprintf("acp-%s-%s", ses.ID(), req.ID))
	ses.wait(id, req)
	if err := ses.Submit(ctx, protocol.Prompt{ID: id, Text: text}); err != nil {
		ses.unwait(id)
		if errors.Is(err, protocol.ErrBusy) {
			return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "session/prompt: a turn is running in session %s", ses.ID())
		}
		return err
	}
	return nil
}

// steer hands a word to the running turn; an idle session refuses it.
func (s *server) steer(ctx context.Context, req *jsonrpc.Request) (any, error) {
	ses, text, err := s.said(req)
	if err != nil {
		return nil, err
	}
	id := event.PromptID(fmt.Sprintf("acp-steer-%s-%s", ses.ID(), req.ID))
	err = ses.Submit(ctx, protocol.Steer{ID: id, Text: text, IfIdle: protocol.SteerRefuse})
	if errors.Is(err, protocol.ErrStale) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s: no turn is running in session %s", req.Method, ses.ID())
	}
	if err != nil {
		return nil, err
	}
	return map[string]string{"disposition": "steered"}, nil
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

// cancel is a notification: there is nobody to tell that nothing runs.
func (s *server) cancel(ctx context.Context, req *jsonrpc.Request) {
	var p acpwire.Cancel
	if req.Bind(&p) != nil {
		return
	}
	if ses, err := s.find(req.Method, p.SessionID); err == nil {
		_ = ses.Submit(ctx, protocol.Cancel{})
	}
}
