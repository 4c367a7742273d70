package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Listed is a rule that Lint looks at.
type Listed struct {
	Rule
	List Decision // it stands in: allow, ask or deny
	Off  bool     // it does not count yet, so that it decides before no other
}

// Member is a tool that there is, for Lint to try rules with.
type Member struct {
	Name     string
	ReadOnly bool
	Keys     []string // its arguments that rules are compared with
}

// Finding is something about a rule that its writer will want to know.
type Finding struct {
	At   int    // of the rule, in what Lint was given
	Kind string // one of the Finding kinds
	Text string // what is wrong, a sentence without a full stop
	Hint string // what to write instead; may be ""
	By   int    // the rule that decides before it, -1 for none
}

// Kinds of a Finding.
const (
	FindingNever    = "never"    // the rule matches no call
	FindingShadowed = "shadowed" // another rule decides wherever it matches
	FindingWide     = "wide"     // the rule allows any code to run
	FindingNarrow   = "narrow"   // it hits less than its writer meant
	FindingUnknown  = "unknown"  // there is no such tool
)

// linter looks for rules that do not do what whoever wrote them meant.
type linter struct {
	base  Policy // without rules
	rules []Listed
	tools []Member
}

// Lint looks through rules, in their order: what their text shows, and else what
// becomes of the calls that they are meant to match. tools are those there are. The
// rules of the policy itself do not matter, its places do.
func (p Policy) Lint(rules []Listed, tools []Member) []Finding {
	p.Allow, p.Ask, p.Deny, p.ReadOnlyCommands = nil, nil, nil, false
	l := linter{base: p, rules: rules, tools: tools}
	var found []Finding
	for i := range rules {
		for _, f := range l.examine(i) {
			f.At = i
			if f.Kind != FindingShadowed {
				f.By = -1
			}
			found = append(found, f)
		}
	}
	return found
}

// examine says what is wrong with one rule.
func (l *linter) examine(i int) (found []Finding) {
	r := l.rules[i]
	var names []string
	for _, t := range l.tools {
		names = append(names, t.Name)
	}
	if nearest, ok := Known(r.Rule, names); !ok {
		if nearest != "" {
			nearest = "; did you mean " + nearest + "?"
		}
		return []Finding{{Kind: FindingUnknown, Text: "there is no tool " + r.Tool + nearest}}
	}
	if why := l.base.never(r.Rule, r.List); why != "" {
		found = append(found, Finding{Kind: FindingNever, Text: why})
	} else if f, ok := l.shadowed(i); ok {
		found = append(found, f)
	}
	if why := wide(r.Rule); r.List == Allow && why != "" {
		found = append(found, Finding{Kind: FindingWide, Text: why})
	}
	if len(found) > 0 {
		return found
	}
	for _, look := range []func(int) (Finding, bool){l.unmatched, l.narrow} {
		if f, ok := look(i); ok {
			return []Finding{f}
		}
	}
	return nil
}

// with is the base with one rule in its list. What that rule does not decide goes
// the other way.
func (l *linter) with(r Listed) Policy {
	p := l.base
	p.Mode = Allow
	switch r.List {
	case Deny:
		p.Deny = []Rule{r.Rule}
	case Ask:
		p.Ask = []Rule{r.Rule}
	case Allow:
		p.Mode, p.Allow = Ask, []Rule{r.Rule}
	}
	return p
}

// unmatched finds a rule that the very calls it names do not match.
func (l *linter) unmatched(i int) (Finding, bool) {
	r := l.rules[i]
	calls := l.samples(r.Rule)
	if len(calls) == 0 {
		if strings.HasPrefix(strings.ToLower(r.Tool), "mcp__") || r.Spec == "" {
			return Finding{}, false
		}
		return Finding{Kind: FindingNever, Text: "calls of " + r.Tool + " have nothing that a specifier is compared with", Hint: "write " + r.Tool}, true
	}
	p := l.with(r)
	var why string
	for _, c := range calls {
		got := p.Explain(c.tool, c.readOnly, c.args)
		if r.List == Allow && got.Decision == Allow || r.List != Allow && got.Decision >= r.List {
			return Finding{}, false
		}
		why = got.words()
	}
	f := Finding{Kind: FindingNever, Text: "no call matches it"}
	if why != "" {
		f.Text += ": " + why
	}
	return f, true
}

// words is why a call is not what its rule says.
func (r Reason) words() string {
	if r.Why != "" {
		return r.Why
	}
	for _, p := range r.Parts {
		if p.Why != "" {
			return p.Why
		}
	}
	return ""
}

// shadowed finds a rule whose calls another one decides before: one of a list
// that counts more, or a wider one of the same list.
func (l *linter) shadowed(i int) (Finding, bool) {
	r := l.rules[i]
	for j, other := range l.rules {
		if i == j || other.Off || other.List < r.List || !l.covers(other, r) {
			continue
		}
		if other.List == r.List && j > i && l.covers(r, other) {
			continue // the same: the later one is superfluous
		}
		by := other.Rule.String()
		if other.Source != "" {
			by += " (" + other.Source + ")"
		}
		f := Finding{Kind: FindingShadowed, By: j, Text: by + " covers it already"}
		if other.List != r.List {
			f.Text = fmt.Sprintf("it never counts: the %s rule %s speaks of the same calls", other.List, by)
		}
		return f, true
	}
	return Finding{}, false
}

// covers reports whether rule a decides every call that b is meant to match.
func (l *linter) covers(a, b Listed) bool {
	calls := l.samples(b.Rule)
	p := l.with(a)
	for _, c := range calls {
		if got := p.Explain(c.tool, c.readOnly, c.args); got.Decision != a.List || got.Rule != a.Rule {
			return false
		}
	}
	return len(calls) > 0
}

// narrow finds a deny or ask rule for a program without its arguments.
func (l *linter) narrow(i int) (Finding, bool) {
	r := l.rules[i]
	if r.List == Allow || familyOf(r.Tool) != familyBash || r.Literal || r.Spec == "" || strings.ContainsAny(r.Spec, "* \t") {
		return Finding{}, false
	}
	return Finding{
		Kind: FindingNarrow, Text: r.Spec + " with any argument is another command, of which it does not speak",
		Hint: "write " + r.Tool + "(" + r.Spec + ":*), or " + r.Tool + "=" + r.Spec + " if that is meant",
	}, true
}

// never says why a rule matches nothing.
func (p *Policy) never(r Rule, list Decision) string {
	if r.Spec == "" || r.Literal {
		return ""
	}
	switch familyOf(r.Tool) {
	case familyBash:
		return neverCommand(r, list)
	case familyEdit:
		return p.neverEdit(r, list)
	case familyRead, noFamily:
	}
	if spec := p.expand(r.Spec); list == Allow && p.in(p.Places.Hidden, spec) && !p.in(p.Places.Bare, spec) {
		return whyHidden(spec)
	}
	return ""
}

// neverCommand judges the pattern of a rule about commands as if it were one.
func neverCommand(r Rule, list Decision) string {
	if !strings.Contains(r.Spec, "*") {
		return "" // it may say a whole script
	}
	words, more := strings.CutSuffix(r.Spec, ":*")
	text := strings.ReplaceAll(words, "*", "x")
	if more {
		text += " x"
	}
	sample := analyse(text, "/", "")
	switch {
	case sample.unread != "":
		return fmt.Sprintf("%s is no beginning of a command: %s", words, sample.unread)
	case len(sample.steps) == 0:
		return words + " is no command"
	case countFree(sample.steps) > 1:
		return "it holds an operator, and each command of a chain is judged alone"
	}
	s := &sample.steps[0]
	switch {
	case list != Allow:
	case s.free && !s.spelledBy(r):
		return "what it starts is judged by itself, and only a rule covers both that spells them out"
	case s.opaque:
		return s.why + ", which no pattern covers"
	case s.limit != byPattern && !s.spelledBy(r) && !s.namedBy(r):
		return s.why + ", which only a rule covers that spells it out"
	}
	return ""
}

// countFree counts the steps that are judged by their own words.
func countFree(steps []step) int {
	n := 0
	for i := range steps {
		if !steps[i].free {
			n++
		}
	}
	return n
}

func (p *Policy) neverEdit(r Rule, list Decision) string {
	spec := p.expand(filepath.ToSlash(r.Spec))
	fixed, _, _ := strings.Cut(spec, "*")
	dir := absolute(p.root(), fixed)
	switch {
	case strings.HasPrefix(spec, "../"):
		return "a relative pattern is about the workspace, and " + r.Spec + " leaves it"
	case list != Allow || !isAbs(spec) && !strings.HasPrefix(spec, "."):
	case p.in(p.Places.Hidden, dir):
		return whyHidden(dir)
	case isAbs(spec) && p.isOutside(strings.TrimSuffix(dir, "/")) && !slices.ContainsFunc(append(slices.Clip(p.Places.Write), p.root()), func(root string) bool { return p.within(dir, filepath.ToSlash(root)) }):
		return "no file tool writes " + r.Spec + ", which is outside the workspace"
	default:
		if place, ok := p.protection(dir); ok {
			return whyProtected(place)
		}
	}
	return ""
}

// wide says why an allow rule lets any code run.
func wide(r Rule) string {
	switch f := familyOf(r.Tool); {
	case f == familyBash && r.Spec == "":
		return "every command runs unasked"
	case f == familyEdit && (r.Spec == "" || r.Spec == "**/*"):
		return "every file of the workspace is edited unasked"
	case f != familyBash || r.Literal || !strings.Contains(r.Spec, "*"):
		return ""
	}
	head, _, _ := strings.Cut(strings.TrimSuffix(r.Spec, ":*"), "*")
	fields := strings.Fields(head)
	for len(fields) > 0 && strings.Contains(fields[0], "=") {
		fields = fields[1:]
	}
	switch {
	case len(fields) == 0:
		return "every command runs unasked"
	case len(fields) > 1 && !strings.HasPrefix(fields[1], "-"):
		return ""
	}
	switch name := base(fields[0]); {
	case isShell(name), interprets(name), wraps(name), oneOf(name, "eval source . awk gawk make just task ssh npx pnpx bunx uvx find"):
		return name + " runs whatever it is given"
	case oneOf(name, "git npm pnpm yarn bun docker podman kubectl go cargo uv pip curl wget rm dd"):
		return name + " does far more than one thing; name the verb, as in " + example(name)
	}
	return ""
}

func example(program string) string {
	first, _, _ := strings.Cut(prefixes(program), " ")
	if first == "" {
		return "Bash(" + program + " VERB:*)"
	}
	return "Bash(" + program + " " + first + ":*)"
}
