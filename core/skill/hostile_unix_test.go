//go:build unix

package skill_test

import (
	"syscall"
	"testing"
	"time"

	"reasonix/core/skill"
)

// What a cloned repository may put in a skill's place costs no time.
func TestAPipeInASkillsPlaceIsNamedAtOnce(t *testing.T) {
	e := newEstate(t, map[string]string{"w/.agents/skills/a/x": ""})
	if err := syscall.Mkfifo(e.at("w/.agents/skills/a/SKILL.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.link("u/.agents/skills/zero.md", "/dev/zero")
	done := make(chan skill.Found, 1)
	go func() { done <- skill.Load(e.options()) }()
	select {
	case found := <-done:
		e.want(found,
			"problem w/.agents/skills/a/SKILL.md: it cannot be read: not a regular file (named pipe) true",
			"problem u/.agents/skills/zero.md: it cannot be read: not a regular file (device) true",
		)
	case <-time.After(5 * time.Second):
		t.Fatal("Load does not return")
	}
}
