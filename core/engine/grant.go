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
func (b *rulebook) grant(rules []permission.Rule) error {
	for _, rule := range rules {
		if err := b.rec.emit(event.Granted{Rule: rule.String(), Scope: scopeSession}); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.granted = slices.Concat(b.granted, from(scopeSession, rules))
	return nil
}

// keep stores rules where they outlive the session. What cannot be stored holds
// for the session, and that is said.
func (b *rulebook) keep(ctx context.Context, rules []permission.Rule) error {
	texts := make([]string, len(rules))
	for i, rule := range rules {
		texts[i] = rule.String()
	}
	file, err := b.store(ctx, slices.Clone(texts))
	if err != nil {
		if err := b.rec.emit(event.Notice{
			Level: event.LevelWarning, Code: "grant_not_stored", Args: []string{err.Error()},
			Text: "allowed for this session only, because the rule could not be stored: " + err.Error(),
		}); err != nil {
			return err
		}
		return b.grant(rules)
	}
	scope, name := b.place(file)
	for _, text := range texts {
		if err := b.rec.emit(event.Granted{Rule: text, Scope: scope, File: filepath.ToSlash(file)}); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.policy.Allow = slices.Concat(b.policy.Allow, from(name, rules))
	return nil
}

// place tells a project's file from the user's, and names it for people.
func (b *rulebook) place(file string) (scope, name string) {
	rel, err := filepath.Rel(b.workspace, file)
	if err != nil || !filepath.IsLocal(rel) {
		return scopeUser, filepath.ToSlash(file)
	}
	return scopeProject, filepath.ToSlash(rel)
}

// restore obeys the session grants of an earlier process again. What cannot be
// read any more is asked about again.
func (b *rulebook) restore(grants []string) {
	for _, text := range grants {
		if strings.HasPrefix(text, event.GrantWrite) { // would read as a rule of old
			b.observe(event.Granted{Rule: text})
			continue
		}
		if rule, err := permission.ParseRule(text); err == nil {
			b.granted = append(b.granted, from(scopeSession, []permission.Rule{rule})...)
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
