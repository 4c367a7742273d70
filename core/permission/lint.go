package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Finding is something about a rule that its writer will want to know.
type Finding struct {
	Rule Rule
	List Decision // the list it stands in: allow, ask or deny
	Kind string   // one of the Finding kinds
	Text string   // what is wrong, a sentence without a full stop
}

// Kinds of a Finding.
const (
	FindingNever    = "never"    // the rule matches no call
	FindingShadowed = "shadowed" // another rule decides wherever it matches
	FindingWide     = "wide"     // the rule allows any code to run
	FindingUnknown  = "unknown"  // there is no such tool
)

// Lint looks through the rules of a policy, in the order deny, ask, allow.
// toolNames are the tools there are; without any no name counts as unknown.
func (p Policy) Lint(toolNames []string) []Finding {
	var found []Finding
	for _, list := range p.lists() {
		for i, r := range list.rules {
			say := func(kind, text string) {
				found = append(found, Finding{Rule: r, List: list.decision, Kind: kind, Text: text})
			}
			if nearest, ok := Known(r, toolNames); !ok && len(toolNames) > 0 {
				if nearest != "" {
					nearest = "; did you mean " + nearest + "?"
				}
				say(FindingUnknown, "there is no tool "+r.Tool+nearest)
				continue
			}
			if why := p.never(r, list.decision); why != "" {
				say(FindingNever, why)
			} else if by, ok := p.shadowedBy(r, list.decision, list.rules[:i]); ok {
				say(FindingShadowed, "the rule "+by+" decides wherever it matches")
			}
			if why := wide(r); list.decision == Allow && why != "" {
				say(FindingWide, why)
			}
		}
	}
	return found
}

// rulesOf is one list of rules.
type rulesOf struct {
	decision Decision
	rules    []Rule
}

func (p *Policy) lists() []rulesOf { return []rulesOf{{Deny, p.Deny}, {Ask, p.Ask}, {Allow, p.Allow}} }

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
	case s.limit != byPattern && !s.spelledBy(r):
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

// shadowedBy returns the rule that decides wherever r matches: a stricter one, or
// one before it in its own list.
func (p *Policy) shadowedBy(r Rule, list Decision, before []Rule) (by string, ok bool) {
	for _, other := range p.lists() {
		rules := other.rules
		switch {
		case other.decision < list:
			continue
		case other.decision == list:
			rules = before
		}
		for _, o := range rules {
			if p.includes(o, r, other.decision != Allow) {
				return other.decision.String() + " " + o.String(), true
			}
		}
	}
	return "", false
}

// includes reports whether wider matches whatever r matches. strict says that
// wider denies or asks.
func (p *Policy) includes(wider, r Rule, strict bool) bool {
	sameTool := familyOf(wider.Tool) != noFamily && familyOf(wider.Tool) == familyOf(r.Tool) || strings.EqualFold(wider.Tool, r.Tool)
	switch {
	case !sameTool:
		return false
	case wider.Spec == "" || wider.Spec == r.Spec && wider.Literal == r.Literal:
		return true
	case r.Spec == "" || wider.Literal:
		return false
	case familyOf(r.Tool) == familyBash:
		return includesCommand(wider, r, strict)
	case r.aboutHost() || wider.aboutHost():
		return false
	}
	prefix, ok := strings.CutSuffix(wider.Spec, "/**")
	return ok && !strings.ContainsAny(prefix, "*?[{") && strings.HasPrefix(r.Spec, prefix+"/") && !strings.Contains(r.Spec, "..")
}

func includesCommand(wider, r Rule, strict bool) bool {
	prefix, ok := strings.CutSuffix(wider.Spec, ":*")
	if !ok || strings.Contains(prefix, "*") {
		return false
	}
	head, _, starred := strings.Cut(strings.TrimSuffix(r.Spec, ":*"), "*")
	sample := analyse(head, "/", "")
	if sample.unread != "" || len(sample.steps) != 1 || sample.steps[0].limit != byPattern {
		return false
	}
	words := sample.steps[0].words
	if starred && !strings.HasSuffix(head, " ") {
		words = words[:len(words)-1] // the last word is only begun
	}
	return matchWords(wider, words, strict) == certain
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
