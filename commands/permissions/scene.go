package permissions

import (
	"cmp"
	"fmt"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/permission"
)

// A scene is what a session in one directory would judge its calls by.
type scene struct {
	cfg     *config.Config
	policy  permission.Policy
	posture permission.Posture
	unasked permission.Decision // what a question becomes where nobody can be asked
}

// open reads the configuration as a session in dir would, and says on stderr what
// is odd about it.
func open(app *cmdutil.App, dir string, tell bool) (*scene, error) {
	cfg, err := load(app, dir)
	if err != nil {
		return nil, err
	}
	if tell {
		for _, w := range cfg.Warnings {
			fmt.Fprintf(app.Err, "warning: %s\n", w)
		}
	}
	s := &scene{cfg: cfg}
	if s.policy, err = world(app).Policy(cfg, cmp.Or(cfg.Sandbox.WorkspaceRoot, dir)); err != nil {
		return nil, err
	}
	if s.posture, err = permission.ParsePosture(cfg.Permissions.Posture); err != nil {
		return nil, &wire.ConfigError{Err: err}
	}
	if s.unasked, err = permission.ParseDecision(cfg.Permissions.Headless); err != nil {
		return nil, &wire.ConfigError{Err: err}
	}
	return s, nil
}

// load is the configuration of a session in dir.
func load(app *cmdutil.App, dir string) (*config.Config, error) {
	return config.Load(wire.Input(app.Home, dir, app.Environ))
}

func world(app *cmdutil.App) wire.World {
	return wire.World{Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now}
}
