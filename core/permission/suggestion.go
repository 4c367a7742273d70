package permission

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
)

// Suggestion is what a person may answer to the question about one call, besides
// this once. A grant without rules is not to be offered.
type Suggestion struct {
	Exact   Grant // this call and no other
	Prefix  Grant // commands that begin with the same program and verb
	Session Grant // until the session ends: all edits for an edit, otherwise as Exact
}

// Grant is a set of allow rules that one answer stores.
type Grant struct {
	Rules []string
	// Example is something else the rules would allow, as a person reads it; empty
	// when there is nothing.
	Example string
}

// Suggest returns the rules that would allow the call from now on: one for every
// part that no rule covers yet. A fresh review and a denied call get none.
func (p Policy) Suggest(toolName string, args json.RawMessage) Suggestion {
	why := p.Explain(toolName, false, args)
	if why.Fresh || why.Decision == Deny {
		return Suggestion{}
	}
	s := subjectsOf(args)
	switch {
	case memberOf(toolName) == familyBash:
		return p.suggestCommand(toolName, why, args)
	case memberOf(toolName) == familyEdit:
		return p.suggestEdit(&s)
	}
	one := Grant{Rules: []string{Suggest(toolName, args)}}
	return Suggestion{Exact: one, Session: one}
}

func (p *Policy) suggestCommand(toolName string, why Reason, args json.RawMessage) Suggestion {
	exact := Grant{Rules: []string{Suggest(toolName, args)}}
	s := Suggestion{Exact: exact, Session: exact}
	if prefix := SuggestPrefix(toolName, args); prefix != "" {
		s.Prefix = Grant{Rules: []string{prefix}}
	}
	return s
}

func (p *Policy) suggestEdit(s *subjects) Suggestion {
	var exact Grant
	for _, name := range s.paths[:s.n] {
		name = p.expand(filepath.ToSlash(name))
		if rel, inside := p.relative(name); inside {
			name = rel
		}
		rule := Rule{Tool: "Edit", Spec: escape(path.Clean(name))}.String()
		if !slices.Contains(exact.Rules, rule) {
			exact.Rules = append(exact.Rules, rule)
		}
	}
	if s.more {
		exact = Grant{}
	}
	return Suggestion{Exact: exact, Session: Grant{Rules: []string{"Edit"}, Example: "edits of any file"}}
}
