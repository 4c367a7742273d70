package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
)

// askUser puts the call to the person behind the front end.
func (g *gate) askUser(ctx context.Context, req agent.Request, why permission.Reason) (agent.Verdict, error) {
	if v, answered, err := g.askHooks(ctx, req, why); answered || err != nil {
		return v, err
	}
	// The hooks took their time, and another word may count by now.
	if why, decision := g.judge(req); decision != permission.Ask {
		return g.settled(req, why, decision), nil
	}
	return g.askPerson(ctx, req, why)
}

// askPerson asks when hooks had their say.
func (g *gate) askPerson(ctx context.Context, req agent.Request, why permission.Reason) (agent.Verdict, error) {
	offers := g.offers(req, why)
	q := g.question(ctx, req, why, offers)
	answered, spared, err := g.book.pose(q, why)
	if err != nil {
		return agent.Verdict{}, err
	}
	if spared {
		return g.settled(req, why, permission.Allow), nil
	}
	defer g.book.unwatch(q.ID)
	answer, err := g.asks.await(ctx, event.PhasePermission, q, answered)
	if err != nil {
		return agent.Verdict{}, err
	}
	switch chosen := choose(offers, answer); chosen.until {
	case holdsOnce:
		v := g.allow(req, "allowed once")
		v.Release = why.Release
		return v, nil
	case holdsSession:
		return g.allow(req, "allowed for the session: "+chosen.Detail), g.book.grant(chosen.rules)
	case holdsAlways:
		return g.allow(req, "allowed always: "+chosen.Detail), g.book.keep(ctx, chosen.rules)
	case holdsNever:
	}
	return agent.Verdict{Rule: why.String(), Reason: refused(answer)}, nil
}

// question is all that a person needs to know of the call, for every front end
// alike.
func (g *gate) question(ctx context.Context, req agent.Request, why permission.Reason, offers []offer) event.Question {
	q := event.Question{
		ID: event.RequestID(g.newID()), Kind: event.AskPermission, Call: req.Call.ID,
		Tool: req.Call.Name, Title: req.Subject.Title, Reason: req.Subject.Reason,
		Dir: cmp.Or(req.Subject.Dir, g.workspace), Sandbox: g.held(req),
		Why: askedBecause(why), Parts: chain(why.Parts), Fresh: why.Fresh,
	}
	if req.Subject.Preview != nil {
		q.Diffs = req.Subject.Preview(ctx)
	}
	if len(q.Diffs) == 0 {
		q.Body = wholeCall(req.Call.Arguments)
	}
	for _, o := range offers {
		q.Options = append(q.Options, o.Option)
		if o.until == holdsSession {
			q.Rule = cmp.Or(q.Rule, o.Detail)
		}
	}
	return q
}

// askedBecause is why a call is asked about, empty when no rule speaks of it.
func askedBecause(why permission.Reason) string {
	switch {
	case why.Why != "":
		return why.Why
	case why.Rule != (permission.Rule{}):
		return "the rule " + ruleWithSource(why.Rule, why.Source) + " asks"
	}
	return ""
}

// chain is the verdict of each command of a call that has several.
func chain(parts []permission.Part) []event.Part {
	if len(parts) < 2 {
		return nil
	}
	told := make([]event.Part, len(parts))
	for i, p := range parts {
		told[i] = event.Part{Text: p.Text, Verdict: p.Decision.String(), Why: p.Why}
		if p.Rule != (permission.Rule{}) {
			told[i].Rule = ruleWithSource(p.Rule, p.Source)
		}
	}
	return told
}

// wholeCall is everything a call would do, as a person reads it: the command, or
// all arguments.
func wholeCall(args string) string {
	var command struct {
		Command string `json:"command"`
	}
	if json.Unmarshal([]byte(args), &command) == nil && command.Command != "" {
		return command.Command
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(args), "", "  ") != nil {
		return args
	}
	return pretty.String()
}
