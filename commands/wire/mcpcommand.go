package wire

import (
	"cmp"
	"context"
	"errors"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
)

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
	a, err := w.aside(cfg, dir, "mcp")
	if err != nil {
		return nil, nil, err
	}
	world := w.serverWorld(cfg, a.files, cfg.ServerEnviron(withTemp(w.Environ, a.temp)), a.runners, dir)
	world.Roots, world.Ask = a.files.Writable()[:1], nobody
	if change != nil {
		change(&world)
	}
	set = mcp.Start(world, servers)
	return set, func() error { return errors.Join(set.Close(), a.close()) }, nil
}
