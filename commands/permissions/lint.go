package permissions

import (
	"fmt"
	"slices"
	"strings"

	"reasonix/core/permission"
)

// Kinds of a finding beside those of core/permission.
const (
	findInvalid = "invalid" // it is no rule
	findNarrow  = "narrow"  // it hits less than its writer meant
)

// finding is one thing that is wrong with a rule.
type finding struct {
	Kind    string `json:"kind"`    // invalid, unknown, never, shadowed, wide, narrow
	Verdict string `json:"verdict"` // of the list the rule stands in
	Rule    string `json:"rule"`    // as written
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	Hint    string `json:"hint"` // what to write instead; may be ""
	By      string `json:"by"`   // the rule that stands before it
	ByFile  string `json:"by_file"`
	ByLine  int    `json:"by_line"`
	place   string
}

// lint looks for rules that do not do what whoever wrote them meant. base is the
// policy they stand in; its own rules do not matter.
func lint(rules []standing, base permission.Policy) []finding {
	base.Allow, base.Ask, base.Deny, base.ReadOnlyCommands = nil, nil, nil, false
	l := linter{rules: rules, base: base, read: map[int][]permission.Finding{}}
	l.readRules()
	found := []finding{}
	for i, r := range rules {
		for _, f := range l.examine(i) {
			f.Verdict, f.Rule, f.File, f.Line, f.place = r.decision.String(), r.text, r.file, r.line, r.place()
			found = append(found, f)
		}
	}
	return found
}

type linter struct {
	rules []standing
	base  permission.Policy
	read  map[int][]permission.Finding // what the policy itself says of its rules
}

// readRules asks the policy about its rules.
func (l *linter) readRules() {
	p := l.base
	for _, r := range l.rules {
		switch {
		case r.err != nil:
		case r.decision == permission.Deny:
			p.Deny = append(p.Deny, r.Rule)
		case r.decision == permission.Ask:
			p.Ask = append(p.Ask, r.Rule)
		default:
			p.Allow = append(p.Allow, r.Rule)
		}
	}
	for _, f := range p.Lint(toolNames()) {
		for i, r := range slices.Backward(l.rules) { // of equal ones the later is superfluous
			said := slices.ContainsFunc(l.read[i], func(had permission.Finding) bool { return had.Kind == f.Kind })
			if r.err == nil && r.decision == f.List && r.Rule == f.Rule && !said {
				l.read[i] = append(l.read[i], f)
				break
			}
		}
	}
}

// examine says what is wrong with one rule: what its text shows, and else what the
// calls show that it is meant to match.
func (l *linter) examine(i int) []finding {
	r := l.rules[i]
	if r.err != nil {
		return []finding{{Kind: findInvalid, Message: r.err.Error()}}
	}
	var found []finding
	for _, f := range l.read[i] {
		if by, ok := l.shadowed(i); ok && f.Kind == permission.FindingShadowed {
			found = append(found, by) // it says where the other rule stands
			continue
		}
		found = append(found, finding{Kind: f.Kind, Message: f.Text})
	}
	if len(found) > 0 {
		return found
	}
	for _, look := range []func(int) (finding, bool){l.never, l.shadowed, l.narrow} {
		if f, ok := look(i); ok {
			return []finding{f}
		}
	}
	return nil
}

// with is the base with one rule in its list. What that rule does not decide goes
// the other way.
func (l *linter) with(r standing) permission.Policy {
	p := l.base
	p.Mode = permission.Allow
	switch r.decision {
	case permission.Deny:
		p.Deny = []permission.Rule{r.Rule}
	case permission.Ask:
		p.Ask = []permission.Rule{r.Rule}
	case permission.Allow:
		p.Mode, p.Allow = permission.Ask, []permission.Rule{r.Rule}
	}
	return p
}

// never finds a rule that the very calls it names do not match.
func (l *linter) never(i int) (finding, bool) {
	r := l.rules[i]
	calls := samples(r.Rule)
	if len(calls) == 0 {
		if strings.HasPrefix(strings.ToLower(r.Tool), "mcp__") || r.Spec == "" {
			return finding{}, false
		}
		return finding{Kind: permission.FindingNever, Message: "calls of " + r.Tool + " have nothing that a specifier is compared with", Hint: "write " + r.Tool}, true
	}
	p := l.with(r)
	var why string
	for _, c := range calls {
		got := p.Explain(c.tool, c.readOnly, c.args)
		if r.decision == permission.Allow && got.Decision == permission.Allow || r.decision != permission.Allow && got.Decision >= r.decision {
			return finding{}, false
		}
		why = reason(got)
	}
	f := finding{Kind: permission.FindingNever, Message: "no call matches it"}
	if why != "" {
		f.Message += ": " + why
	}
	return f, true
}

// reason is why a call is not what its rule says, in words.
func reason(got permission.Reason) string {
	if got.Why != "" {
		return got.Why
	}
	for _, p := range got.Parts {
		if p.Why != "" {
			return p.Why
		}
	}
	return ""
}

// shadowed finds a rule whose calls another one decides before: one of a list
// that counts more, or a wider one of the same list.
func (l *linter) shadowed(i int) (finding, bool) {
	r := l.rules[i]
	for j, other := range l.rules {
		if i == j || other.err != nil || other.off != "" || other.decision < r.decision || !l.covers(other, r) {
			continue
		}
		if other.decision == r.decision && j > i && l.covers(r, other) {
			continue // the same: the later one is superfluous
		}
		f := finding{Kind: permission.FindingShadowed, By: other.Rule.String(), ByFile: other.file, ByLine: other.line}
		if other.decision == r.decision {
			f.Message = fmt.Sprintf("%s (%s) covers it already", f.By, other.place())
		} else {
			f.Message = fmt.Sprintf("it never counts: the %s rule %s (%s) speaks of the same calls", other.decision, f.By, other.place())
		}
		return f, true
	}
	return finding{}, false
}

// covers reports whether rule a decides every call that b is meant to match.
func (l *linter) covers(a, b standing) bool {
	calls := samples(b.Rule)
	p := l.with(a)
	for _, c := range calls {
		if got := p.Explain(c.tool, c.readOnly, c.args); got.Decision != a.decision || got.Rule != a.Rule {
			return false
		}
	}
	return len(calls) > 0
}

// narrow finds a deny or ask rule for a program without its arguments.
func (l *linter) narrow(i int) (finding, bool) {
	r := l.rules[i]
	if r.decision == permission.Allow || !strings.EqualFold(r.Tool, shellTool) || r.Literal || r.Spec == "" || strings.ContainsAny(r.Spec, "* \t") {
		return finding{}, false
	}
	return finding{
		Kind: findNarrow, Message: r.Spec + " with any argument is another command, of which it does not speak",
		Hint: "write " + r.Tool + "(" + r.Spec + ":*), or " + r.Tool + "=" + r.Spec + " if that is meant",
	}, true
}
