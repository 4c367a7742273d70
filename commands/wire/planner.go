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
	"reasonix/core/protocol"
	"reasonix/core/tool"
	"reasonix/core/tool/shell"
	"reasonix/core/workspace"
)

// plannerPrompt takes the place of the configured system prompt.
//
//go:embed planner.md
var plannerPrompt string

// plannerTools are the built-ins that a planner may call: what they do changes
// nothing.
var plannerTools = []string{"glob", "grep", "history", "ls", "memory", "read_file", "view_image", "web_fetch"}

// addPlanner adds the second model when the configuration names one that is not the
// session's own. One that cannot be used is told, and the session goes on alone.
func (b *assembly) addPlanner(o *engine.Organs) {
	ref := b.cfg.Agent.PlannerModel
	if ref == "" {
		return
	}
	planner, err := b.chooseModel(b.cfg, protocol.Spec{Model: ref}, engine.Services{})
	switch {
	case err != nil:
		o.Notices = append(slices.Clip(o.Notices), event.Notice{
			Level: event.LevelWarning, Code: "planner_failed", Args: []string{ref, err.Error()},
			Text: fmt.Sprintf("no plan could be had from %s, so the work goes on without one: %v", ref, err),
		})
	case planner.Ref != b.model.Ref:
		o.Planner = &engine.Planner{Model: planner.Ref, Continues: memory.Generic, Build: b.buildPlanner}
	}
}

// buildPlanner assembles the planner's own session: the same instructions and rules,
// another model, tools that only read, and no limit of rounds.
func (b *assembly) buildPlanner(ctx context.Context, s engine.Services) (engine.Organs, error) {
	c := b.plannerAssembly(s)
	var err error
	if c.model, err = c.chooseModel(c.cfg, c.spec, s); err != nil {
		return engine.Organs{}, err
	}
	files, err := workspace.Open(c.places.Roots(c.spec.Workspace), overlay(c.spec))
	if err != nil {
		return engine.Organs{}, &UsageError{err}
	}
	var done func() error
	if c.env, done, err = c.environment(c.cfg, files, c.spec, s); err != nil {
		return engine.Organs{}, errors.Join(err, files.Close())
	}
	c.ends(done)
	o, err := c.plannerOrgans(ctx)
	if err != nil {
		return engine.Organs{}, errors.Join(err, c.close())
	}
	return o, nil
}

func (b *assembly) plannerAssembly(s engine.Services) *assembly {
	cfg := *b.cfg
	cfg.Agent.SystemPrompt, cfg.Agent.SystemPromptFile = strings.TrimSpace(plannerPrompt), ""
	spec := b.spec
	spec.Model, spec.Effort, spec.Interactive = b.cfg.Agent.PlannerModel, "", false
	limits := event.Limits{Cost: b.limits.Cost, Time: b.limits.Time}
	return &assembly{World: b.World, cfg: &cfg, spec: spec, services: s, limits: limits, mode: b.mode, places: b.places, servers: b.servers, declared: b.declared}
}

func (b *assembly) plannerOrgans(ctx context.Context) (engine.Organs, error) {
	var err error
	if b.interpreter, err = shell.Interpreter(b.env.Settings); err != nil {
		return engine.Organs{}, &ConfigError{err}
	}
	o := engine.Organs{Close: b.close, Roots: b.env.Files.Writable()[1:]}
	if err := b.addRules(&o); err != nil {
		return engine.Organs{}, err
	}
	b.env.Settings.FetchAllow = o.Policy.FetchHosts()
	if o.Tools, err = tool.NewRegistry(b.env, readers(b.cfg.Tools.Enabled, b.model.Vision), b.trustedTools()...); err != nil {
		return engine.Organs{}, &ConfigError{err}
	}
	o.Configured = event.Configured{
		Model: b.model.Ref, Effort: b.model.Effort, WorkMode: b.mode, Approval: string(o.Posture), Mode: "normal", By: "config", Limits: b.limits,
	}
	o.Runner = b.runnerOf(o.Tools)
	err = b.addPrompt(ctx, b.cfg, b.spec, b.services, b.interpreter, "", &o)
	o.Notices = nil // the session itself tells them
	return o, err
}

// readers are the planner's tools among those that the user's own list leaves.
func readers(named []string, vision bool) []string {
	return slices.DeleteFunc(enabledTools(named, "", vision), func(name string) bool {
		return !slices.Contains(plannerTools, name)
	})
}
