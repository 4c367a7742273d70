package engine

import (
	"encoding/json"
	"strings"

	"reasonix/core/agent"
	"reasonix/core/permission"
)

// weigh judges a call by a policy and by what was granted for the session. A
// grant is an allow rule, and more: it also answers an ask rule, when it names the
// one thing that was asked about or says what that rule says. One given for
// something else does not, so that all edits do not include those a rule asks
// about.
func weigh(p permission.Policy, granted []permission.Rule, req agent.Request) permission.Reason {
	why := explain(with(p, granted), req)
	if why.Decision != permission.Ask || why.Fresh || !why.Explicit || len(granted) == 0 {
		return why
	}
	if rule, ok := answered(p, granted, why, req); ok {
		return permission.Reason{Decision: permission.Allow, Rule: rule, Source: rule.Source, Explicit: true, Parts: why.Parts}
	}
	return why
}

// answered returns a grant when grants answer all that rules ask about a call.
func answered(p permission.Policy, granted []permission.Rule, why permission.Reason, req agent.Request) (permission.Rule, bool) {
	if rule, ok := covered(p, granted, why.Rule, req); ok {
		return rule, true
	}
	var last permission.Rule
	for _, part := range why.Parts {
		if part.Decision != permission.Ask {
			continue
		}
		rule, ok := covered(p, granted, part.Rule, alone(part, req))
		if part.Fresh || !ok {
			return permission.Rule{}, false
		}
		last = rule
	}
	return last, last != permission.Rule{}
}

// covered returns the grant that answers the ask rule about one call.
func covered(p permission.Policy, granted []permission.Rule, ask permission.Rule, req agent.Request) (permission.Rule, bool) {
	p.Mode, p.Ask, p.ReadOnlyCommands = permission.Ask, nil, false
	p.Dir = req.Subject.Dir
	p.Allow = nil
	for _, r := range granted {
		if ask == (permission.Rule{}) || namesOne(r) || r.String() == ask.String() {
			p.Allow = append(p.Allow, r)
		}
	}
	why := explain(p, req)
	return why.Rule, why.Decision == permission.Allow && why.Rule != permission.Rule{}
}

// alone is one part of a chain as a call of its own.
func alone(part permission.Part, req agent.Request) agent.Request {
	key, value := "command", part.Text
	switch part.Kind {
	case "write":
		req.Call.Name, key, value = "write_file", "path", part.Path
	case "read":
		req.Call.Name, key, value = "read_file", "path", part.Path
	}
	args, _ := json.Marshal(map[string]string{key: value}) // never fails
	req.Call.Arguments = string(args)
	req.Subject.Dir = part.Dir
	return req
}

// namesOne reports whether a rule speaks of one subject alone.
func namesOne(r permission.Rule) bool {
	return r.Spec != "" && (r.Literal || !strings.HasSuffix(r.Spec, ":*") && !hasPattern(r.Spec))
}

// hasPattern reports whether a spec has a special character that is not escaped.
func hasPattern(spec string) bool {
	for i := 0; i < len(spec); i++ {
		switch spec[i] {
		case '\\':
			i++
		case '*', '?', '[', '{':
			return true
		}
	}
	return false
}
