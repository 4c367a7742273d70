package wire

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/hook"
	"reasonix/core/tool"
	"reasonix/sandbox"
)

// hooks are those of a session, which a reload reads again. Safe for concurrent use.
type hooks struct {
	bench   bench
	user    sandbox.Runner // of those that the user declared, with the user's rights
	environ []string       // of the process
	project string         // the directory they are about
	now     atomic.Pointer[hook.Exec]
}

// hooks adds the hooks. user runs those that are not confined.
func (w builder) hooks(o *engine.Organs, c choice, b bench, user sandbox.Runner, s engine.Services) *hooks {
	b.Run = accounting{b.Run, s.Emit}
	h := &hooks{bench: b, user: accounting{user, s.Emit}, environ: w.Environ, project: c.spec.Workspace}
	h.use(c.cfg)
	o.Hooks = h
	return h
}

// use runs the hooks of cfg from now on.
func (h *hooks) use(cfg *config.Config) {
	h.now.Store(h.bench.hookExec(cfg, h.environ, h.project, h.user))
}

// hookExec runs the hooks of cfg in dir: a project's are held as its commands are, and
// user runs the others. environ is that of the process.
func (b bench) hookExec(cfg *config.Config, environ []string, dir string, user sandbox.Runner) *hook.Exec {
	held, settings := b.Files.Confined(), b.Settings
	return &hook.Exec{
		Hooks: Hooks(cfg), Sandbox: b.Run, User: user,
		Hold: sandbox.Cmd{
			Env: settings.Environ, Writable: slices.Concat(held.Writable, []string{settings.Temp}, settings.Caches),
			Protected: held.Protected, Hidden: held.Hidden, Bare: held.Bare, Network: settings.Network,
		},
		Environ: cfg.Scrub(environ), Workspace: dir,
		Redact: redactor(cfg.SecretValues()), Now: b.Now,
	}
}

// StartHooks is what runs hooks for a command that opens no session, as a session in dir
// would run them. The caller must call stop.
func (w World) StartHooks(cfg *config.Config, dir string) (e *hook.Exec, stop func() error, err error) {
	a, err := w.aside(cfg, dir, "hook")
	if err != nil {
		return nil, nil, err
	}
	b := bench{Env: tool.Env{Files: a.files, Run: a.confined, Settings: w.settings(cfg, a.temp, a.id), Now: w.Now}}
	return b.hookExec(cfg, w.Environ, dir, a.unconfined), a.close, nil
}

// report is what a person asks about the hooks.
func (h *hooks) report() string {
	var t strings.Builder
	for _, k := range h.now.Load().Hooks {
		fmt.Fprintf(&t, "%-17s  %-16s  %s  (%s)\n", k.Event, cmp.Or(k.Match, "*"), k.Title(), filepath.ToSlash(k.File))
	}
	return t.String()
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
