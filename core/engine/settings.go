package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
)

// settings is the configuration of a session and how it changes, and what can be chosen.
// The session's goroutine uses it.
type settings struct {
	rec   *recorder
	book  *rulebook
	works *works
	busy  func() bool     // a turn runs
	stop  <-chan struct{} // closed when the session is to end
	// As in Organs.
	offered     func(event.Configured) event.Offered
	reconfigure func(ctx context.Context, next event.Configured) (Working, error)
	dirs        func(dirs []string) error
	tools       func(event.Configured) (tools *tool.Registry, runner func(event.Configured) (agent.Runner, error), ok bool, err error)
	again       func(ctx context.Context) ([]event.Notice, error)

	deferred *Working    // counts from the end of the turn on
	reloads  bool        // what can be read again is, at the end of the turn
	stale    atomic.Bool // a compaction broke the prefix: tools may be listed anew
}

// follow takes in what was recorded. Any goroutine calls it.
func (c *settings) follow(p event.Payload) {
	if folded, ok := p.(event.Folded); ok && len(folded.Edits) > 0 {
		c.stale.Store(true)
	}
}

// turnEnded does what waited for the end of a turn.
func (c *settings) turnEnded() {
	c.adoptDeferred()
	c.refresh()
	if !c.reloads {
		return
	}
	if err := c.reload(); err != nil && !errors.Is(err, protocol.ErrClosed) { // the next opening reads them
		c.rec.j.warn(event.Notice{Level: event.LevelError, Code: "reload_failed", Args: []string{err.Error()}, Text: "commands, skills and hooks could not be read again: " + err.Error()})
	}
}

// configure serves the Op. One with a field that nobody can act on changes nothing; where
// the journal fails, what it took before that counts. What cannot count while a turn runs waits
// for its end.
func (c *settings) configure(op protocol.Configure) error {
	working, err := c.prepare(op)
	if err != nil {
		return err
	}
	now := c.rec.j.configured()
	if len(op.AddDirs) > 0 {
		if err := c.addDirs(op.AddDirs); err != nil {
			return err
		}
	}
	if err := c.atOnce(op, now); err != nil {
		return err
	}
	if working == nil {
		return nil
	}
	if !c.busy() {
		return c.adopt(*working)
	}
	c.deferred = working
	return c.offer()
}

// prepare checks the Op and makes what it needs, without changing anything; nil: it
// needs nothing.
func (c *settings) prepare(op protocol.Configure) (*Working, error) {
	if err := c.check(op); err != nil {
		return nil, err
	}
	if !reworks(op) {
		return nil, nil //nolint:nilnil // see above
	}
	if c.reconfigure == nil {
		return nil, &protocol.BadOp{Op: "Configure", Reason: "this session keeps its configuration"}
	}
	next := c.rec.j.configured()
	if c.deferred != nil {
		next = c.deferred.Configured
	}
	amend(&next, op)
	next.By = event.BySession
	var w Working
	err := c.whileOpen(func(ctx context.Context) (err error) {
		w, err = c.reconfigure(ctx, next)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &w, nil
}

// whileOpen does what may take a while, which Close does not wait for.
func (c *settings) whileOpen(do func(ctx context.Context) error) error {
	ctx, cancel := lasting(c.stop)
	defer cancel()
	err := do(ctx)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", protocol.ErrClosed, err)
	}
	return err
}

// check refuses what has no meaning before anything is changed.
func (c *settings) check(op protocol.Configure) error {
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
	if len(op.AddDirs) > 0 && c.dirs == nil {
		return bad("AddDirs", "no directory can be added to this session")
	}
	return nil
}

// reworks reports whether op changes what the loop is made of.
func reworks(op protocol.Configure) bool {
	return op.Model != nil || op.Effort != nil || op.WorkMode != nil || op.Limits != protocol.Limits{}
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
	c.Limits = op.Limits.Over(c.Limits)
}

// atOnce records and obeys what counts while a turn runs.
func (c *settings) atOnce(op protocol.Configure, now event.Configured) error {
	next := now
	amend(&next, protocol.Configure{Approval: op.Approval, Mode: op.Mode, Title: op.Title})
	if next == now {
		return nil
	}
	next.By = event.BySession
	if err := c.rec.j.emit(next); err != nil {
		return err
	}
	if d := c.deferred; d != nil {
		d.Configured.Approval, d.Configured.Mode, d.Configured.Title = next.Approval, next.Mode, next.Title
	}
	if op.Approval != nil {
		c.book.setPosture(permission.Posture(*op.Approval))
	}
	return nil
}

func (c *settings) addDirs(dirs []string) error {
	if err := c.dirs(dirs); err != nil {
		return &protocol.BadOp{Op: "Configure", Field: "AddDirs", Reason: err.Error()}
	}
	for _, dir := range dirs {
		granted := event.Granted{Rule: event.GrantWrite + dir, Scope: scopeSession}
		if err := c.rec.j.emit(granted); err != nil {
			return err
		}
		c.book.observe(granted)
	}
	return nil
}

// adopt works with another configuration from now on. No turn runs.
func (c *settings) adopt(w Working) error {
	before := c.rec.j.configured()
	w.Configured.Approval, w.Configured.Mode, w.Configured.Title = before.Approval, before.Mode, before.Title
	if err := c.rec.j.emit(w.Configured); err != nil {
		return err // it goes on as the journal says
	}
	c.work(w.Runner, w.Planner)
	if w.Configured.WorkMode != before.WorkMode {
		if err := c.list(w.Tools, "work_mode"); err != nil {
			return err
		}
	}
	return c.offer()
}

// work makes turns run on other parts. What they ran on before is in nobody's way, closed
// or not.
func (c *settings) work(runner func(event.Configured) (agent.Runner, error), plans *Planner) {
	if err := c.works.change(runner, plans); err != nil {
		c.rec.j.warn(event.Notice{
			Level: event.LevelWarning, Code: "left_open", Args: []string{err.Error()}, Text: "what the session worked with before could not be closed: " + err.Error(),
		})
	}
}

// list tells the model of other tools from the next request on.
func (c *settings) list(tools *tool.Registry, reason string) error {
	var system string
	c.rec.j.with(func(h *history) { system = h.prefix.System })
	c.rec.j.retool(tools.Names())
	return c.rec.j.emit(prefixSet(system, tools.Schemas(), reason))
}

// refresh lists the tools of servers anew after a turn in which a compaction broke the
// prefix. What fails is told, and the tools stay as they are.
func (c *settings) refresh() {
	if !c.stale.Swap(false) || c.tools == nil {
		return
	}
	tools, runner, ok, err := c.tools(c.rec.j.configured())
	if err == nil && ok {
		err = c.list(tools, "servers")
	}
	if err == nil && ok {
		c.work(runner, c.works.plans)
	}
	if err != nil {
		c.rec.j.warn(event.Notice{Level: event.LevelWarning, Code: "tools_kept", Args: []string{err.Error()}, Text: "the tools of servers could not be listed anew: " + err.Error()})
	}
}

// adoptDeferred is for the end of a turn. What fails is told: nobody waits for an
// answer.
func (c *settings) adoptDeferred() {
	if c.deferred == nil {
		return
	}
	w := *c.deferred
	c.deferred = nil
	if err := c.adopt(w); err != nil {
		c.rec.j.warn(event.Notice{Level: event.LevelError, Code: "configure_failed", Args: []string{err.Error()}, Text: "the configuration could not be changed: " + err.Error()})
	}
}

// reload serves the Op between turns.
func (c *settings) reload() error {
	if c.again == nil {
		return nil
	}
	if c.busy() {
		c.reloads = true
		return nil
	}
	c.reloads = false
	var notices []event.Notice
	err := c.whileOpen(func(ctx context.Context) (err error) {
		notices, err = c.again(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, n := range notices {
		if err := c.rec.j.emit(n); err != nil {
			return err
		}
	}
	return c.offer()
}

// offer tells what can be chosen now.
func (c *settings) offer() error {
	if c.offered == nil {
		return nil
	}
	o := c.offered(c.rec.j.configured())
	if c.deferred != nil {
		deferred := c.deferred.Configured
		o.Deferred = &deferred
	}
	c.rec.j.describe(o.Deferred)
	return c.rec.j.emit(o)
}

// configured is the configuration that counts.
func (j *journal) configured() (c event.Configured) {
	j.with(func(h *history) { c = h.configured })
	return c
}

// retool names the tools for readers that join from now on.
func (j *journal) retool(names []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tools = names
}
