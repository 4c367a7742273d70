package hook

import (
	"fmt"
	"regexp"
)

// matches reports whether h runs at a point that is about subject. An error is a
// Match that is no regular expression.
func (h Hook) matches(p Point, subject string) (bool, error) {
	if h.Event != p {
		return false, nil
	}
	if h.Match == "" || h.Match == "*" || subject == "" {
		return true, nil
	}
	whole, err := regexp.Compile(`^(?:` + h.Match + `)$`)
	if err != nil {
		return true, fmt.Errorf("its match %q is no regular expression: %w", h.Match, err)
	}
	if whole.MatchString(subject) {
		return true, nil
	}
	return p.ofTools() && whole.MatchString(ClaudeName(subject)), nil
}

// Check says what is wrong with a hook that can be seen without running it.
func (h Hook) Check() error {
	if _, ok := ParsePoint(string(h.Event)); !ok {
		return fmt.Errorf("its event %q is none", h.Event)
	}
	if h.Command == "" {
		return fmt.Errorf("it has no command")
	}
	_, err := h.matches(h.Event, "x")
	return err
}

// of lists the hooks that run at a point, in the order in which they do.
func of(hooks []Hook, p Point, in Input) []Hook {
	var project, user []Hook
	for _, h := range hooks {
		if ok, _ := h.matches(p, in.Subject(p)); !ok || h.interrupted(p, in) {
			continue
		}
		if h.FromProject {
			project = append(project, h)
		} else {
			user = append(user, h)
		}
	}
	return append(project, user...)
}

// interrupted reports whether h is one that Claude Code would not run, because the
// user stopped the turn.
func (h Hook) interrupted(p Point, in Input) bool {
	return h.Claude && p == TurnEnd && in.Outcome == outcomeCancelled
}

// outcomeCancelled is the outcome of a turn that the user stopped.
const outcomeCancelled = "cancelled"
