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
	parent *sess
	how    Planner
	child  *sess // nil until the first plan
}

// coordinated puts the planner before the session's own runner.
func (s *sess) coordinated(r agent.Runner) agent.Runner {
	how := s.organs.Planner
	if how == nil {
		return r
	}
	s.planner = &planner{parent: s, how: *how}
	return &agent.Coordinator{
		Executor: r, Planner: s.planner, Model: how.Model, Continues: how.Continues, Emit: s.rec.emit, NewID: s.e.p.NewID,
	}
}

// Plan implements agent.Planner with one turn of the child.
func (p *planner) Plan(ctx context.Context, task string) (agent.Plan, error) {
	if err := p.open(ctx); err != nil {
		return agent.Plan{}, fmt.Errorf("open the planner's session: %w", err)
	}
	l := &looper{sess: p.child}
	id := event.PromptID(p.parent.e.p.NewID())
	turn, cancel := context.WithCancelCause(ctx)
	l.turn = &running{prompt: id, cancel: cancel}
	l.j.nextTurn()
	l.tally.reset(l.e.p.Now())
	err := l.runTurn(turn, event.PromptQueued{ID: id, Kind: event.KindPrompt, Display: task})
	ended := l.outcome(err)
	l.finishTurn(err)
	plan := agent.Plan{Text: l.j.lastWords(), Source: string(p.child.id)}
	if ended.Cost != nil {
		plan.Cost = ended.Cost.Amount
	}
	told := p.parent.rec.emit(event.ChildEnded{Session: p.child.id, Outcome: ended.Outcome, Usage: ended.Usage, Cost: ended.Cost})
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
	p.parent.j.with(func(h *history) { known = h.planner })
	c := p.blank(known)
	err := c.resumeOr(ctx, p.create(c))
	if err == nil {
		err = p.assemble(ctx, c)
	}
	if err != nil {
		return errors.Join(err, c.j.close())
	}
	p.child = c
	if c.id == known {
		return nil
	}
	return p.parent.rec.emit(event.ChildStarted{Session: c.id, Profile: event.ProfilePlanner, Model: p.how.Model})
}

// blank is a child without organs.
func (p *planner) blank(id event.SessionID) *sess {
	s := p.parent
	return s.e.blank(s.store, protocol.Spec{Workspace: s.spec.Workspace, Session: id, Files: s.spec.Files})
}

func (p *planner) create(c *sess) func() (session.Log, error) {
	return func() (session.Log, error) {
		m := c.meta()
		m.Parent, m.Client = p.parent.id, event.ProfilePlanner
		return c.store.Create(context.Background(), m)
	}
}

// resumeOr opens the session that the spec names. When there is none, or it was
// deleted, the session will be a new one.
func (s *sess) resumeOr(ctx context.Context, create func() (session.Log, error)) error {
	if s.spec.Session != "" {
		err := s.resume(ctx)
		if !errors.Is(err, session.ErrUnknown) {
			return err
		}
		s.spec.Session = ""
	}
	s.id, s.j.create = s.e.p.NewSession(), create
	s.j.id = s.id
	return nil
}

func (p *planner) assemble(ctx context.Context, c *sess) error {
	organs, err := p.how.Build(ctx, c.services())
	if err != nil {
		return err
	}
	organs.Unasked = permission.Deny
	if s := p.parent; s.organs.Hooks != nil {
		organs.Hooks = ofCalls{s.organs.Hooks, &s.hooks}
	}
	organs.Configured.Title = "planner of " + string(p.parent.id)
	c.equip(organs)
	err = c.record()
	if err == nil {
		err = c.j.begin()
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
	c := p.child
	return errors.Join(c.j.emit(event.Ended{Reason: "closed"}), c.organs.Close(), c.j.close())
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
