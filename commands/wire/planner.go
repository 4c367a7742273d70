package wire

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

// plannerPrompt takes the place of the configured system prompt.
//
//go:embed planner.md
var plannerPrompt string

// plannerTools are the built-ins that a planner may call: what they do changes
// nothing.
var plannerTools = []string{"glob", "grep", "history", "ls", "memory", "read_file", "view_image", "web_fetch"}

// planner makes the second model of a session where the configuration names one: a
// session of its own with the same instructions and rules, another model, tools that
// only read, and no limit of rounds.
type planner struct {
	world   builder
	of      choice // what the session is that it plans for
	places  workspace.Places
	servers *servers
}

// beside is the planner of a session that works with m; nil: there is none, or it would
// be the same model. One that cannot be used is told, and the session goes on alone.
func (p planner) beside(m model, limits event.Limits, mode string) (*engine.Planner, []event.Notice) {
	ref := p.of.cfg.Agent.PlannerModel
	if ref == "" {
		return nil, nil
	}
	own, err := p.of.models.choose(ref, "", event.Configured{})
	switch {
	case err != nil:
		return nil, []event.Notice{{
			Level: event.LevelWarning, Code: "planner_failed", Args: []string{ref, err.Error()},
			Text: fmt.Sprintf("no plan could be had from %s, so the work goes on without one: %v", ref, err),
		}}
	case own.Ref == m.Ref:
		return nil, nil
	}
	p.of.limits, p.of.mode = event.Limits{Cost: limits.Cost, Time: limits.Time}, mode
	return &engine.Planner{Model: own.Ref, Continues: memory.Generic, Build: p.build}, nil
}

// choice is what the planner's own session is to be.
func (p planner) choice(s engine.Services) (choice, error) {
	c := p.of
	cfg := *c.cfg
	cfg.Agent.SystemPrompt, cfg.Agent.SystemPromptFile = strings.TrimSpace(plannerPrompt), ""
	c.cfg = &cfg
	c.spec.Model, c.spec.Effort, c.spec.Interactive = cfg.Agent.PlannerModel, "", false
	ends := endpoints{cfg: &cfg, http: p.world.HTTP, blob: s.Load}
	first, err := ends.choose(c.spec.Model, "", s.Before)
	c.models = newModels(ends, first)
	return c, err
}

// build assembles the planner's session.
func (p planner) build(ctx context.Context, s engine.Services) (o engine.Organs, err error) {
	c, err := p.choice(s)
	if err != nil {
		return engine.Organs{}, err
	}
	var ends endings
	defer func() {
		if err != nil {
			err = errors.Join(err, ends.close())
		}
	}()
	files, err := workspace.Open(p.places.Roots(c.spec.Workspace), overlay(c.spec))
	if err != nil {
		return engine.Organs{}, &UsageError{err}
	}
	b, err := p.world.fit(c.cfg, c.spec, p.places, files, s, &ends)
	if err != nil {
		return engine.Organs{}, err
	}
	if o.Approvals, err = p.world.judge(c, b, p.servers.remote); err != nil {
		return engine.Organs{}, err
	}
	b.Settings.FetchAllow = o.Policy.FetchHosts()
	if o.Tools, err = tool.NewRegistry(b.Env, readers(c.cfg.Tools.Enabled, c.models.first.Vision), p.servers.trusted()...); err != nil {
		return engine.Organs{}, &ConfigError{err}
	}
	o.Roots, o.Close = files.Writable()[1:], ends.close
	o.Configured = c.configured(o.Posture, "config")
	o.Runner = loops{cfg: c.cfg, home: home(p.world.Home), now: p.world.Now, services: s, models: c.models, files: files}.of(o.Tools)
	if o.System, _, err = p.world.prefix(c, b).text(ctx); err != nil { // the session itself tells the notices
		return engine.Organs{}, err
	}
	o.Prepare = p.world.preparing(c, s, o.System)
	return o, nil
}

// readers are the planner's tools among those that the user's own list leaves.
func readers(named []string, vision bool) []string {
	return slices.DeleteFunc(enabledTools(named, "", vision), func(name string) bool {
		return !slices.Contains(plannerTools, name)
	})
}
