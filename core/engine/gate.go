package engine

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"reasonix/core/agent"
	"reasonix/core/permission"
)

// gate decides every call: the policy first, then the posture, then a person
// when there is one. Safe for concurrent use.
type gate struct {
	rec         *recorder
	book        *rulebook
	asks        *questions
	hooks       *hooks
	tally       *tally // counts what is refused because nobody could be asked
	newID       func() string
	workspace   string
	interactive bool // there is a person
	// As in Organs.
	headless permission.Decision // Unasked
	sandbox  func() string
	guardian Guardian

	asking sync.Mutex // held while a person is asked
	typed  typed      // what a guardian is told of
}

// touchesNothing names the built-ins whose calls change nothing but the
// conversation: no approval is asked for them, and only a rule stops one.
func touchesNothing(name string) bool { return name == "ask" || name == "todo_write" }

// Check implements agent.Gate.
func (g *gate) Check(ctx context.Context, req agent.Request) (agent.Verdict, error) {
	why, decision := g.judge(req)
	if permission.Reviewed(why, g.book.stance()) {
		return g.review(ctx, req, why)
	}
	if decision == permission.Ask {
		// One question at a time, judged again: the last answer may have been a
		// grant that covers this call too.
		g.asking.Lock()
		defer g.asking.Unlock()
		if ctx.Err() != nil {
			return agent.Verdict{}, ctx.Err()
		}
		why, decision = g.judge(req)
	}
	if decision == permission.Ask {
		return g.askUser(ctx, req, why)
	}
	return g.settled(req, why, decision), nil
}

// settled is the verdict where nobody is asked.
func (g *gate) settled(req agent.Request, why permission.Reason, decision permission.Decision) agent.Verdict {
	switch {
	case decision == permission.Allow:
		v := g.allow(req, g.because(req, why))
		v.Reads = why.Source == permission.OnlyReads || touchesNothing(req.Call.Name)
		return v
	case why.Decision == permission.Deny:
		return agent.Verdict{Rule: why.String(), Reason: forbidden(why)}
	}
	g.tally.refuse()
	return agent.Verdict{Rule: why.String(), Reason: g.unasked(req, why)}
}

// judge asks the policy as it stands now. An Ask comes back only when there is a
// person.
func (g *gate) judge(req agent.Request) (permission.Reason, permission.Decision) {
	policy, granted := g.book.rules(req)
	why := heed(weigh(policy, granted, req), req.Hooks)
	return why, permission.Settle(why, g.book.stance(), g.interactive, g.headless)
}

// allow lets a call run. What holds it is said of commands: other tools work in
// this process and hold themselves to the workspace.
func (g *gate) allow(req agent.Request, rule string) agent.Verdict {
	return agent.Verdict{Allow: true, Rule: rule, Held: g.held(req)}
}

func (g *gate) held(req agent.Request) string {
	if req.Subject.Kind != "execute" || g.sandbox == nil {
		return ""
	}
	return g.sandbox()
}

// because says why a call runs unasked.
func (g *gate) because(req agent.Request, why permission.Reason) string {
	switch {
	case why.Decision == permission.Ask && g.book.stance().Apply(why) == permission.Ask:
		return "headless"
	case why.Decision == permission.Ask:
		return "posture " + string(g.book.stance())
	case why.Rule != (permission.Rule{}):
		return ruleWithSource(why.Rule, why.Source)
	case why.Source == permission.OnlyReads, strings.HasPrefix(why.Source, fromHook):
		return why.Source
	case why.Source == permission.ByApprovalMode:
		return why.Why
	case req.ReadOnly:
		return "it only reads"
	case touchesNothing(req.Call.Name):
		return "it changes nothing"
	}
	return "permissions.mode allow"
}

// ruleWithSource is a rule and where it stands.
func ruleWithSource(r permission.Rule, source string) string {
	if source == "" {
		return r.String()
	}
	return r.String() + " (" + source + ")"
}

// explain asks one policy about a call.
func explain(p permission.Policy, req agent.Request) permission.Reason {
	return p.Explain(req.Call.Name, req.ReadOnly || touchesNothing(req.Call.Name), json.RawMessage(req.Call.Arguments))
}
