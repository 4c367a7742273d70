package wire

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"reasonix/core/config"
	"reasonix/core/hook"
	"reasonix/sandbox"
)

// hooks are those of a session, which a reload reads again. Safe for concurrent use.
type hooks struct {
	b   *assembly
	now atomic.Pointer[hook.Exec]
}

// addHooks makes the hooks of the session.
func (b *assembly) addHooks() {
	b.hooks = &hooks{b: b}
	b.hooks.use(b.cfg)
}

// use runs the hooks of cfg from now on.
func (h *hooks) use(cfg *config.Config) {
	b, held := h.b, h.b.env.Files.Confined()
	h.now.Store(&hook.Exec{
		Hooks: Hooks(cfg), Sandbox: b.env.Run, User: b.unconfined,
		Hold: sandbox.Cmd{
			Env: b.env.Settings.Environ, Writable: slices.Concat(held.Writable, []string{b.env.Settings.Temp}, b.env.Settings.Caches),
			Protected: held.Protected, Hidden: held.Hidden, Bare: held.Bare, Network: b.env.Settings.Network,
		},
		Environ: cfg.Scrub(b.Environ), Workspace: b.spec.Workspace,
		Redact: redactor(cfg.SecretValues()), Now: b.Now,
	})
}

// Wants implements hook.Runner.
func (h *hooks) Wants(p hook.Point, subject string) bool { return h.now.Load().Wants(p, subject) }

// Fire implements hook.Runner.
func (h *hooks) Fire(ctx context.Context, p hook.Point, in hook.Input) (hook.Verdict, error) {
	return h.now.Load().Fire(ctx, p, in)
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
