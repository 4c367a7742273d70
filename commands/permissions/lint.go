package permissions

import (
	"fmt"
	"strings"

	"reasonix/core/permission"
)

// The kinds of finding.
const (
	findInvalid  = "invalid"
	findUnknown  = "unknown_tool"
	findNever    = "never_matches"
	findShadowed = "shadowed"
	findWide     = "too_wide"
	findNarrow   = "too_narrow"
)

// finding is one thing that is wrong with a rule.
type finding struct {
	Kind    string `json:"kind"`
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
	found := []finding{}
	base.Allow, base.Ask, base.Deny, base.ReadOnlyCommands = nil, nil, nil, false
	l := linter{rules: rules, base: base}
	for i, r := range rules {
		if f, ok := l.examine(i); ok {
			f.Verdict, f.Rule, f.File, f.Line, f.place = r.decision.String(), r.text, r.file, r.line, r.place()
			found = append(found, f)
		}
	}
	return found
}

type linter struct {
	rules []standing
	base  permission.Policy
}

// examine finds the worst that can be said of one rule.
func (l *linter) examine(i int) (finding, bool) {
	r := l.rules[i]
	if r.err != nil {
		return finding{Kind: findInvalid, Message: r.err.Error()}, true
	}
	if nearest, ok := permission.Known(r.Rule, toolNames()); !ok {
		f := finding{Kind: findUnknown, Message: "there is no tool " + r.Tool}
		if nearest != "" {
			f.Hint = "did you mean " + nearest + "?"
		}
		return f, true
	}
	for _, look := range []func(int) (finding, bool){l.never, l.wide, l.shadowed, l.narrow} {
		if f, ok := look(i); ok {
			return f, true
		}
	}
	return finding{}, false
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
		return finding{Kind: findNever, Message: "calls of " + r.Tool + " have nothing that a specifier is compared with", Hint: r.Tool}, true
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
	f := finding{Kind: findNever, Message: "no call matches it"}
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
	if r.off != "" {
		return finding{}, false
	}
	for j, other := range l.rules {
		if i == j || other.err != nil || other.off != "" || other.decision < r.decision || !l.covers(other, r) {
			continue
		}
		if other.decision == r.decision && j > i && l.covers(r, other) {
			continue // the same: the later one is superfluous
		}
		f := finding{Kind: findShadowed, By: other.Rule.String(), ByFile: other.file, ByLine: other.line}
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
