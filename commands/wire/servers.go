package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// servers are the MCP servers of one session: they run beside it, and give it tools,
// commands and references. Safe for concurrent use.
type servers struct {
	set      *mcp.Set
	declared *declared
	changes  *bell
	grace    time.Duration // that those that are starting are given
	run      sandbox.Runner
	emit     func(event.Payload) error
}

// serve adds the MCP servers: it starts those of the configuration and those that the
// front end brought along, and gives those whose tools nobody knows a short while to
// come up. user runs what is not confined.
func (w builder) serve(ctx context.Context, o *engine.Organs, c choice, b bench, user sandbox.Runner, s engine.Services, ends *endings) *servers {
	configs, notices := serverConfigs(c.cfg)
	for _, spec := range c.spec.Servers {
		configs = slices.DeleteFunc(configs, func(c mcp.Config) bool { return c.Name == spec.Name })
		configs = append(configs, broughtAlong(spec))
	}
	all := &servers{
		declared: declare(c.cfg), changes: newBell(), run: b.Run, emit: s.Emit,
		grace: time.Duration(c.cfg.Tools.MCPStartGraceSeconds) * time.Second,
	}
	world := w.serverWorld(c.cfg, b.Files, c.cfg.ServerEnviron(b.Settings.Environ), runners{accounting{b.Run, s.Emit}, accounting{user, s.Emit}}, c.spec.Workspace)
	world.Roots, world.Ask, world.Emit, world.Sample = b.Files.Writable()[:1], s.Ask, all.tell, sampler{c.models, s.Emit}.sample
	all.set = mcp.Start(world, configs)
	ends.add(all.set.Close)
	all.set.Wait(ctx, all.grace)
	o.Notices = append(o.Notices, notices...)
	o.Server, o.Trust = all.obey, grants{w.World, c.cfg, c.kept, all.granted}.serve
	return all
}

// tell takes what happens to the servers.
func (s *servers) tell(p event.Payload) error {
	err := s.emit(p)
	if _, ok := p.(event.ServerChanged); ok {
		s.changes.ring()
	}
	return err
}

// settle gives all that are starting a short while to come up, and says on whom it
// waits.
func (s *servers) settle(ctx context.Context) error {
	patience := time.NewTimer(s.grace)
	defer patience.Stop()
	for told := false; ; told = true {
		changed := s.changes.next()
		waiting := s.starting()
		if len(waiting) == 0 {
			return nil
		}
		if !told {
			if err := s.emit(event.Phase{Name: event.PhaseStarting, Detail: "MCP servers: " + strings.Join(waiting, ", ")}); err != nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-patience.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *servers) starting() []string {
	var names []string
	for _, st := range s.set.States() {
		if st.State == event.ServerStarting {
			names = append(names, config.Printable(st.Name))
		}
	}
	return names
}

// tellUntrusted says which servers wait for the user's grant.
func (s *servers) tellUntrusted() error {
	for _, p := range s.declared.waiting() {
		if err := s.emit(event.ServerChanged{Name: config.Printable(serverName(p)), State: event.ServerUntrusted, Detail: "declared by this project; `" + p.TrustCommand() + "` lets it start"}); err != nil {
			return err
		}
	}
	return nil
}

// obey does what an op asks of a server.
func (s *servers) obey(op protocol.Server) error {
	bad := func(field, reason string) error {
		return &protocol.BadOp{Op: "Server", Field: field, Reason: reason}
	}
	if op.Add != nil {
		if err := s.set.Add(broughtAlong(*op.Add)); err != nil {
			return bad("Add", err.Error())
		}
		return nil
	}
	if _, err := s.set.Submit(op.Name, op.Action); err != nil { // ServerChanged says how it ends
		return bad("Action", err.Error())
	}
	return nil
}

// granted starts a server that the user let start now.
func (s *servers) granted(c config.Server) error {
	s.declared.granted(c)
	return s.set.Add(ServerConfig(c))
}

// remote is what the policy knows of a server's tool.
func (s *servers) remote(name string) permission.Remote {
	destructive, readOnly, server, raw, ok := s.set.Approval(name)
	if !ok {
		return permission.Remote{}
	}
	r := permission.Remote{Server: server, Tool: raw, Destructive: destructive, ReadOnly: readOnly, Mode: permission.RemoteApprove}
	if c, known := s.declared.server(server); known {
		r.Mode, r.Review = permission.ApprovalMode(c.ApprovalMode(raw)), c.ApprovalsReviewer
	}
	return r
}

// act does to a server what a person asks in words, and says how it is then. What cannot
// be done is an error; a server that does not start is not the person's.
func (s *servers) act(ctx context.Context, words string) (string, error) {
	action, name, _ := strings.Cut(words, " ")
	name = strings.TrimSpace(name)
	if name == "" || !slices.Contains([]string{protocol.ServerConnect, protocol.ServerDisconnect, protocol.ServerRestart}, action) {
		return "", errors.New("usage: /mcp, or /mcp connect NAME, /mcp disconnect NAME, /mcp restart NAME")
	}
	for _, p := range s.declared.waiting() {
		if serverName(p) == name {
			return "", fmt.Errorf("the MCP server %s is declared by this project and not trusted; `%s` lets it start", config.Printable(name), p.TrustCommand())
		}
	}
	of := func(st mcp.State) bool { return st.Name == name }
	if !slices.ContainsFunc(s.set.States(), of) {
		return "", fmt.Errorf("there is no MCP server %s in this session; /mcp lists those that there are", config.Printable(name))
	}
	err := s.set.Act(ctx, name, action)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	states := s.set.States()
	now := states[slices.IndexFunc(states, of)]
	if err != nil && now.State != event.ServerFailed { // what failed has the reason with it
		return "", err
	}
	return serverLine(now), nil
}

// report is what a person asks about the servers.
func (s *servers) report() string {
	var t strings.Builder
	for _, st := range s.set.States() {
		t.WriteString(serverLine(st))
	}
	for _, p := range s.declared.waiting() {
		fmt.Fprintf(&t, "%s: %s; `%s` lets it start\n", config.Printable(serverName(p)), event.ServerUntrusted, p.TrustCommand())
	}
	return t.String()
}

func serverLine(s mcp.State) string {
	line := fmt.Sprintf("%s: %s, tools %d, prompts %d, resources %d", s.Name, s.State, s.Tools, s.Prompts, s.Resources)
	if s.Templates > 0 {
		line += fmt.Sprintf(" and %d templates", s.Templates)
	}
	if s.Detail != "" {
		line += ": " + s.Detail
	}
	for _, d := range s.Dropped {
		line += fmt.Sprintf("\n  %s is left out: %s", d.Tool, d.Why)
	}
	return line + "\n"
}
