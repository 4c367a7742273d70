package permissions

import (
	"path/filepath"
	"slices"

	"reasonix/core/permission"
)

// verdict is what explain says, as a script reads it. Verdict is what happens:
// the rules' decision, settled by the posture and, with headless, by nobody being
// there. Policy is the rules' decision alone.
type verdict struct {
	Tool     string   `json:"tool"`
	Command  string   `json:"command,omitempty"`
	Verdict  string   `json:"verdict"`
	Policy   string   `json:"policy"`
	Rule     string   `json:"rule"`   // "": no rule
	Source   string   `json:"source"` // where the rule stands; "fallback" when there is none
	Why      string   `json:"why"`
	Fresh    bool     `json:"fresh"` // a person must allow it each time
	Dir      string   `json:"dir"`
	Mode     string   `json:"mode"`
	Posture  string   `json:"posture"`
	Headless bool     `json:"headless"`
	Outcomes outcomes `json:"outcomes"`
	// Approval is how a tool of a known server is approved, otherwise absent.
	Approval *approval `json:"approval,omitempty"`
	Parts    []part    `json:"parts"`
	// Suggest are the narrowest rules that would allow the call, Prefix wider ones
	// that may be offered too; empty where nothing needs or can be allowed.
	Suggest []string `json:"suggest"`
	Prefix  []string `json:"suggest_prefix"`
	Release []string `json:"release"` // protected paths an approval lets it write
}

// outcomes are the verdicts in every posture and where nobody can be asked.
type outcomes struct {
	Ask          string `json:"ask"`
	Auto         string `json:"auto"`
	Yolo         string `json:"yolo"`
	Headless     string `json:"headless"`      // in the posture that is asked about
	HeadlessDeny string `json:"headless_deny"` // the same with --on-ask deny
}

// part is a simple command, a redirection or the path of a call.
type part struct {
	Kind    string `json:"kind"` // command, write, read, call
	Text    string `json:"text"`
	Depth   int    `json:"depth"` // in how many other parts it lies
	Dir     string `json:"dir"`   // "": not known
	Path    string `json:"path"`
	Verdict string `json:"verdict"`
	Policy  string `json:"policy"`
	Rule    string `json:"rule"`
	Source  string `json:"source"`
	Why     string `json:"why"`
	Fresh   bool   `json:"fresh"`
}

// judge explains one call.
func (s *scene) judge(c call, headless bool) verdict {
	why := s.policy.Explain(c.tool, c.readOnly, c.args)
	settle := func(r permission.Reason) string {
		return permission.Settle(r, s.posture, !headless, s.unasked).String()
	}
	v := verdict{
		Tool: c.tool, Command: c.command, Verdict: settle(why), Policy: why.Decision.String(),
		Rule: ruleText(why.Rule), Source: why.Source, Why: why.Why, Fresh: why.Fresh,
		Dir: filepath.ToSlash(s.dir()), Mode: s.policy.Mode.String(), Posture: string(s.posture), Headless: headless,
		Outcomes: s.outcomes(why), Approval: s.approval(c.tool, why), Parts: []part{}, Suggest: []string{}, Prefix: []string{}, Release: slashed(why.Release),
	}
	for _, p := range why.Parts {
		v.Parts = append(v.Parts, part{
			Kind: p.Kind, Text: p.Text, Dir: filepath.ToSlash(p.Dir), Path: filepath.ToSlash(p.Path),
			Verdict: settle(reasonOf(p)), Policy: p.Decision.String(), Rule: ruleText(p.Rule), Source: sourceOf(p), Why: p.Why, Fresh: p.Fresh,
		})
	}
	if !s.policy.PowerShell {
		arrange(c.command, v.Parts)
	}
	if len(v.Parts) == 0 && c.tool != shellTool {
		v.Parts = append(v.Parts, v.whole())
	}
	if why.Decision == permission.Ask {
		suggestion := s.policy.Suggest(c.tool, c.args)
		v.Suggest = append(v.Suggest, s.allowing(c, suggestion.Exact.Rules)...)
		v.Prefix = append(v.Prefix, s.allowing(c, suggestion.Prefix.Rules)...)
	}
	return v
}

// allowing returns rules if the call is allowed with them: an ask rule beats them.
func (s *scene) allowing(c call, rules []string) []string {
	more, err := permission.ParseRules("suggested", rules)
	if err != nil {
		return nil
	}
	policy := s.policy
	policy.Allow = slices.Concat(policy.Allow, more)
	if policy.Decide(c.tool, c.readOnly, c.args) != permission.Allow {
		return nil
	}
	return rules
}

// whole is the one part of a call that is no shell command.
func (v verdict) whole() part {
	return part{
		Kind: "call", Text: v.Tool, Dir: v.Dir,
		Verdict: v.Verdict, Policy: v.Policy, Rule: v.Rule, Source: v.Source, Why: v.Why, Fresh: v.Fresh,
	}
}

func (s *scene) dir() string {
	if s.policy.Dir != "" {
		return s.policy.Dir
	}
	return s.policy.Root
}

func (s *scene) outcomes(why permission.Reason) outcomes {
	asked := func(p permission.Posture) string { return permission.Settle(why, p, true, s.unasked).String() }
	return outcomes{
		Ask: asked(permission.PostureAsk), Auto: asked(permission.PostureAuto), Yolo: asked(permission.PostureYolo),
		Headless:     permission.Settle(why, s.posture, false, s.unasked).String(),
		HeadlessDeny: permission.Settle(why, s.posture, false, permission.Deny).String(),
	}
}

// reasonOf is a part as if it were the whole call.
func reasonOf(p permission.Part) permission.Reason {
	return permission.Reason{Decision: p.Decision, Rule: p.Rule, Source: p.Source, Why: p.Why, Fresh: p.Fresh, Explicit: p.Rule != (permission.Rule{})}
}

func sourceOf(p permission.Part) string {
	switch {
	case p.Source != "":
		return p.Source
	case p.Rule != (permission.Rule{}):
		return p.Rule.Source
	}
	return permission.Fallback
}

func ruleText(r permission.Rule) string {
	if r == (permission.Rule{}) {
		return ""
	}
	return r.String()
}

// slashed is paths as they are shown, never nil.
func slashed(paths []string) []string {
	shown := make([]string, len(paths))
	for i, p := range paths {
		shown[i] = filepath.ToSlash(p)
	}
	return shown
}
