package config

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Plugin is one MCP server as the files say it, variables and all. See
// Config.Servers for what is started.
type Plugin struct {
	Name                     string                `toml:"name"`
	Type                     string                `toml:"type"` // stdio, http, sse
	Command                  string                `toml:"command"`
	Args                     []string              `toml:"args"`
	Env                      map[string]string     `toml:"env"`
	URL                      string                `toml:"url"`
	Headers                  map[string]string     `toml:"headers"`
	HeadersHelper            string                `toml:"headers_helper"`
	Enabled                  bool                  `toml:"enabled"`
	Sandbox                  bool                  `toml:"sandbox"`
	Sampling                 bool                  `toml:"sampling"`
	ProtocolVersion          string                `toml:"protocol_version"`
	StartTimeoutSeconds      int                   `toml:"start_timeout_seconds"` // 0: 30
	CallTimeoutSeconds       int                   `toml:"call_timeout_seconds"`  // 0: tools.mcp_call_timeout_seconds
	ToolTimeoutSeconds       map[string]int        `toml:"tool_timeout_seconds"`
	TrustedReadOnlyTools     []string              `toml:"trusted_read_only_tools"`
	DefaultToolsApprovalMode string                `toml:"default_tools_approval_mode"`
	Tools                    map[string]PluginTool `toml:"tools"`
	ApprovalsReviewer        string                `toml:"approvals_reviewer"`
	OAuth                    PluginOAuth           `toml:"oauth"`

	// FromProject is set when a project file had a hand in it, which the user
	// granted.
	FromProject bool `toml:"-"`
}

// PluginTool is what is set for one tool of an MCP server.
type PluginTool struct {
	ApprovalMode string `toml:"approval_mode"`
}

// The limits that count where none is set.
const (
	defaultStart = 30 * time.Second
	defaultCall  = 300 * time.Second
)

// Variables are the names of the variables that p refers to, wherever it may, sorted.
func (p *Plugin) Variables() []string {
	texts := append([]string{p.Command, p.URL}, p.Args...)
	texts = append(texts, slices.Collect(maps.Values(p.Env))...)
	texts = append(texts, slices.Collect(maps.Values(p.Headers))...)
	for _, name := range []string{p.OAuth.ClientSecretEnv, p.OAuth.PrivateKeyEnv, p.OAuth.IDPClientSecretEnv, p.OAuth.IDTokenEnv} {
		if name != "" {
			texts = append(texts, "${"+name+"}")
		}
	}
	return variablesOf(texts)
}

// Server is an MCP server as it is started: its variables have values, its type
// is stdio, http or sse, and tools that agent.plan_mode_allowed_tools names are
// among the trusted ones.
type Server struct {
	Plugin
	// Missing are the variables without a value and without a default, sorted.
	Missing []string
	// Problem says why the server cannot be started, in words for a person; ""
	// when it can. It holds no secret.
	Problem string
	// ClientSecret, PrivateKey, IDPClientSecret and IDToken are what the variables
	// that OAuth names hold; each may be empty.
	ClientSecret, PrivateKey, IDPClientSecret, IDToken string
	// Identity is a hash of what a server is: its type, command, arguments, URL,
	// file, and the names of its variables and headers. Unlike what a grant is bound
	// to it knows the values of variables in the command and the URL: a login to one
	// address is none to another.
	Identity string
	File     string
	Line     int // from 1; 0: none

	StartTimeout, CallTimeout time.Duration
	ToolTimeouts              map[string]time.Duration // by the server's own names of tools
}

// Usable reports whether the server is to be started.
func (s Server) Usable() bool { return s.Enabled && s.Problem == "" }

// ApprovalMode is how calls of a tool, by the server's own name of it, are
// approved: the tool's own mode, else the server's, else approve for a server the
// user declared and auto for one that a project had a hand in.
func (s Server) ApprovalMode(tool string) string {
	byWho := "approve"
	if s.FromProject {
		byWho = "auto"
	}
	return orElse(s.Tools[tool].ApprovalMode, orElse(s.DefaultToolsApprovalMode, byWho))
}

// CallLimit is how long a call of a tool, by the server's own name of it, may take
// without progress.
func (s Server) CallLimit(tool string) time.Duration {
	if d := s.ToolTimeouts[tool]; d > 0 {
		return d
	}
	return s.CallTimeout
}

// Servers lists the MCP servers by name: those that cannot be started, with the
// reason, and the disabled ones too. What the user has not granted is not among
// them: see Ungranted.
func (c *Config) Servers() []Server {
	list := make([]Server, 0, len(c.Plugins))
	for i := range c.Plugins {
		list = append(list, c.server(&c.Plugins[i]))
	}
	slices.SortFunc(list, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Server finds the server of that name among Servers.
func (c *Config) Server(name string) (Server, bool) {
	i := slices.IndexFunc(c.Plugins, func(p Plugin) bool { return p.Name == name })
	if i < 0 {
		return Server{}, false
	}
	return c.server(&c.Plugins[i]), true
}

func (c *Config) server(p *Plugin) Server {
	s := Server{Plugin: *p, StartTimeout: seconds(p.StartTimeoutSeconds, defaultStart)}
	s.Enabled = p.Enabled && !(p.FromProject && c.ServerOff(p.Name))
	s.File, s.Line = c.serverPlace(p.Name)
	s.CallTimeout = seconds(p.CallTimeoutSeconds, seconds(c.Tools.MCPCallTimeoutSeconds, defaultCall))
	s.ToolTimeouts = map[string]time.Duration{}
	for tool, n := range p.ToolTimeoutSeconds {
		s.ToolTimeouts[tool] = seconds(n, s.CallTimeout)
	}
	s.TrustedReadOnlyTools = slices.Concat(p.TrustedReadOnlyTools, c.planTools(p))
	c.expandServer(&s)
	s.Identity = hashOf(s.File, map[string]any{
		"name": p.Name, "type": p.Type, "command": s.Command, "args": strings.Join(p.Args, "\x00"), "url": s.URL,
		"env":     strings.Join(slices.Sorted(maps.Keys(p.Env)), "\x00"),
		"headers": strings.Join(slices.Sorted(maps.Keys(p.Headers)), "\x00"), "headers_helper": p.HeadersHelper,
	})
	return s
}

func seconds(n int, other time.Duration) time.Duration {
	if n == 0 {
		return other
	}
	return time.Duration(n) * time.Second
}

// serverPlace is where a server is declared.
func (c *Config) serverPlace(name string) (file string, line int) {
	if line := c.jsonLines[name]; line > 0 {
		return under(c.workspace, ServersFileName), line
	}
	o := c.Origin(JoinPath([]string{"plugins", name, "name"}))
	return o.Name, o.Line
}
