package engine

import (
	"context"
	"testing"

	"reasonix/core/agent"
	"reasonix/core/hook"
	"reasonix/core/message"
	"reasonix/core/permission"
	"reasonix/core/tool"
)

// TestHeed is the whole table of what hooks can make of what the policy says.
func TestHeed(t *testing.T) {
	rule := permission.Rule{Tool: "Bash", Spec: "x"}
	for _, c := range []struct {
		name             string
		why              permission.Reason
		ask, allow, none string
	}{
		{"no rule", permission.Reason{Decision: permission.Ask}, "fresh", "allow", "ask"},
		{"an ask rule", permission.Reason{Decision: permission.Ask, Rule: rule, Explicit: true}, "fresh", "ask", "ask"},
		{"a fresh review", permission.Reason{Decision: permission.Ask, Fresh: true}, "fresh", "fresh", "fresh"},
		{"a reviewer's question", permission.Reason{Decision: permission.Ask, Review: true}, "fresh", "ask", "ask"},
		{"a protected path", permission.Reason{Decision: permission.Ask, Release: []string{"/w/.envrc"}}, "fresh", "ask", "ask"},
		{"an allow rule", permission.Reason{Decision: permission.Allow, Rule: rule, Explicit: true}, "fresh", "allow", "allow"},
		{"a deny rule", permission.Reason{Decision: permission.Deny, Rule: rule, Explicit: true}, "deny", "deny", "deny"},
	} {
		for decision, want := range map[string]string{agent.AdviceAsk: c.ask, agent.AdviceAllow: c.allow, "": c.none} {
			got := heed(c.why, agent.Advice{Decision: decision, By: "h"})
			word := got.Decision.String()
			if got.Fresh {
				word = "fresh"
			}
			if word != want {
				t.Errorf("%s, hook says %q: %s, want %s", c.name, decision, word, want)
			}
			if word == "fresh" && len(got.Release) != len(c.why.Release) {
				t.Errorf("%s: an approval releases %v", c.name, got.Release)
			}
		}
	}
}

// began is a Checkpoints that notes how calls begin.
type began struct {
	Checkpoints
	scans []bool
}

func (b *began) Begin(_ context.Context, scan bool) error {
	b.scans = append(b.scans, scan)
	return nil
}

// What a hook changes behind an edit is part of the call and can be put back.
func TestAnEditThatAHookFollowsIsScanned(t *testing.T) {
	b := &began{}
	s := &tracker{checkpoints: b, hooks: &hooks{runner: &hook.Exec{Hooks: []hook.Hook{{Event: hook.PostToolUse, Match: "Write"}}}}}
	for _, name := range []string{"edit_file", "write_file"} {
		req := agent.Request{Call: message.ToolCall{Name: name}, Subject: tool.Subject{Kind: "edit"}}
		if _, err := s.writing(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.scans) != 2 || b.scans[0] || !b.scans[1] {
		t.Errorf("scanned %v", b.scans)
	}
}
