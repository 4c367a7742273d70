package wire

import (
	"slices"
	"time"

	"reasonix/core/config"
	"reasonix/core/hook"
	"reasonix/sandbox"
)

// hooks runs the configured hooks; nil when there is none.
func (b *assembly) hooks() hook.Runner {
	list := Hooks(b.cfg)
	if len(list) == 0 {
		return nil
	}
	held := b.env.Files.Confined()
	return &hook.Exec{
		Hooks: list, Sandbox: b.env.Run, User: sandbox.NewOff(),
		Hold: sandbox.Cmd{
			Env: b.env.Settings.Environ, Writable: slices.Concat(held.Writable, []string{b.env.Settings.Temp}, b.env.Settings.Caches),
			Protected: held.Protected, Hidden: held.Hidden, Bare: held.Bare, Network: b.env.Settings.Network,
		},
		Environ: b.cfg.Scrub(b.Environ), Workspace: b.spec.Workspace,
		Redact: redactor(b.cfg.SecretValues()), Now: b.Now,
	}
}

// Hooks are the configured hooks as core/hook takes them.
func Hooks(cfg *config.Config) []hook.Hook {
	var list []hook.Hook
	for _, h := range cfg.Hooks {
		point, ok := hook.ParsePoint(h.Event)
		if !ok {
			continue // the configuration's check names it
		}
		list = append(list, hook.Hook{
			Name: h.Name, Event: point, Match: h.Match, Command: h.Command, Timeout: time.Duration(h.TimeoutSeconds) * time.Second,
			Dir: h.Dir, File: h.File, Line: h.Line, FromProject: h.FromProject, Claude: h.Claude,
		})
	}
	return list
}
