package wire

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/workspace"
	"reasonix/integrations/mcp"
	"reasonix/integrations/mcp/oauth"
	"reasonix/sandbox"
)

// MCPTokenDir is where what MCP servers let reasonix in with is kept.
func MCPTokenDir(home string) string { return filepath.Join(home, "mcp-auth") }

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

// loginConfig is what the client takes of how a server lets one in.
func loginConfig(s config.Server) mcp.OAuthConfig {
	o := s.OAuth
	return mcp.OAuthConfig{
		Grant: o.Grant, Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: s.ClientSecret, Scopes: o.Scopes, CallbackPort: o.CallbackPort,
		Key: mcp.OAuthKey{PEM: s.PrivateKey, File: o.PrivateKeyFile, ID: o.KeyID, Algorithm: o.SigningAlgorithm},
		IDP: mcp.OAuthIDP{Issuer: o.IDPIssuer, ClientID: o.IDPClientID, ClientSecret: s.IDPClientSecret, Token: s.IDToken, TokenFile: o.IDTokenFile},
	}
}

// broughtAlong is a server of the front end, which the user chose.
func broughtAlong(s protocol.ServerSpec) mcp.Config {
	return mcp.Config{
		Name: s.Name, Type: s.Type, Command: s.Command, Args: s.Args, Env: s.Env, Headers: s.Headers, URL: s.URL, Sandboxed: true,
		Identity: digest(strings.Join(append([]string{s.Type, s.Command, s.URL}, s.Args...), "\x00")),
	}
}

// runners run what is confined, and what is not.
type runners struct{ confined, unconfined sandbox.Runner }

// serverWorld is what MCP servers work in.
func (w World) serverWorld(cfg *config.Config, files *workspace.FS, environ []string, run runners, dir string) mcp.World {
	home := home(w.Home)
	return mcp.World{
		Names:     configuredServers(cfg),
		Own:       ownServers(cfg),
		Workspace: dir, Environ: environ, StateDir: home.in("mcp-state"), // a directory for each server is its own to write
		CacheDir: home.in("cache", "mcp"), LogDir: home.in("logs", "mcp"),
		Runner: func(c mcp.Config) sandbox.Runner {
			if c.Sandboxed {
				return run.confined
			}
			return run.unconfined
		},
		Hold: func(c mcp.Config) sandbox.Cmd {
			held := files.Confined()
			return sandbox.Cmd{
				Writable: slices.Concat(held.Writable, tempDir(environ), w.serverCaches(c)), Protected: held.Protected,
				Hidden: held.Hidden, Bare: held.Bare, Network: true,
			}
		},
		Authorize: oauth.Authorizer(MCPTokenDir(w.Home), nil, w.Now), // a person logs in by a command
		HTTP:      w.HTTP, Now: w.Now, Version: w.Version,
		CallTimeout: time.Duration(cfg.Tools.MCPCallTimeoutSeconds) * time.Second, Budget: cfg.Tools.MCPSchemaBudget,
	}
}

// serverCaches are the directories beside the workspace that a confined server may
// write, made where it could not.
func (w World) serverCaches(c mcp.Config) []string {
	argv := append([]string{c.Command}, c.Args...)
	if err := sandbox.MakeCaches(w.Environ, argv...); err != nil && w.Warn != nil {
		w.Warn(err.Error())
	}
	return sandbox.Caches(w.Environ, argv...)
}

// tempDir is the directory that programs are told to put temporary files in.
func tempDir(environ []string) []string {
	if dir := variable(environ, "TMPDIR"); dir != "" {
		return []string{dir}
	}
	return nil
}
