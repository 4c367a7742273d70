package engine

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/permission"
)

// The scopes of a grant (event.Granted.Scope).
const (
	scopeSession = "session"
	scopeProject = "project"
	scopeUser    = "user"
)

// grant records rules for the rest of the session and obeys them from now on.
func (g *gate) grant(rules []permission.Rule) error {
	for _, rule := range rules {
		if err := g.rec.emit(event.Granted{Rule: rule.String(), Scope: scopeSession}); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.granted = slices.Concat(g.granted, from(scopeSession, rules))
	return nil
}

// keep stores rules where they outlive the session. What cannot be stored holds
// for the session, and that is said.
func (g *gate) keep(ctx context.Context, rules []permission.Rule) error {
	texts := make([]string, len(rules))
	for i, rule := range rules {
		texts[i] = rule.String()
	}
	file, err := g.store(ctx, slices.Clone(texts))
	if err != nil {
		if err := g.rec.emit(event.Notice{
			Level: event.LevelWarning, Code: "grant_not_stored", Args: []string{err.Error()},
			Text: "allowed for this session only, because the rule could not be stored: " + err.Error(),
		}); err != nil {
			return err
		}
		return g.grant(rules)
	}
	scope, name := g.place(file)
	for _, text := range texts {
		if err := g.rec.emit(event.Granted{Rule: text, Scope: scope, File: filepath.ToSlash(file)}); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.policy.Allow = slices.Concat(g.policy.Allow, from(name, rules))
	return nil
}

// place tells a project's file from the user's, and names it for people.
func (g *gate) place(file string) (scope, name string) {
	rel, err := filepath.Rel(g.workspace, file)
	if err != nil || !filepath.IsLocal(rel) {
		return scopeUser, filepath.ToSlash(file)
	}
	return scopeProject, filepath.ToSlash(rel)
}

// restore obeys the session grants of an earlier process again. What cannot be
// read any more is asked about again.
func (g *gate) restore(grants []string) {
	for _, text := range grants {
		if strings.HasPrefix(text, event.GrantWrite) { // would read as a rule of old
			g.observe(event.Granted{Rule: text})
			continue
		}
		if rule, err := permission.ParseRule(text); err == nil {
			g.granted = append(g.granted, from(scopeSession, []permission.Rule{rule})...)
		}
	}
}

// from are rules that stand in source.
func from(source string, rules []permission.Rule) []permission.Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Source = source
	}
	return rules
}

// grantedDirs are the directories among grants.
func grantedDirs(grants []string) []string {
	var dirs []string
	for _, text := range grants {
		if dir, ok := strings.CutPrefix(text, event.GrantWrite); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
