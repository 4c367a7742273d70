package permission

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Rule is one line of a policy. Its zero value matches nothing.
type Rule struct {
	// Tool is a family (Bash, Edit, Read) or the name of one tool.
	Tool string
	// Spec narrows the rule to a subject; empty is every call of the tool.
	Spec string
	// Literal compares Spec character by character (tool=literal).
	Literal bool
	// Source is where the rule stands; the caller sets it, ParseRule does not.
	Source string
}

// String returns the rule as ParseRule reads it.
func (r Rule) String() string {
	switch {
	case r.Literal:
		return r.Tool + "=" + r.Spec
	case r.Spec == "":
		return r.Tool
	}
	return r.Tool + "(" + r.Spec + ")"
}

// ParseRule reads Tool, Tool(spec) or tool=literal. The families are named Bash,
// Edit and Read in any case; a tool's own name speaks of that tool alone.
// web_fetch(domain:host) is about the host of a URL.
//
// Of commands, "Bash(git push)" is git push without any argument, and
// "Bash(git push:*)" is git push with whatever follows, but not git pushx; the
// older "Bash(git push *)" is read as the same. Elsewhere in a spec "*" is any run
// of characters: "Bash(rm -rf*)". A deny or ask rule also finds a program by its
// name in any directory, its verb behind options (git -C x push) and its short
// options in any order (rm -r -f, rm -fr); an allow rule takes the words as they
// are written.
func ParseRule(text string) (Rule, error) {
	r, err := parseRule(strings.TrimSpace(text))
	if err != nil {
		return Rule{}, fmt.Errorf("parse rule %q: %w", text, err)
	}
	return r, nil
}

func parseRule(text string) (Rule, error) {
	open, equal := strings.IndexByte(text, '('), strings.IndexByte(text, '=')
	if equal > 0 && (open < 0 || equal < open) {
		r := Rule{Tool: strings.TrimSpace(text[:equal]), Spec: strings.TrimSpace(text[equal+1:]), Literal: true}
		if r.Spec == "" {
			return Rule{}, errors.New("nothing follows the equals sign")
		}
		return r, checkTool(r.Tool)
	}
	if open < 0 {
		return Rule{Tool: text}, checkTool(text)
	}
	if !strings.HasSuffix(text, ")") {
		return Rule{}, errors.New("the closing parenthesis is missing")
	}
	r := Rule{Tool: strings.TrimSpace(text[:open]), Spec: strings.TrimSpace(text[open+1 : len(text)-1])}
	if err := checkTool(r.Tool); err != nil {
		return Rule{}, err
	}
	switch {
	case r.Spec == "" || r.Spec == "*" || r.Spec == "**":
		r.Spec = ""
	case familyOf(r.Tool) == familyBash:
		r.Spec = bashSpec(r.Spec)
	case strings.EqualFold(r.Tool, fetchTool) && r.host() == "":
		return Rule{}, fmt.Errorf("a rule for %s names a host: %s(domain:example.com)", fetchTool, fetchTool)
	case !doublestar.ValidatePattern(r.Spec):
		return Rule{}, fmt.Errorf("%s is not a valid pattern", r.Spec)
	}
	return r, nil
}

// fetchTool is the tool whose calls are judged by the host they go to.
const fetchTool = "web_fetch"

// bashSpec writes the older form of a prefix as the newer one.
func bashSpec(spec string) string {
	if words, ok := strings.CutSuffix(spec, " *"); ok && !strings.Contains(words, "*") {
		return strings.TrimSpace(words) + ":*"
	}
	return spec
}

func checkTool(name string) error {
	if name == "" {
		return errors.New("no tool is named")
	}
	for _, c := range name {
		if c <= ' ' || strings.ContainsRune("()=,;\"'`$&|<>\\", c) {
			return fmt.Errorf("%q is not a tool's name", name)
		}
	}
	return nil
}

// ParseRules reads a list of rules from one source; the error names the first
// that is wrong.
func ParseRules(source string, texts []string) ([]Rule, error) {
	rules := make([]Rule, 0, len(texts))
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			return nil, err
		}
		r.Source = source
		rules = append(rules, r)
	}
	return rules, nil
}
