package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
)

// Guardian reviews calls in the user's place where the configuration lets it: those
// that permission.Reviewed names. *agent.Guardian is one.
type Guardian interface {
	Review(ctx context.Context, c agent.Case) agent.Review
}

// maxTyped is how many of the user's last words a guardian sees.
const maxTyped = 3

// typed are the user's last words, oldest first. Safe for concurrent use.
type typed struct {
	mu    sync.Mutex
	words []string
}

// hear keeps what a person typed. What the host adds to it, and data that came with
// it, is not theirs.
func (t *typed) hear(words string) {
	if words == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.words = append(t.words, words)
	t.words = t.words[max(0, len(t.words)-maxTyped):]
}

func (t *typed) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.words)
}

// review has the guardian answer for a call. Its verdict is final; without one the
// call is a fresh review, which only a person answers.
func (g *gate) review(ctx context.Context, req agent.Request, why permission.Reason) (agent.Verdict, error) {
	if v, answered, err := g.askHooks(ctx, req, why); answered || err != nil {
		return v, err
	}
	r, err := g.askGuardian(ctx, req, why)
	if err != nil {
		return agent.Verdict{}, err
	}
	switch r.Judgement {
	case agent.JudgedAllow:
		return g.allow(req, "reviewed by "+r.Model+colon(r.Reason)), nil
	case agent.JudgedDeny:
		return agent.Verdict{Rule: why.String(), Reason: "the review by " + r.Model + " denied it" + colon(r.Reason)}, nil
	case agent.NoJudgement:
	}
	why = why.Unreviewed("the review gave no verdict" + colon(r.Reason))
	if permission.Settle(why, g.book.stance(), g.interactive, g.headless) != permission.Ask {
		g.tally.refuse()
		return agent.Verdict{Rule: why.String(), Reason: g.unasked(req, why)}, nil
	}
	g.asking.Lock()
	defer g.asking.Unlock()
	if ctx.Err() != nil {
		return agent.Verdict{}, ctx.Err()
	}
	return g.askPerson(ctx, req, why)
}

// askGuardian asks for a verdict and records what it said and cost.
func (g *gate) askGuardian(ctx context.Context, req agent.Request, why permission.Reason) (agent.Review, error) {
	guardian := g.guardian
	if guardian == nil {
		return agent.Review{Reason: "no model reviews calls here"}, nil
	}
	if err := g.rec.emit(event.Phase{Name: event.PhasePermission, Detail: "a review of " + req.Subject.Title}); err != nil {
		return agent.Review{}, err
	}
	r := guardian.Review(ctx, agent.Case{
		Call: req.Call, Dir: cmp.Or(req.Subject.Dir, g.workspace), Said: g.typed.last(),
		Why: cmp.Or(askedBecause(why), "no rule speaks of it"),
	})
	said := event.Answered{ID: event.RequestID("review-" + req.Call.ID), By: event.ByGuardian, Usage: r.Usage, Cost: r.Cost}
	said.Answer.Text = r.Reason
	switch r.Judgement {
	case agent.JudgedAllow:
		said.Answer.Choice = []string{optionOnce}
	case agent.JudgedDeny:
		said.Answer.Choice = []string{optionReject}
	case agent.NoJudgement:
		said.Answer.Cancelled = true
	}
	if err := g.rec.emit(said); err != nil {
		return agent.Review{}, err
	}
	if ctx.Err() != nil {
		return agent.Review{}, ctx.Err()
	}
	return r, g.rec.emit(event.Phase{Name: event.PhaseTool, Detail: req.Subject.Title})
}
