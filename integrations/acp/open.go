package acp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// codeAuthRequired is the protocol's own error code for missing credentials.
const codeAuthRequired = -32000

// setupMethod is the one way to get credentials: in a terminal, not through us.
const setupMethod = "reasonix-setup"

func authMethods() []acpwire.AuthMethod {
	return []acpwire.AuthMethod{{
		ID: setupMethod, Name: "reasonix setup",
		Description: "Run 'reasonix setup' in a terminal: it connects a model and stores its key",
	}}
}

// initialize answers with the one version we speak, whichever was asked for: the
// client decides whether it can.
func (s *server) initialize() acpwire.InitializeResult {
	return acpwire.InitializeResult{
		ProtocolVersion: acpwire.Version,
		AgentCapabilities: acpwire.AgentCapabilities{
			PromptCapabilities: acpwire.PromptCapabilities{EmbeddedContext: true},
			Meta: map[string]any{"reasonix.io": map[string]any{
				"sessionSteer": map[string]string{"method": acpwire.SteerMethod},
			}},
		},
		AgentInfo:   acpwire.Implementation{Name: "reasonix", Version: s.opts.Version},
		AuthMethods: authMethods(),
	}
}

// authenticate has nothing to do: the configuration is read whenever a session is
// opened, and says then whether a key is missing.
func (s *server) authenticate(req *jsonrpc.Request) error {
	var p acpwire.Authenticate
	if err := req.Bind(&p); err != nil {
		return err
	}
	if p.MethodID != setupMethod {
		return jsonrpc.InvalidParams(req.Method, "methodId", "there is no method %q", p.MethodID)
	}
	return nil
}

// open answers session/new. The session is followed before the client learns its
// id: no event of its first turn can be missed.
func (s *server) open(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var p acpwire.NewSession
	if err := req.Bind(&p); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(p.Cwd) {
		return nil, jsonrpc.InvalidParams(req.Method, "cwd", "it must be an absolute path, got %q", p.Cwd)
	}
	if info, err := os.Stat(p.Cwd); err != nil || !info.IsDir() {
		return nil, jsonrpc.InvalidParams(req.Method, "cwd", "%s is not a directory", p.Cwd)
	}
	spec := s.opts.Spec
	spec.Workspace, spec.Interactive = filepath.Clean(p.Cwd), true
	opened, err := s.host.Open(ctx, spec)
	if err != nil {
		return nil, openError(req.Method, err)
	}
	ses := newSession(opened, s.conn)
	ses.followed.Go(func() { ses.follow(context.WithoutCancel(ctx)) })
	<-ses.joined
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[string(opened.ID())] = ses
	return acpwire.NewSessionResult{SessionID: string(opened.ID())}, nil
}

// openError tells a client which of the two things it can do about a session
// that does not open: set it up, or ask for something else
// (docs/architecture.md section 6).
func openError(method string, err error) error {
	e := jsonrpc.Errorf(jsonrpc.CodeInternal, "%s: %v", method, err)
	var coded interface{ ExitCode() int }
	if !errors.As(err, &coded) {
		return e
	}
	switch coded.ExitCode() {
	case 3: // configuration or credentials
		e.Code = codeAuthRequired
		e.Data = map[string]any{"authMethods": authMethods()}
	case 2: // usage
		e.Code = jsonrpc.CodeInvalidParams
	}
	return e
}

// submitError says in the protocol's words why an op was refused.
func submitError(method string, err error) error {
	var bad *protocol.BadOp
	switch {
	case err == nil:
		return nil
	case errors.Is(err, protocol.ErrBusy):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s: a turn is running in this session", method)
	case errors.Is(err, protocol.ErrStale):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s: no turn is running in this session", method)
	case errors.As(err, &bad):
		return jsonrpc.InvalidParams(method, "prompt", "%v", bad)
	}
	return fmt.Errorf("%s: %w", method, err)
}
