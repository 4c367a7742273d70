package permissions

import "reasonix/core/permission"

// findInvalid is the kind of a finding about what is no rule, beside those of
// core/permission.
const findInvalid = "invalid"

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

// lint says what is wrong with rules, in their order. base is the policy they stand
// in.
func lint(rules []standing, base permission.Policy) []finding {
	var listed []permission.Listed
	var at []int // of each in rules
	said := make([][]finding, len(rules))
	for i, r := range rules {
		if r.err != nil {
			said[i] = []finding{{Kind: findInvalid, Message: r.err.Error()}}
			continue
		}
		one := permission.Listed{Rule: r.Rule, List: r.decision, Off: r.off != ""}
		one.Source = r.place()
		listed, at = append(listed, one), append(at, i)
	}
	for _, f := range base.Lint(listed, members()) {
		one := finding{Kind: f.Kind, Message: f.Text, Hint: f.Hint}
		if f.By >= 0 {
			by := rules[at[f.By]]
			one.By, one.ByFile, one.ByLine = by.Rule.String(), by.file, by.line
		}
		said[at[f.At]] = append(said[at[f.At]], one)
	}
	found := []finding{}
	for i, r := range rules {
		for _, f := range said[i] {
			f.Verdict, f.Rule, f.File, f.Line, f.place = r.decision.String(), r.text, r.file, r.line, r.place()
			found = append(found, f)
		}
	}
	return found
}

// members are the built-in tools with the arguments that rules are compared with.
func members() []permission.Member {
	var list []permission.Member
	for _, name := range toolNames() {
		t := builtin(name)
		list = append(list, permission.Member{Name: name, ReadOnly: t.ReadOnly(), Keys: append(pathKeys(t), keysOf(t, "pattern", "command")...)})
	}
	return list
}
