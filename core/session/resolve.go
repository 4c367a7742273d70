package session

import (
	"context"
	"fmt"
	"strings"

	"reasonix/core/event"
)

// maxCandidates is how many sessions an AmbiguousError names.
const maxCandidates = 8

// AmbiguousError says that a name means more than one session.
type AmbiguousError struct {
	Name       string
	Candidates []Meta // all of them, newest first
}

func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q is more than one session:", e.Name)
	for i, m := range e.Candidates {
		if i == maxCandidates {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Candidates)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", m.ID, m.Title)
	}
	return b.String()
}

// ExitCode is the code of usage errors.
func (e *AmbiguousError) ExitCode() int { return 2 }

// Hint says what to type instead.
func (e *AmbiguousError) Hint() string { return "name one by its id, or by more of it" }

// Find resolves what a person calls a session: its id, the beginning of its id, or
// words of its title. See Resolve; an id needs no list.
func Find(ctx context.Context, s Store, name string) (event.SessionID, error) {
	if id := event.SessionID(name); ValidID(id) {
		if _, err := s.Info(ctx, id); err == nil {
			return id, nil
		}
	}
	list, err := s.List(ctx, Query{})
	if err != nil {
		return "", err
	}
	m, err := Resolve(list, name)
	return m.ID, err
}

// Resolve is Find among the sessions of a list. An id beats the beginning of one,
// which beats a whole title, which beats words that are all in a title, in any order
// and case. What means several sessions is an *AmbiguousError, what means none wraps
// ErrUnknown.
func Resolve(list []Meta, name string) (Meta, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Meta{}, fmt.Errorf("%w: an empty name", ErrUnknown)
	}
	words := strings.Fields(strings.ToLower(name))
	for _, means := range []func(m Meta) bool{
		func(m Meta) bool { return string(m.ID) == name },
		func(m Meta) bool { return strings.HasPrefix(string(m.ID), name) },
		func(m Meta) bool { return strings.EqualFold(m.Title, name) },
		func(m Meta) bool { return hasWords(m.Title, words) },
	} {
		var found []Meta
		for _, m := range list {
			if means(m) {
				found = append(found, m)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return Meta{}, &AmbiguousError{Name: name, Candidates: found}
		}
	}
	return Meta{}, fmt.Errorf("%w: %q is no id, beginning of one or words of a title", ErrUnknown, name)
}

func hasWords(title string, words []string) bool {
	title = strings.ToLower(title)
	for _, w := range words {
		if !strings.Contains(title, w) {
			return false
		}
	}
	return true
}
