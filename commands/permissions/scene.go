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
	return sceneOf(world(app), cfg, dir, map[string][]byte{})
}

// sceneOf is the scene of a configuration. texts are its files where they were
// read already.
func sceneOf(w wire.World, cfg *config.Config, dir string, texts map[string][]byte) (*scene, error) {
	s := &scene{cfg: cfg}
	var err error
	if s.policy, err = w.Policy(cfg, cmp.Or(cfg.Sandbox.WorkspaceRoot, dir)); err != nil {
		return nil, err
	}
	s.locate(texts)
	if s.posture, err = permission.ParsePosture(cfg.Permissions.Posture); err != nil {
		return nil, &wire.ConfigError{Err: err}
	}
	if s.unasked, err = permission.ParseDecision(cfg.Permissions.Headless); err != nil {
		return nil, &wire.ConfigError{Err: err}
	}
	return s, nil
}

// locate says of each rule in which line it stands: a list may have many.
func (s *scene) locate(texts map[string][]byte) {
	all := standings(s.cfg, texts)
	for decision, rules := range map[permission.Decision][]permission.Rule{
		permission.Allow: s.policy.Allow, permission.Ask: s.policy.Ask, permission.Deny: s.policy.Deny,
	} {
		for i := range rules {
			for _, r := range all {
				if r.err == nil && r.decision == decision && r.String() == rules[i].String() {
					rules[i].Source = r.place() // of equal ones the weakest layer's: it holds without the others
				}
			}
		}
	}
}

// load is the configuration of a session in dir.
func load(app *cmdutil.App, dir string) (*config.Config, error) {
	return config.Load(wire.Input(app.Home, dir, app.Environ))
}

func world(app *cmdutil.App) wire.World {
	return wire.World{Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now}
}
