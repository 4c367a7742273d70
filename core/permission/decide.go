package permission

import "encoding/json"

func (p *Policy) judge(toolName string, readOnly bool, args json.RawMessage, explain bool) Reason {
	if len(p.Deny)+len(p.Ask)+len(p.Allow) == 0 {
		return p.fallback(readOnly)
	}
	s := subjectsOf(args)
	if memberOf(toolName) == familyBash {
		return p.judgeShell(toolName, readOnly, s.command, s.more, explain)
	}
	for i, rules := range [...][]Rule{p.Deny, p.Ask} {
		for _, r := range rules {
			if r.speaksOf(toolName) && p.hits(r, &s) {
				return byRule([...]Decision{Deny, Ask}[i], r)
			}
		}
	}
	for _, r := range p.Allow {
		if r.speaksOf(toolName) && p.covers(r, &s) {
			return byRule(Allow, r)
		}
	}
	return p.fallback(readOnly)
}

func (p *Policy) fallback(readOnly bool) Reason {
	if readOnly {
		return Reason{Decision: Allow, Source: Fallback}
	}
	return Reason{Decision: p.Mode, Source: Fallback}
}

func byRule(d Decision, r Rule) Reason {
	return Reason{Decision: d, Rule: r, Source: r.Source, Explicit: true}
}

// judgeShell judges every simple command of a script and takes the strictest
// verdict. repeated says that the arguments held two different commands.
func (p *Policy) judgeShell(toolName string, readOnly bool, text string, repeated, explain bool) Reason {
	deny, ask, allow := about(p.Deny, toolName), about(p.Ask, toolName), about(p.Allow, toolName)
	if r, ok := bare(deny); ok {
		return byRule(Deny, r)
	}
	if len(deny)+len(ask)+len(allow) == 0 {
		return p.fallback(readOnly)
	}
	script := p.read(text)
	verdict := p.fallback(readOnly)
	if r, ok := p.coverScript(allow, script, text, repeated); ok {
		verdict = byRule(Allow, r)
	}
	if r, why, ok := strictest(ask, script, text, repeated); ok {
		verdict = byRule(Ask, r)
		verdict.Why = why
	}
	if r, why, ok := strictest(deny, script, text, repeated); ok {
		verdict = byRule(Deny, r)
		if why != "" && verdict.Decision == Deny {
			verdict.Decision, verdict.Why, verdict.Fresh = Ask, why, true
		}
	}
	if verdict.Decision == Ask && p.Mode == Deny && verdict.Why != "" {
		verdict.Decision, verdict.Fresh = Deny, false // what may be denied is no milder than the fallback
	}
	if explain {
		verdict.Parts = p.parts(deny, ask, allow, script, readOnly)
	}
	return verdict
}

func (p *Policy) read(text string) script {
	if p.PowerShell {
		return plain(text)
	}
	return analyse(text)
}

// about returns the rules that speak of toolName.
func about(rules []Rule, toolName string) []Rule {
	for i, r := range rules {
		if !r.speaksOf(toolName) {
			kept := append([]Rule(nil), rules[:i]...)
			for _, r := range rules[i+1:] {
				if r.speaksOf(toolName) {
					kept = append(kept, r)
				}
			}
			return kept
		}
	}
	return rules
}

func bare(rules []Rule) (Rule, bool) {
	for _, r := range rules {
		if r.Spec == "" {
			return r, true
		}
	}
	return Rule{}, false
}

// strictest finds a rule that hits one command of the script. A rule that only
// may hit, because a word is made at run time or the script cannot be read, is
// returned with the reason; a certain hit goes first.
func strictest(rules []Rule, s script, text string, repeated bool) (hit Rule, why string, ok bool) {
	for _, r := range rules {
		if r.Spec == "" || r.Spec == text {
			return r, "", true
		}
		for _, c := range s.commands {
			switch c.hitBy(r) {
			case certain:
				return r, "", true
			case possible:
				hit, why, ok = r, "part of the command is made at run time", true
			case impossible:
			}
		}
		if s.unread != "" || repeated {
			hit, why, ok = r, "the command cannot be read: "+s.unread, true
		}
	}
	return hit, why, ok
}

// coverScript returns the rule that covers the script's last command when every
// command is covered, or the one that names the script as a whole.
func (p *Policy) coverScript(rules []Rule, s script, text string, repeated bool) (Rule, bool) {
	if r, ok := bare(rules); ok {
		return r, true
	}
	if repeated {
		return Rule{}, false
	}
	for _, r := range rules {
		if r.Spec == text {
			return r, true
		}
	}
	if s.unread != "" || len(s.commands) == 0 {
		return Rule{}, false
	}
	var last Rule
	for _, c := range s.commands {
		r, ok := c.coveredBy(rules)
		if !ok {
			return Rule{}, false
		}
		last = r
	}
	return last, true
}

// parts judges each command alone, for whoever explains a decision.
func (p *Policy) parts(deny, ask, allow []Rule, s script, readOnly bool) []Part {
	parts := make([]Part, 0, len(s.commands))
	for _, c := range s.commands {
		one := script{commands: []command{c}}
		part := Part{Kind: "command", Text: c.text, Decision: p.fallback(readOnly).Decision}
		if r, ok := p.coverScript(allow, one, c.text, false); ok {
			part.Decision, part.Rule = Allow, r
		}
		if r, _, ok := strictest(ask, one, c.text, false); ok {
			part.Decision, part.Rule = Ask, r
		}
		if r, why, ok := strictest(deny, one, c.text, false); ok {
			part.Rule, part.Decision = r, Deny
			if why != "" {
				part.Decision = max(Ask, p.Mode)
			}
		}
		parts = append(parts, part)
	}
	return parts
}
