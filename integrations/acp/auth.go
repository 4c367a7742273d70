package acp

import (
	"context"

	"reasonix/core/i18n"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// setupMethod is the one way to get credentials: in a terminal, not through us.
const setupMethod = "reasonix-setup"

// authMethods are what a client can offer its user. One that can start us in a terminal
// does so with these arguments behind its own; to others it is words.
func (s *server) authMethods() []acpwire.AuthMethod {
	m := acpwire.AuthMethod{
		ID: setupMethod, Name: "reasonix setup", Description: i18n.T(s.opts.Lang, "acp.setup"),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inTerminal {
		m.Type, m.Args = "terminal", []string{"setup"}
	}
	return []acpwire.AuthMethod{m}
}

// initialize answers with the one version we speak, whichever was asked for: the
// client decides whether it can.
func (s *server) initialize(_ context.Context, req *jsonrpc.Request) (any, error) {
	var p acpwire.Initialize
	if err := req.Bind(&p); err != nil {
		return nil, err
	}
	ours, _ := p.ClientCapabilities.Meta["reasonix.io"].(map[string]any)
	wants, _ := ours["statusUpdate"].(bool)
	s.mu.Lock()
	s.can, s.is, s.wantsStatus = p.ClientCapabilities.ClientCapabilities, p.ClientInfo, wants
	s.inTerminal = p.ClientCapabilities.Auth.Terminal
	s.mu.Unlock()
	return acpwire.InitializeResult{
		ProtocolVersion: acpwire.Version, AgentCapabilities: capabilities(),
		AgentInfo:   acpwire.Implementation{Name: "reasonix", Version: s.opts.Version},
		AuthMethods: s.authMethods(),
	}, nil
}

// capabilities are what is served, ours under _meta.
func capabilities() acpwire.AgentCapabilities {
	yes := &struct{}{}
	method := func(name string) map[string]string { return map[string]string{"method": name} }
	return acpwire.AgentCapabilities{
		LoadSession:         true,
		PromptCapabilities:  acpwire.PromptCapabilities{Image: true, EmbeddedContext: true},
		SessionCapabilities: acpwire.SessionCapabilities{List: yes, Resume: yes, Close: yes, Delete: yes},
		MCPCapabilities:     acpwire.MCPCapabilities{HTTP: true, SSE: true},
		Meta: ours(map[string]any{
			"sessionSteer":        method(acpwire.SteerMethod),
			"sessionStatus":       map[string]any{"method": acpwire.StatusMethod, "schemaVersion": statusVersion},
			"sessionStatusUpdate": map[string]any{"method": acpwire.StatusUpdateMethod, "schemaVersion": statusVersion},
			"sessionCompact":      method(acpwire.CompactMethod),
			"sessionRewind":       method(acpwire.RewindMethod),
			"sessionFork":         method(acpwire.ForkMethod),
		}),
	}
}

// authenticate has nothing to do: the configuration is read whenever a session is
// opened, and says then whether a key is missing.
func (s *server) authenticate(_ context.Context, req *jsonrpc.Request) error {
	var p acpwire.Authenticate
	if err := req.Bind(&p); err != nil {
		return err
	}
	if p.MethodID != setupMethod {
		return jsonrpc.InvalidParams(req.Method, "methodId", "there is no method %q", p.MethodID)
	}
	return nil
}
