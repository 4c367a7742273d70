package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/mention"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
	"reasonix/core/trust"
	"reasonix/core/workspace"
	"reasonix/integrations/mcp"
	"reasonix/integrations/mcp/oauth"
	"reasonix/sandbox"
)

// stateDir holds a directory for each MCP server that is its own to write.
func (w World) stateDir() string { return filepath.Join(w.Home, "mcp-state") }

// MCPTokenDir is where what MCP servers let reasonix in with is kept.
func MCPTokenDir(home string) string { return filepath.Join(home, "mcp-auth") }

// startServers starts the MCP servers of the session and gives those whose tools
// nobody knows a short while to come up.
func (b *assembly) startServers(ctx context.Context) []event.Notice {
	configs, notices := serverConfigs(b.cfg)
	for _, spec := range b.spec.Servers {
		configs = slices.DeleteFunc(configs, func(c mcp.Config) bool { return c.Name == spec.Name })
		configs = append(configs, broughtAlong(spec))
	}
	b.declared = declare(b.cfg)
	b.servers = mcp.Start(b.mcpWorld(), configs)
	b.servers.Wait(ctx, time.Duration(b.cfg.Tools.MCPStartGraceSeconds)*time.Second)
	return notices
}

// tellUntrusted says which servers wait for the user's grant.
func (b *assembly) tellUntrusted() error {
	for _, p := range b.declared.waiting() {
		if err := b.services.Emit(event.ServerChanged{Name: config.Printable(serverName(p)), State: event.ServerUntrusted, Detail: "declared by this project; `" + p.TrustCommand() + "` lets it start"}); err != nil {
			return err
		}
	}
	return nil
}

// serverConfigs are the servers of a configuration that are to be started, and what
// is to be said about the others.
func serverConfigs(cfg *config.Config) ([]mcp.Config, []event.Notice) {
	var configs []mcp.Config
	var notices []event.Notice
	for _, s := range cfg.Servers() {
		switch {
		case !s.Enabled:
		case s.Problem != "":
			notices = append(notices, event.Notice{
				Level: event.LevelWarning, Code: "server_off", Args: []string{s.Name, s.Problem},
				Text: fmt.Sprintf("MCP server %s is off: %s", s.Name, s.Problem),
			})
		default:
			configs = append(configs, ServerConfig(s))
		}
	}
	return configs, notices
}

// ServerConfig is a configured server as the client takes it.
func ServerConfig(s config.Server) mcp.Config {
	return mcp.Config{
		Name: s.Name, Type: s.Type, Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers,
		HeadersHelper: s.HeadersHelper, StartTimeout: s.StartTimeout, CallTimeout: s.CallTimeout, ToolTimeouts: s.ToolTimeouts,
		FromProject: s.FromProject, Sandboxed: s.Sandbox, Sampling: s.Sampling, ProtocolVersion: s.ProtocolVersion,
		TrustedReadOnly: s.TrustedReadOnlyTools, Identity: s.Identity,
		OAuth: loginConfig(s),
	}
}

// broughtAlong is a server of the front end, which the user chose.
func broughtAlong(s protocol.ServerSpec) mcp.Config {
	return mcp.Config{
		Name: s.Name, Type: s.Type, Command: s.Command, Args: s.Args, Env: s.Env, Headers: s.Headers, URL: s.URL, Sandboxed: true,
		Identity: digest(strings.Join(append([]string{s.Type, s.Command, s.URL}, s.Args...), "\x00")),
	}
}

// declared are the servers of the configuration, for the approval of calls, and those
// that wait for the user's grant. Safe for concurrent use.
type declared struct {
	mu        sync.Mutex
	byName    map[string]config.Server
	untrusted []config.Part
}

func declare(cfg *config.Config) *declared {
	d := &declared{byName: map[string]config.Server{}}
	for _, s := range cfg.Servers() {
		d.byName[s.Name] = s
	}
	for _, p := range cfg.Ungranted {
		if p.Kind == config.PartServer {
			d.untrusted = append(d.untrusted, p)
		}
	}
	return d
}

func (d *declared) server(name string) (config.Server, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.byName[name]
	return s, ok
}

func (d *declared) waiting() []config.Part {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.untrusted)
}

// granted takes a server off the list of those that wait.
func (d *declared) granted(s config.Server) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.untrusted = slices.DeleteFunc(d.untrusted, func(p config.Part) bool { return serverName(p) == s.Name })
	d.byName[s.Name] = s
}

// mcpWorld is what the servers of the session share.
func (b *assembly) mcpWorld() mcp.World {
	w := b.serverWorld(b.cfg, b.env.Files, b.cfg.ServerEnviron(b.env.Settings.Environ), runners{b.env.Run, b.unconfined}, b.spec.Workspace)
	w.Roots, w.Ask, w.Emit, w.Sample = b.env.Files.Writable()[:1], b.services.Ask, b.services.Emit, b.sample
	return w
}

// runners run what is confined, and what is not.
type runners struct{ confined, unconfined sandbox.Runner }

// serverWorld is what MCP servers work in.
func (w World) serverWorld(cfg *config.Config, files *workspace.FS, environ []string, run runners, dir string) mcp.World {
	return mcp.World{
		Names:     configuredServers(cfg),
		Own:       ownServers(cfg),
		Workspace: dir, Environ: environ, StateDir: w.stateDir(),
		CacheDir: filepath.Join(w.Home, "cache", "mcp"), LogDir: filepath.Join(w.Home, "logs", "mcp"),
		Runner: func(c mcp.Config) sandbox.Runner {
			if c.Sandboxed {
				return run.confined
			}
			return run.unconfined
		},
		Hold: func(mcp.Config) sandbox.Cmd {
			held := files.Confined()
			return sandbox.Cmd{
				Writable: slices.Concat(held.Writable, tempDir(environ), sandbox.Caches(w.Environ)), Protected: held.Protected,
				Hidden: held.Hidden, Bare: held.Bare, Network: true,
			}
		},
		Authorize: oauth.Authorizer(MCPTokenDir(w.Home), nil, w.Now), // a person logs in by a command
		HTTP:      w.HTTP, Now: w.Now, Version: w.Version,
		CallTimeout: time.Duration(cfg.Tools.MCPCallTimeoutSeconds) * time.Second, Budget: cfg.Tools.MCPSchemaBudget,
	}
}

// tempDir is the directory that programs are told to put temporary files in.
func tempDir(environ []string) []string {
	if dir := variable(environ, "TMPDIR"); dir != "" {
		return []string{dir}
	}
	return nil
}

// remote is what the policy knows of a server's tool.
func (b *assembly) remote(name string) permission.Remote {
	destructive, readOnly, server, raw, ok := b.servers.Approval(name)
	if !ok {
		return permission.Remote{}
	}
	r := permission.Remote{Server: server, Tool: raw, Destructive: destructive, ReadOnly: readOnly, Mode: permission.RemoteApprove}
	if s, known := b.declared.server(server); known {
		r.Mode, r.Review = permission.ApprovalMode(s.ApprovalMode(raw)), s.ApprovalsReviewer
	}
	return r
}

// serveServer does what an op asks of a server.
func (b *assembly) serveServer(op protocol.Server) error {
	bad := func(field, reason string) error {
		return &protocol.BadOp{Op: "Server", Field: field, Reason: reason}
	}
	if op.Add != nil {
		if err := b.servers.Add(broughtAlong(*op.Add)); err != nil {
			return bad("Add", err.Error())
		}
		return nil
	}
	if _, err := b.servers.Submit(op.Name, op.Action); err != nil { // ServerChanged says how it ends
		return bad("Action", err.Error())
	}
	return nil
}

// serveTrust grants a part of the workspace's configuration as it was shown, or takes
// it back. A server that was waiting for it is started; the rest counts from the next
// session on.
func (b *assembly) serveTrust(op protocol.Trust) error {
	store := trust.Open(b.Home)
	if op.Revoke {
		_, err := store.Revoke(b.workspace, func(g trust.Grant) bool { return g.Part == op.Name && g.Hash == op.Hash })
		return err
	}
	for _, p := range b.cfg.Ungranted {
		if p.Label() != op.Name || p.Hash != op.Hash {
			continue
		}
		if err := store.Grant(b.workspace, b.Now(), GrantOf(p)); err != nil {
			return err
		}
		if p.Kind == config.PartServer {
			return b.startGranted(serverName(p))
		}
		return nil
	}
	return &protocol.BadOp{Op: "Trust", Field: "Hash", Reason: "no part of this project's configuration is as it says; it may have changed"}
}

// startGranted starts a server that the user let start now.
func (b *assembly) startGranted(name string) error {
	cfg, err := b.load(b.workspace)
	if err != nil {
		return err
	}
	s, ok := cfg.Server(name)
	if !ok || !s.Usable() {
		return nil
	}
	b.declared.granted(s)
	return b.servers.Add(ServerConfig(s))
}

// serverName is the name of the server that a part declares.
func serverName(p config.Part) string {
	parts, err := config.SplitPath(p.Key)
	if err != nil || len(parts) == 0 {
		return p.Label()
	}
	return parts[len(parts)-1]
}

// trustedTools are those that somebody has looked at and found to read only.
func (b *assembly) trustedTools() []tool.Tool {
	if b.servers == nil {
		return nil
	}
	return slices.DeleteFunc(b.servers.Tools(), func(t tool.Tool) bool { return !b.servers.Trusted(t.Name()) })
}

// serverResources are what references can name.
type serverResources struct {
	set      *mcp.Set
	declared *declared
}

// Servers implements mention.Resources.
func (r serverResources) Servers() []string { return r.set.Named() }

// Lost implements mention.Resources.
func (r serverResources) Lost(server string) (why string, known bool) {
	for _, s := range r.set.States() {
		if s.Name == server && (s.State == event.ServerFailed || s.State == event.ServerStopped) {
			line, _, _ := strings.Cut(s.Detail, "\n")
			return strings.TrimSuffix("the MCP server is "+s.State+": "+line, ": "), true
		}
	}
	for _, p := range r.declared.waiting() {
		if serverName(p) == server {
			return "this project's MCP server is not trusted: `" + p.TrustCommand() + "` lets it start", true
		}
	}
	return "", false
}

// Read implements mention.Resources.
func (r serverResources) Read(ctx context.Context, server, uri string) (string, error) {
	return r.set.ReadResource(ctx, server, uri)
}

// List implements mention.Resources.
func (r serverResources) List(ctx context.Context) []mention.Resource {
	var list []mention.Resource
	for _, x := range r.set.Resources(ctx) {
		list = append(list, mention.Resource{Server: x.Server, URI: x.URI, Name: x.Name})
	}
	return list
}

// serverTool finds a server's tool that the model was not told of. One of a server that is
// not there says so.
func (b *assembly) serverTool(name string) (tool.Tool, bool) {
	if t, ok := b.servers.Find(name); ok {
		return compared{t, b}, true
	}
	for _, s := range b.servers.States() {
		if s.State != event.ServerReady && strings.HasPrefix(name, "mcp__"+legal(s.Name)+"__") {
			return absent{name: name, server: s.Name, of: b.servers}, true
		}
	}
	return nil, false
}

// legal is a server's name as the names of its tools have it, but for what keeps
// servers apart that would have the same.
func legal(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// absent is a tool of a server that is not there. What it does is not known, so that it
// never runs: the call waits for the server to come up, and says what became of it.
type absent struct {
	name, server string
	of           *mcp.Set
}

func (a absent) Name() string          { return a.name }
func (absent) Description() string     { return "not there" }
func (absent) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (absent) ReadOnly() bool          { return true } // it does nothing at all

func (a absent) Execute(ctx context.Context, _ json.RawMessage) (string, error) {
	a.of.Wait(ctx, mcp.DefaultStartTimeout)
	if _, ok := a.of.Find(a.name); ok {
		return "", fmt.Errorf("the MCP server %s was still starting; it is up now: call %s again", a.server, a.name)
	}
	for _, s := range a.of.States() {
		if s.Name == a.server {
			return "", fmt.Errorf("the MCP server %s is %s: %s", s.Name, s.State, s.Detail)
		}
	}
	return "", fmt.Errorf("there is no MCP server %s any more", a.server)
}

// serverTools are the extra tools of a session's registry.
func (b *assembly) serverTools() []tool.Tool {
	var tools []tool.Tool
	for _, t := range b.servers.Tools() {
		tools = append(tools, compared{t, b})
	}
	if search, ok := b.servers.Search(); ok {
		tools = append(tools, search)
	}
	return tools
}

// compared is a server's tool after whose calls the protected files are compared: a
// server lives as long as the session, and what it changed of them goes back at once.
type compared struct {
	tool.Tool
	b *assembly
}

// Execute implements tool.Tool.
func (c compared) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	text, err := c.Tool.Execute(ctx, args)
	if paths := sandbox.Check(c.b.env.Run); len(paths) > 0 {
		list := filepath.ToSlash(strings.Join(paths, ", "))
		told := c.b.services.Emit(event.Notice{
			Level: event.LevelWarning, Code: "put_back", Args: paths,
			Text: "changed beside this call and put back, because a person decides about such files: " + list,
		})
		err = errors.Join(err, told)
	}
	return text, err
}

// Subject implements tool.Subjecter.
func (c compared) Subject(args json.RawMessage) tool.Subject {
	if s, ok := c.Tool.(tool.Subjecter); ok {
		return s.Subject(args)
	}
	return tool.Subject{Title: c.Name(), Kind: "other"}
}
