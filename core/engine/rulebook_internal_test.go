package engine

import (
	"context"
	"errors"
	"testing"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
)

// A directory that was opened is no rule, although it reads as one of old.
func TestAnOpenedDirectoryIsNoRule(t *testing.T) {
	g := &rulebook{}
	g.restore([]string{event.GrantWrite + "/srv/cache", "Bash(make)"})
	if len(g.granted) != 1 || g.granted[0].String() != "Bash(make)" {
		t.Errorf("rules %v", g.granted)
	}
	if dirs := g.policy.Places.Write; len(dirs) != 1 || dirs[0] != "/srv/cache" {
		t.Errorf("directories %v", dirs)
	}
}

// A rule that cannot be stored holds for the session; one that is stored is the policy's.
func TestARuleIsKeptOrHoldsForTheSession(t *testing.T) {
	rule, err := permission.ParseRule("Bash(make)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, file string
		err        error
		scope      string
		granted    int
	}{
		{"of the project", "/w/.reasonix/config.toml", nil, scopeProject, 0},
		{"of the user", "/home/u/config.toml", nil, scopeUser, 0},
		{"stored nowhere", "", errors.New("read-only"), scopeSession, 1},
	} {
		rec, journal := recorded(t)
		b := rulebook{rec: rec, workspace: "/w", store: func(context.Context, []string) (string, error) { return c.file, c.err }}
		if err := b.keep(t.Context(), []permission.Rule{rule}); err != nil {
			t.Fatal(err)
		}
		all := journal()
		if got := all[len(all)-1].(event.Granted); got.Scope != c.scope || got.Rule != "Bash(make)" {
			t.Errorf("%s: %+v", c.name, got)
		}
		policy, granted := b.rules(agent.Request{})
		if len(granted) != c.granted || len(policy.Allow) != 1-c.granted {
			t.Errorf("%s: granted %v, policy %v", c.name, granted, policy.Allow)
		}
	}
}
