package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"reasonix/core/agent"
	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
)

// toolsets are the registries of one session, one for each work mode it had. They work
// on the same Env, so that jobs and the directory of commands outlive a change.
type toolsets struct {
	mu     sync.Mutex
	byMode map[string]*tool.Registry
	extra  []tool.Tool
	also   func(name string) (tool.Tool, bool) // nil: nothing
}

// tools is the registry of the session's work mode.
func (b *assembly) tools() (*tool.Registry, error) {
	t := b.toolsets
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.byMode[b.mode]; r != nil {
		return r, nil
	}
	names := enabledTools(b.cfg.Tools.Enabled, b.mode, b.model.Vision)
	r, err := tool.NewRegistry(b.env, b.without(names), t.extra...)
	if err != nil {
		return nil, &ConfigError{err}
	}
	if t.also != nil {
		r.Also(t.also)
	}
	if t.byMode == nil {
		t.byMode = map[string]*tool.Registry{}
	}
	t.byMode[b.mode] = r
	return r, nil
}

// refresh makes the tools anew when the servers offer others by now.
func (b *assembly) refresh(now event.Configured) (*tool.Registry, func(event.Configured) (agent.Runner, error), bool, error) {
	if !b.servers.Refresh() {
		return nil, nil, false, nil
	}
	b.toolsets.mu.Lock()
	b.toolsets.byMode, b.toolsets.extra = nil, b.serverTools()
	b.toolsets.mu.Unlock()
	c := *b
	c.mode = now.WorkMode
	tools, err := c.tools()
	return tools, b.runnerOf(tools), err == nil, err
}

// reconfigure makes what another configuration of this session needs. Its tools stay
// those of its work mode, whatever the model, because another list would be another
// prefix.
func (b *assembly) reconfigure(_ context.Context, next event.Configured) (engine.Working, error) {
	bad := func(field string, err error) error {
		return &protocol.BadOp{Op: "Configure", Field: field, Reason: err.Error()}
	}
	c := *b
	c.mode, c.limits = next.WorkMode, next.Limits
	var err error
	if c.model, err = b.modelOf(next); err != nil {
		var effort *UsageError
		if errors.As(err, &effort) {
			return engine.Working{}, bad("Effort", err)
		}
		return engine.Working{}, &unusableModel{&protocol.BadOp{Op: "Configure", Field: "Model", Reason: err.Error()}, err}
	}
	if err := c.model.checkCost(&c.limits); err != nil {
		return engine.Working{}, bad("Limits", err)
	}
	tools, err := c.tools()
	if err != nil {
		return engine.Working{}, bad("WorkMode", err)
	}
	next.Model, next.Effort, next.Limits = c.model.Ref, c.model.Effort, c.limits
	var o engine.Organs
	c.addPlanner(&o)
	return engine.Working{Configured: next, Tools: tools, Runner: c.runnerOf(tools), Planner: o.Planner}, nil
}

// unusableModel is a bad op that also says what kind of error keeps the model from being
// used: a missing key, for example.
type unusableModel struct {
	*protocol.BadOp
	cause error
}

func (e *unusableModel) Unwrap() []error { return []error{e.BadOp, e.cause} }

// follow is told what the session works with from now on, and answers what can be
// chosen then.
func (b *assembly) follow(c event.Configured) event.Offered {
	if m, err := b.modelOf(c); err == nil {
		b.now.Store(&m)
	}
	return b.offered(c)
}

// offered is what can be chosen while the session works with c.
func (b *assembly) offered(c event.Configured) event.Offered {
	o := event.Offered{
		WorkModes: []string{event.WorkBalanced, event.WorkEconomy}, Modes: []string{event.ModeNormal},
		Approvals: []string{string(permission.PostureAsk), string(permission.PostureAuto), string(permission.PostureYolo)},
		Commands:  b.extensions.commands(),
	}
	for _, m := range b.choosable() {
		o.Models = append(o.Models, m.Ref)
	}
	if m, err := b.cfg.ResolveModel(c.Model); err == nil {
		o.Efforts = m.Efforts
	}
	return o
}

// choosable are the models of the configuration, and the session's own where that has
// none.
func (b *assembly) choosable() []config.Model {
	models := b.cfg.Models()
	for _, m := range models {
		if m.Ref == b.model.Ref {
			return models
		}
	}
	if b.model.Ref == "" {
		return models
	}
	return append([]config.Model{b.model.Model}, models...)
}

// addDirs lets the session's tools write further directories.
func (b *assembly) addDirs(dirs []string) error {
	for _, dir := range dirs { // all or none
		if err := b.env.Files.Openable(dir); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		if err := b.env.Files.AddWritable(dir); err != nil {
			return err
		}
	}
	return nil
}

// status says in a few lines what the session works with.
func (b *assembly) status(c event.Configured) string {
	var t strings.Builder
	fmt.Fprintf(&t, "Model: %s", cmp.Or(c.Model, "none that can be used"))
	if c.Effort != "" {
		fmt.Fprintf(&t, " (effort %s)", c.Effort)
	}
	fmt.Fprintf(&t, "\nWork mode: %s\nApprovals: %s\nWorkspace: %s\nCommands are: %s\nSession: %s\nConfiguration: %s",
		cmp.Or(c.WorkMode, event.WorkBalanced), c.Approval, b.spec.Workspace, heldBy(b.env)(), b.services.Session, b.cfg.UserFile)
	return t.String()
}
