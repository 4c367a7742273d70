package engine

import (
	"context"
	"errors"
	"fmt"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// Planner makes the second model of a session.
type Planner struct {
	Model     string // provider/model
	Continues func(typed string) bool
	// Build makes the organs of the planner's own session. Nobody is asked about its
	// calls: what the policy does not allow is refused.
	Build func(ctx context.Context, s Services) (Organs, error)
}

// planner is the planner's session: a child in the same store, opened when there is
// something to plan. The parent's turn uses it, one at a time.
type planner struct {
	how    Planner
	engine *Engine
	store  session.Store
	// Of the parent.
	spec   protocol.Spec
	parent event.SessionID
	rec    *recorder
	hooks  *hooks

	child *sess // nil until the first plan
}

// Plan implements agent.Planner with one turn of the child.
func (p *planner) Plan(ctx context.Context, task string) (agent.Plan, error) {
	if err := p.open(ctx); err != nil {
		return agent.Plan{}, fmt.Errorf("open the planner's session: %w", err)
	}
	id := event.PromptID(p.engine.p.NewID())
	ended := p.child.turns.alone(ctx, event.PromptQueued{ID: id, Kind: event.KindPrompt, Display: task})
	plan := agent.Plan{Text: p.child.from.j.lastWords(), Source: string(p.child.from.id)}
	if ended.Cost != nil {
		plan.Cost = ended.Cost.Amount
	}
	told := p.rec.emit(event.ChildEnded{Session: p.child.from.id, Outcome: ended.Outcome, Usage: ended.Usage, Cost: ended.Cost})
	switch {
	case ended.Outcome == event.Completed, ended.Outcome == event.Denied:
		return plan, told
	case ended.Outcome == event.Refused:
		plan.Text = ""
	}
	return plan, errors.Join(fmt.Errorf("%s: %s", ended.Outcome, ended.Detail), told)
}

// open makes the child, or goes on with the one that an earlier turn made.
func (p *planner) open(ctx context.Context) error {
	if p.child != nil {
		return nil
	}
	var known event.SessionID
	p.rec.j.with(func(h *history) { known = h.planner })
	c := p.blank(known)
	err := c.from.resumeOrBegin(ctx)
	if err == nil {
		err = p.assemble(ctx, c)
	}
	if err != nil {
		return errors.Join(err, c.from.j.close())
	}
	p.child = c
	if c.from.id == known {
		return nil
	}
	return p.rec.emit(event.ChildStarted{Session: c.from.id, Profile: event.ProfilePlanner, Model: p.how.Model})
}

// blank is a child without organs.
func (p *planner) blank(id event.SessionID) *sess {
	c := p.engine.blank(p.store, protocol.Spec{Workspace: p.spec.Workspace, Session: id, Files: p.spec.Files})
	c.from.parent, c.from.client = p.parent, event.ProfilePlanner
	return c
}

func (p *planner) assemble(ctx context.Context, c *sess) error {
	organs, err := p.how.Build(ctx, c.services())
	if err != nil {
		return err
	}
	organs.Unasked = permission.Deny
	if p.hooks.runner != nil {
		organs.Hooks = ofCalls{p.hooks.runner, p.hooks}
	}
	organs.Configured.Title = "planner of " + string(p.parent)
	c.equip(organs)
	err = c.record()
	if err == nil {
		err = c.from.j.begin()
	}
	if err != nil {
		return errors.Join(err, organs.Close())
	}
	return nil
}

// close ends the child in order.
func (p *planner) close() error {
	if p == nil || p.child == nil {
		return nil
	}
	return p.child.end()
}

// lastWords is the text of the newest reply of this turn.
func (j *journal) lastWords() (text string) {
	j.with(func(h *history) { text = h.words })
	return text
}

// peopleOwn lists sessions less those that work for another.
func peopleOwn(ctx context.Context, store session.Store, q session.Query) ([]session.Meta, error) {
	var own []session.Meta
	for {
		page, err := store.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if m.Parent == "" || m.Client != event.ProfilePlanner {
				own = append(own, m)
			}
		}
		if q.Limit == 0 || len(page) < q.Limit {
			return own, nil
		}
		if len(own) >= q.Limit {
			return own[:q.Limit], nil
		}
		q.Before = page[len(page)-1].ID
	}
}
