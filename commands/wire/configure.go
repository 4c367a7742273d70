package wire

import (
	"context"
	"errors"

	"reasonix/core/agent"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

// changes are what can become of a session's model, effort, work mode and limits while
// it lasts.
type changes struct {
	models   *models
	toolsets *toolsets
	loops    loops
	planner  planner
	commands func() []event.Command
}

// refresh makes the tools anew when the servers offer others by now.
func (ch changes) refresh(now event.Configured) (*tool.Registry, func(event.Configured) (agent.Runner, error), bool, error) {
	if !ch.toolsets.renew() {
		return nil, nil, false, nil
	}
	tools, err := ch.toolsets.of(now.WorkMode, ch.models.first.Vision)
	return tools, ch.loops.of(tools), err == nil, err
}

// reconfigure makes what another configuration of this session needs. Its tools stay
// those of its work mode, whatever the model, because another list would be another
// prefix.
func (ch changes) reconfigure(_ context.Context, next event.Configured) (engine.Working, error) {
	bad := func(field string, err error) error {
		return &protocol.BadOp{Op: "Configure", Field: field, Reason: err.Error()}
	}
	m, err := ch.models.of(next)
	if err != nil {
		var effort *UsageError
		if errors.As(err, &effort) {
			return engine.Working{}, bad("Effort", err)
		}
		return engine.Working{}, &unusableModel{&protocol.BadOp{Op: "Configure", Field: "Model", Reason: err.Error()}, err}
	}
	if err := m.checkCost(&next.Limits); err != nil {
		return engine.Working{}, bad("Limits", err)
	}
	tools, err := ch.toolsets.of(next.WorkMode, m.Vision)
	if err != nil {
		return engine.Working{}, bad("WorkMode", err)
	}
	next.Model, next.Effort = m.Ref, m.Effort
	plans, _ := ch.planner.beside(m, next.Limits, next.WorkMode)
	return engine.Working{Configured: next, Tools: tools, Runner: ch.loops.of(tools), Planner: plans}, nil
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
func (ch changes) follow(c event.Configured) event.Offered {
	ch.models.follow(c)
	o := event.Offered{
		WorkModes: []string{event.WorkBalanced, event.WorkEconomy}, Modes: []string{event.ModeNormal},
		Approvals: []string{string(permission.PostureAsk), string(permission.PostureAuto), string(permission.PostureYolo)},
		Commands:  ch.commands(),
	}
	for _, m := range ch.models.choosable() {
		o.Models = append(o.Models, m.Ref)
	}
	if m, err := ch.models.cfg.ResolveModel(c.Model); err == nil {
		o.Efforts = m.Efforts
	}
	return o
}

// opener lets the tools of a session write further directories: all of a list or none.
func opener(files *workspace.FS) func(dirs []string) error {
	return func(dirs []string) error {
		for _, dir := range dirs {
			if err := files.Openable(dir); err != nil {
				return err
			}
		}
		for _, dir := range dirs {
			if err := files.AddWritable(dir); err != nil {
				return err
			}
		}
		return nil
	}
}
