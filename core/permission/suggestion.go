package permission

import (
	"encoding/json"
	"slices"
	"strings"
)

// Suggestion is what a person may answer to the question about one call, besides
// this once. A grant without rules is not to be offered; a fresh review gets none.
// Where an ask rule asks, the grants would allow the call if that rule were not
// there: whether a grant answers it is for whoever grants to say.
type Suggestion struct {
	Exact   Grant // this call and no other
	Prefix  Grant // commands that begin with the same program and verb
	Session Grant // until the session ends: all edits for an edit, otherwise as Exact
}

// Grant is a set of allow rules that one answer stores.
type Grant struct {
	Rules []string
	// Example is something else the rules would allow, as a person reads it.
	Example string
}

// Suggest returns the rules that would allow the call from now on: one for every
// part that is asked about.
func (p Policy) Suggest(toolName string, args json.RawMessage) Suggestion {
	if why := p.Explain(toolName, false, args); why.Decision != Ask || why.Fresh {
		return Suggestion{}
	}
	s := subjectsOf(args)
	var out Suggestion
	switch family := memberOf(toolName); {
	case family == familyBash:
		out = p.hear(toolName, false, &s).suggest(s.more)
	case family == familyEdit:
		out = p.suggestEdit(&s)
	case toolName == fetchTool:
		rule := Rule{Tool: fetchTool, Spec: domain + s.host}
		out.Exact = Grant{Rules: []string{rule.String()}, Example: "any other page of " + s.host}
	default:
		out.Exact = Grant{Rules: []string{toolName}, Example: "any other call of " + toolName}
	}
	if len(out.Session.Rules) == 0 {
		out.Session = out.Exact
	}
	for _, grant := range []*Grant{&out.Exact, &out.Prefix, &out.Session} {
		if len(grant.Rules) == 0 || !p.with(grant.Rules).allows(toolName, args) {
			*grant = Grant{}
		}
	}
	return out
}

// with is the policy with more allow rules and without any that ask.
func (p Policy) with(rules []string) *Policy {
	more, err := ParseRules("", rules)
	if err != nil {
		return &p
	}
	p.Allow, p.Ask = append(slices.Clip(p.Allow), more...), nil
	return &p
}

func (p *Policy) allows(toolName string, args json.RawMessage) bool {
	return p.Decide(toolName, false, args) == Allow
}

func (p *Policy) suggestEdit(s *subjects) Suggestion {
	if p.Resolve != nil {
		s.resolve(p)
	}
	session := Grant{Rules: []string{"Edit"}, Example: "an edit of any other file of the workspace"}
	var exact Grant
	for i := range s.n {
		name := p.plain(s.real(i))
		if rel, inside := p.relative(name); inside {
			name = rel
		}
		exact.Rules = add(exact.Rules, editRule(name))
		exact.Example = "replacing the whole of " + name
	}
	return Suggestion{Exact: exact, Session: session}
}

// suggest goes through the steps that nothing allows yet.
func (h *hearing) suggest(repeated bool) Suggestion {
	h.read(repeated)
	var exact, prefix []string
	granted := map[int]bool{} // steps whose own text a rule says
	found, example := false, ""
	for i := range h.script.steps {
		s := &h.script.steps[i]
		v := h.judge(s)
		if v.Decision == Allow || granted[s.parent] {
			granted[i] = granted[s.parent]
			continue
		}
		rules, wider := h.rulesFor(s)
		if len(rules) == 0 {
			return Suggestion{}
		}
		granted[i] = s.kind == PartCommand
		exact = add(exact, rules...)
		if wider == "" {
			prefix = add(prefix, rules...)
			continue
		}
		found, prefix = true, add(prefix, wider)
		example = strings.TrimSuffix(strings.TrimPrefix(wider, "Bash("), ":*)") + " with any other arguments, unless they name a program to run"
	}
	line, _, _ := strings.Cut(h.text, "\n")
	out := Suggestion{Exact: Grant{Rules: exact, Example: line + " from any directory, also as part of a longer command"}}
	if len(exact) == 1 && strings.HasPrefix(exact[0], "Edit(") {
		out.Exact.Example = "replacing the same file with a file tool"
	}
	if found {
		out.Prefix = Grant{Rules: prefix, Example: example}
	}
	return out
}

// rulesFor returns the rules that allow one step and nothing else, none when no
// rule can, and one that allows the same program and verb, "" when that is unsafe.
func (h *hearing) rulesFor(s *step) (exact []string, prefix string) {
	switch {
	case s.kind == PartCommand && (s.limit == byNone || s.reads && !s.known):
		return nil, ""
	case s.kind == PartCommand:
		said := s
		for said.unsaid && said.parent >= 0 {
			said = &h.script.steps[said.parent]
		}
		return []string{bashRule(said.text).String()}, prefixOf(s)
	case s.kind == PartRead:
		return nil, ""
	}
	paths, _ := h.target(s)
	for _, p := range paths {
		name := p.real
		if rel, inside := h.relative(name); inside {
			name = rel
		}
		exact = add(exact, editRule(name))
	}
	return exact, ""
}

func add(list []string, rules ...string) []string {
	for _, r := range rules {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

func bashRule(command string) Rule {
	if r, err := ParseRule("Bash(" + command + ")"); err == nil && r.Spec == command && !strings.Contains(command, "*") {
		return Rule{Tool: "Bash", Spec: command}
	}
	return Rule{Tool: "bash", Spec: command, Literal: true}
}

func editRule(name string) string { return Rule{Tool: "Edit", Spec: escape(name)}.String() }

// escape makes a path a pattern that matches nothing else.
func escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(name)
}
