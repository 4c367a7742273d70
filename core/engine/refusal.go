package engine

import (
	"cmp"
	"fmt"
	"strings"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
)

// The reasons of refusals, as the model reads them. The agent adds that it must
// not try another way round.

// forbidden is why a call was refused whatever a person would say.
func forbidden(why permission.Reason) string {
	about := concerned(why)
	switch {
	case why.Rule != (permission.Rule{}) && about == "":
		return "the rule " + why.String() + " forbids it"
	case why.Rule != (permission.Rule{}):
		return "the rule " + why.String() + " forbids " + about
	case why.Source != permission.Fallback:
		return cmp.Or(why.Why, why.Source)
	case about == "":
		return "no rule allows it, and permissions.mode is deny"
	}
	return "no rule allows " + about + ", and permissions.mode is deny"
}

// unasked is why a call was refused that a person could have allowed.
func (g *gate) unasked(req agent.Request, why permission.Reason) string {
	if why.Fresh {
		return "it needs the review of a person, which no rule replaces, and nobody can be asked" + colon(why.Why)
	}
	needs := "it needs an approval"
	if about := concerned(why); about != "" {
		needs = "an approval is needed for " + about
	}
	return fmt.Sprintf("%s and nobody can be asked (%s)", needs, g.wayOut(req, why))
}

// wayOut names the rules that would allow a call, or the one that asks in spite
// of any.
func (g *gate) wayOut(req agent.Request, why permission.Reason) string {
	switch offers := g.forEver(req); {
	case len(offers) == 0 && why.Explicit:
		return "the rule " + ruleWithSource(why.Rule, why.Source) + " asks whatever another allows"
	case len(offers) == 0:
		return "no rule can allow it"
	case len(offers[0].Rules) == 1:
		return "a rule that allows it: " + offers[0].Detail
	default:
		return "rules that allow it: " + offers[0].Detail
	}
}

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// refused is why a call was refused by a person, with the word for the model.
func refused(answer event.Answer) string {
	return "the user denied it" + colon(strings.TrimSpace(answer.Text))
}

// concerned names the commands of a chain that the decision is about, empty when
// it is about all of it.
func concerned(why permission.Reason) string {
	var names []string
	for _, p := range why.Parts {
		if p.Decision == why.Decision {
			names = append(names, "`"+p.Text+"`")
		}
	}
	if len(names) == len(why.Parts) {
		return ""
	}
	return strings.Join(names, ", ")
}
