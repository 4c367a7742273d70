package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
)

// until is how long an answer holds.
type until int

const (
	holdsNever until = iota
	holdsOnce
	holdsSession
	holdsAlways
)

// offer is one answer a person may give, and what it grants.
type offer struct {
	event.Option
	until until
	rules []permission.Rule
}

// The ids of the options. What is granted by prefix has its own.
const (
	optionOnce    = "allow_once"
	optionSession = "allow_session"
	optionAlways  = "allow_always"
	optionReject  = "reject_once"
	byPrefix      = "_prefix"
)

// offers are the answers to a question. A fresh review is answered for once.
func (g *gate) offers(req agent.Request, why permission.Reason) []offer {
	offers := []offer{{Option: event.Option{ID: optionOnce, Label: "Allow once", Kind: event.AllowOnce}, until: holdsOnce}}
	if !why.Fresh {
		offers = slices.Concat(offers, g.forSession(req))
		if g.book.store != nil {
			offers = slices.Concat(offers, g.forEver(req))
		}
	}
	return append(offers, offer{Option: event.Option{ID: optionReject, Label: "Deny", Kind: event.RejectOnce}})
}

// forSession offers what spares the same question until the session ends.
func (g *gate) forSession(req agent.Request) []offer {
	policy, granted := g.book.rules(req)
	s := with(policy, granted).Suggest(req.Call.Name, json.RawMessage(req.Call.Arguments))
	spares := func(rules []permission.Rule) bool {
		return weigh(policy, slices.Concat(granted, rules), req).Decision == permission.Allow
	}
	o := offer{Option: event.Option{ID: optionSession, Label: "Allow for this session", Kind: event.AllowAlways}, until: holdsSession}
	widest, ok := o.granting(s.Session, spares)
	if !ok {
		widest, ok = o.granting(s.Exact, spares)
	}
	return withPrefix(widest, ok, o, s.Prefix, spares)
}

// forEver offers what spares the same question in later sessions too.
func (g *gate) forEver(req agent.Request) []offer {
	policy, _ := g.book.rules(req)
	s := policy.Suggest(req.Call.Name, json.RawMessage(req.Call.Arguments))
	spares := func(rules []permission.Rule) bool {
		return weigh(with(policy, rules), nil, req).Decision == permission.Allow
	}
	o := offer{Option: event.Option{ID: optionAlways, Label: "Always allow", Kind: event.AllowAlways}, until: holdsAlways}
	exact, ok := o.granting(s.Exact, spares)
	return withPrefix(exact, ok, o, s.Prefix, spares)
}

func with(p permission.Policy, rules []permission.Rule) permission.Policy {
	p.Allow = slices.Concat(p.Allow, rules)
	return p
}

// withPrefix lists an offer, if there is one, and the one by prefix behind it.
func withPrefix(exact offer, ok bool, o offer, prefix permission.Grant, spares func([]permission.Rule) bool) []offer {
	var offers []offer
	if ok {
		offers = append(offers, exact)
	}
	o.ID += byPrefix
	if wider, ok := o.granting(prefix, spares); ok {
		offers = append(offers, wider)
	}
	return offers
}

// granting is the offer to grant g. It is none when g has no rules, or rules that
// would not spare the question.
func (o offer) granting(g permission.Grant, spares func([]permission.Rule) bool) (offer, bool) {
	for _, text := range g.Rules {
		rule, err := permission.ParseRule(text)
		if err != nil {
			return offer{}, false
		}
		rule.Source = scopeSession
		o.rules = append(o.rules, rule)
	}
	o.Rules, o.Example, o.Detail = g.Rules, g.Example, strings.Join(g.Rules, ", ")
	return o, len(g.Rules) > 0 && spares(o.rules)
}

// choose returns the offer that was chosen; one that holds never for anything
// that was not offered.
func choose(offers []offer, answer event.Answer) offer {
	if answer.Cancelled || len(answer.Choice) != 1 {
		return offer{}
	}
	for _, o := range offers {
		if o.ID == answer.Choice[0] {
			return o
		}
	}
	return offer{}
}
