package wire

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/workspace"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// ownServers are the names of the servers that the user declares, also of those that a
// project lays a block over. It is never nil.
func ownServers(cfg *config.Config) []string {
	names := []string{}
	for _, s := range cfg.Servers() {
		said := cfg.Origins(config.JoinPath([]string{"plugins", s.Name, "name"}))
		if slices.ContainsFunc(said, func(o config.Origin) bool { return o.Layer == config.LayerUser }) {
			names = append(names, s.Name)
		}
	}
	return names
}

// configuredServers are the names of all servers of a configuration, also of those
// that are off, cannot be started or are not trusted.
func configuredServers(cfg *config.Config) []string {
	var names []string
	for _, s := range cfg.Servers() {
		names = append(names, s.Name)
	}
	for _, p := range cfg.Ungranted {
		if p.Kind == config.PartServer {
			names = append(names, serverName(p))
		}
	}
	return names
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

// nobody answers the questions of servers: there is no user to ask. A session can
// be asked, and a server is told the same here, because some offer less otherwise.
func nobody(context.Context, event.Question) (event.Answer, error) {
	return event.Answer{}, tool.ErrNobody
}

// StartServers starts MCP servers for a command that opens no session, in what a
// session in dir would start them in: the same directories, environment and
// confinement. change may alter that world; nil: nothing. The caller must call stop,
// after which no process of theirs is left.
func (w World) StartServers(cfg *config.Config, dir string, servers []mcp.Config, change func(*mcp.World)) (set *mcp.Set, stop func() error, err error) {
	dir = cmp.Or(cfg.Sandbox.WorkspaceRoot, dir)
	id := event.SessionID("mcp-" + newID())
	files, err := workspace.Open(w.places(cfg, dir, nil, id).Roots(dir), nil)
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	directory, err := openTemporary(filepath.Dir(w.temp(id)), string(id))
	if err != nil {
		return nil, nil, errors.Join(&ConfigError{err}, files.Close())
	}
	run, unconfined := w.runner(cfg), sandbox.NewOff()
	files.Owning(func(paths []string, write func() error) error { return sandbox.Own(run, paths, write) })
	world := w.serverWorld(cfg, files, cfg.ServerEnviron(withTemp(w.Environ, w.temp(id))), runners{run, unconfined}, dir)
	world.Roots, world.Ask = files.Writable()[:1], nobody
	world.Names, world.Own = configuredServers(cfg), ownServers(cfg)
	if change != nil {
		change(&world)
	}
	set = mcp.Start(world, servers)
	return set, func() error {
		return errors.Join(set.Close(), run.Close(), unconfined.Close(), files.Close(), directory.Close())
	}, nil
}
