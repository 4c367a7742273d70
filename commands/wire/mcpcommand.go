package wire

import (
	"cmp"
	"errors"
	"path/filepath"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/workspace"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

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
	world.Roots = files.Writable()[:1]
	if change != nil {
		change(&world)
	}
	set = mcp.Start(world, servers)
	return set, func() error {
		return errors.Join(set.Close(), run.Close(), unconfined.Close(), files.Close(), directory.Close())
	}, nil
}
