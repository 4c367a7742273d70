package wire

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"reasonix/core/engine"
	"reasonix/core/protocol"
	"reasonix/core/tool/shell"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// builder assembles sessions.
type builder struct {
	World
	open *openSessions
}

// build is what a session consists of. Each step adds its own to o, and to ends what it
// began.
func (w builder) build(ctx context.Context, spec protocol.Spec, s engine.Services) (o engine.Organs, err error) {
	c, err := w.choose(spec, s)
	if err != nil {
		return engine.Organs{}, err
	}
	var ends endings
	defer func() {
		if err != nil {
			o, err = engine.Organs{}, errors.Join(err, ends.close())
		}
	}()
	o.Close = func() error { return ends.close() }
	b, err := w.ground(&o, c, s, &ends)
	if err != nil {
		return o, err
	}
	user := sandbox.NewOff() // runs with the user's rights what the user declared
	ends.add(user.Close)
	servers := w.serve(ctx, &o, c, b, user, s, &ends)
	own := w.hooks(&o, c, b, user, s)
	x := w.extend(&o, c, b, s, servers, own)
	if o.Approvals, err = w.judge(c, b, servers.remote); err != nil {
		return o, err
	}
	b.Skills, b.Settings.FetchAllow = x, o.Policy.FetchHosts()
	tools := &toolsets{env: b.Env, enabled: c.cfg.Tools.Enabled, servers: servers}
	if err := w.turns(&o, c, b, s, tools, x, &ends); err != nil {
		return o, err
	}
	typed := references{files: b.Files, environ: w.Environ, servers: servers, models: c.models, emit: s.Emit, save: s.Save}
	o.Prepare = append(o.Prepare, typed.say)
	if err := w.prompt(ctx, &o, c, b, s, x); err != nil {
		return o, err
	}
	ends.add(w.open.add(&openSession{
		id: s.Session, journal: filepath.Join(home(w.Home).sessions(c.kept), string(s.Session)+".jsonl"), cfg: c.cfg, workspace: c.spec.Workspace,
		files: b.Files, run: b.Run, references: typed, commands: x.set, attached: s.Load,
	}))
	return o, servers.tellUntrusted()
}

// ground adds what a session stands on: its files, with what they were before it changed
// them, and what its tools work with.
func (w builder) ground(o *engine.Organs, c choice, s engine.Services, ends *endings) (bench, error) {
	dir := c.spec.Workspace
	places := w.places(c.cfg, dir, c.spec.AddDirs, s.Session)
	files, kept, err := w.watched(places.Roots(dir), overlay(c.spec), filepath.Join(home(w.Home).checkpoints(c.kept), string(s.Session)))
	if err != nil {
		return bench{}, &UsageError{err}
	}
	ends.add(kept.store.Close)
	b, err := w.fit(c.cfg, c.spec, places, files, s, ends)
	if err != nil {
		return bench{}, err
	}
	o.Checkpoints, o.Lease = kept, home(w.Home).lease(dir)
	o.Roots, o.AddDirs = files.Writable()[1:], opener(files)
	o.Notices = slices.Concat(unsandboxed(c.cfg), foreignEndpoint(c.cfg, c.models.first.Model), c.notices)
	return b, nil
}

// overlay is the editor that lends its buffers; nil: none does.
func overlay(spec protocol.Spec) workspace.Overlay {
	if spec.Files == nil {
		return nil
	}
	return spec.Files
}

// turns adds what works on a turn: the tools, the loop with the model, who plans and who
// reviews beside it, and what all that can be changed to.
func (w builder) turns(o *engine.Organs, c choice, b bench, s engine.Services, tools *toolsets, x *extensions, ends *endings) (err error) {
	first := c.models.first
	if o.Tools, err = tools.of(c.mode, first.Vision); err != nil {
		return err
	}
	aside := &background{}
	ends.add(aside.close)
	l := loops{cfg: c.cfg, home: home(w.Home), now: w.Now, services: s, models: c.models, files: b.Files}
	l.foresee = func() { aside.start(func() { shell.Foresee(b.Env) }) }
	p := planner{world: w, of: c, places: b.places, servers: tools.servers}
	ch := changes{models: c.models, toolsets: tools, loops: l, planner: p, commands: x.offered}

	o.Configured = c.configured(o.Posture, configuredBy(c.spec))
	o.Runner = l.of(o.Tools)
	plans, alone := p.beside(first, c.limits, c.mode)
	reviews, unreviewed := reviewer(c.cfg, c.models)
	o.Planner, o.Guardian, o.Notices = plans, reviews, slices.Concat(o.Notices, alone, unreviewed)
	o.Reconfigure, o.Offered, o.Refresh = ch.reconfigure, ch.follow, ch.refresh
	return nil
}
