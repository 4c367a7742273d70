package wire

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/workspace"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
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
	id := event.SessionID("mcp-" + newID())
	files, err := workspace.Open(w.places(cfg, dir, nil, id).Roots(dir), nil)
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	temp := home(w.Home).temp(id)
	directory, err := openTemporary(filepath.Dir(temp), string(id))
	if err != nil {
		return nil, nil, errors.Join(&ConfigError{err}, files.Close())
	}
	run, unconfined := w.runner(cfg), sandbox.NewOff()
	files.Owning(func(paths []string, write func() error) error { return sandbox.Own(run, paths, write) })
	world := w.serverWorld(cfg, files, cfg.ServerEnviron(withTemp(w.Environ, temp)), runners{run, unconfined}, dir)
	world.Roots, world.Ask = files.Writable()[:1], nobody
	if change != nil {
		change(&world)
	}
	set = mcp.Start(world, servers)
	return set, func() error {
		return errors.Join(set.Close(), run.Close(), unconfined.Close(), files.Close(), directory.Close())
	}, nil
}
