package engine

import (
	"context"
	"errors"
	"slices"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
)

// Working is the part of a session that its configuration decides.
type Working struct {
	Configured event.Configured
	Tools      *tool.Registry
	Runner     func(event.Configured) (agent.Runner, error)
	Planner    *Planner
}

// configure serves the Op: whole or not at all. What cannot count while a turn runs
// waits for its end.
func (l *looper) configure(op protocol.Configure) error {
	working, err := l.configurable(op)
	if err != nil {
		return err
	}
	now := l.configured()
	if len(op.AddDirs) > 0 {
		if err := l.addDirs(op.AddDirs); err != nil {
			return err
		}
	}
	if err := l.atOnce(op, now); err != nil {
		return err
	}
	if working == nil {
		return nil
	}
	if l.turn == nil {
		return l.adopt(*working)
	}
	l.deferred = working
	return l.offer()
}

// configurable checks the Op and makes what it needs, without changing anything; nil: it
// needs nothing.
func (l *looper) configurable(op protocol.Configure) (*Working, error) {
	if err := l.checkConfigure(op); err != nil {
		return nil, err
	}
	if !reworks(op) {
		return nil, nil //nolint:nilnil // see above
	}
	if l.organs.Reconfigure == nil {
		return nil, &protocol.BadOp{Op: "Configure", Reason: "this session keeps its configuration"}
	}
	next := l.configured()
	if l.deferred != nil {
		next = l.deferred.Configured
	}
	amend(&next, op)
	next.By = event.BySession
	w, err := l.organs.Reconfigure(context.Background(), next)
	if err != nil {
		return nil, err
	}
	return &w, nil
}

// checkConfigure refuses what has no meaning before anything is changed.
func (l *looper) checkConfigure(op protocol.Configure) error {
	bad := func(field, reason string) error {
		return &protocol.BadOp{Op: "Configure", Field: field, Reason: reason}
	}
	if op.Approval != nil {
		if _, err := permission.ParsePosture(*op.Approval); err != nil || *op.Approval == "" {
			return bad("Approval", "must be ask, auto or yolo")
		}
	}
	if op.Mode != nil && *op.Mode != event.ModeNormal {
		return bad("Mode", "must be normal")
	}
	if op.WorkMode != nil && !slices.Contains([]string{event.WorkEconomy, event.WorkBalanced}, *op.WorkMode) {
		return bad("WorkMode", "must be economy or balanced")
	}
	if len(op.AddDirs) > 0 && l.organs.AddDirs == nil {
		return bad("AddDirs", "no directory can be added to this session")
	}
	return nil
}

// reworks reports whether op changes what the loop is made of.
func reworks(op protocol.Configure) bool {
	return op.Model != nil || op.Effort != nil || op.WorkMode != nil || op.Limits != nil
}

// amend puts the fields of op into c. Another model starts with its own effort.
func amend(c *event.Configured, op protocol.Configure) {
	set := func(field *string, value *string) {
		if value != nil {
			*field = *value
		}
	}
	if op.Model != nil && *op.Model != c.Model {
		c.Effort = ""
	}
	set(&c.Model, op.Model)
	set(&c.Effort, op.Effort)
	set(&c.WorkMode, op.WorkMode)
	set(&c.Approval, op.Approval)
	set(&c.Mode, op.Mode)
	set(&c.Title, op.Title)
	if op.Limits != nil {
		c.Limits = *op.Limits
	}
}

// atOnce records and obeys what counts while a turn runs.
func (l *looper) atOnce(op protocol.Configure, now event.Configured) error {
	next := now
	amend(&next, protocol.Configure{Approval: op.Approval, Mode: op.Mode, Title: op.Title})
	if next == now {
		return nil
	}
	next.By = event.BySession
	if err := l.j.emit(next); err != nil {
		return err
	}
	if d := l.deferred; d != nil {
		d.Configured.Approval, d.Configured.Mode, d.Configured.Title = next.Approval, next.Mode, next.Title
	}
	if op.Approval != nil {
		l.gate.setPosture(permission.Posture(*op.Approval))
	}
	return nil
}

func (l *looper) addDirs(dirs []string) error {
	if err := l.organs.AddDirs(dirs); err != nil {
		return &protocol.BadOp{Op: "Configure", Field: "AddDirs", Reason: err.Error()}
	}
	for _, dir := range dirs {
		granted := event.Granted{Rule: event.GrantWrite + dir, Scope: scopeSession}
		if err := l.j.emit(granted); err != nil {
			return err
		}
		l.gate.observe(granted)
	}
	return nil
}

// adopt works with another configuration from now on. No turn runs.
func (l *looper) adopt(w Working) error {
	before := l.configured()
	w.Configured.Approval, w.Configured.Mode, w.Configured.Title = before.Approval, before.Mode, before.Title
	if err := errors.Join(l.rework(w), l.j.emit(w.Configured)); err != nil {
		return err
	}
	if w.Configured.WorkMode != before.WorkMode {
		if err := l.list(w.Tools, "work_mode"); err != nil {
			return err
		}
	}
	return l.offer()
}

// rework makes the next turn with other parts. What the one before ran with is closed:
// the planner's child holds the journal that the next one goes on with.
func (l *looper) rework(w Working) error {
	err := l.planner.close()
	l.planner, l.runner = nil, nil
	l.organs.Tools, l.organs.Runner, l.organs.Planner = w.Tools, w.Runner, w.Planner
	return err
}

// list tells the model of other tools from the next request on.
func (l *looper) list(tools *tool.Registry, reason string) error {
	var system string
	l.j.with(func(h *history) { system = h.prefix.System })
	l.j.retool(tools.Names())
	return l.j.emit(prefixSet(system, tools.Schemas(), reason))
}

// refresh lists the tools of servers anew after a turn in which a compaction broke the
// prefix. What fails is told, and the tools stay as they are.
func (l *looper) refresh() {
	if !l.stale.Swap(false) || l.organs.Refresh == nil {
		return
	}
	tools, runner, ok, err := l.organs.Refresh(l.configured())
	if err == nil && ok {
		err = l.list(tools, "servers")
	}
	if err == nil && ok {
		err = l.rework(Working{Tools: tools, Runner: runner, Planner: l.organs.Planner})
	}
	if err != nil {
		l.j.warn(event.Notice{Level: event.LevelWarning, Code: "tools_kept", Args: []string{err.Error()}, Text: "the tools of servers could not be listed anew: " + err.Error()})
	}
}

// adoptDeferred is for the end of a turn. What fails is told: nobody waits for an
// answer.
func (l *looper) adoptDeferred() {
	if l.deferred == nil {
		return
	}
	w := *l.deferred
	l.deferred = nil
	if err := l.adopt(w); err != nil {
		l.j.warn(event.Notice{Level: event.LevelError, Code: "configure_failed", Args: []string{err.Error()}, Text: "the configuration could not be changed: " + err.Error()})
	}
}

// offer tells what can be chosen now.
func (l *looper) offer() error {
	if l.organs.Offered == nil {
		return nil
	}
	o := l.organs.Offered(l.configured())
	if l.deferred != nil {
		deferred := l.deferred.Configured
		o.Deferred = &deferred
	}
	l.j.describe(o.Deferred)
	return l.j.emit(o)
}

// configured is the configuration that counts.
func (s *sess) configured() (c event.Configured) {
	s.j.with(func(h *history) { c = h.configured })
	return c
}

// retool names the tools for readers that join from now on.
func (j *journal) retool(names []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tools = names
}
