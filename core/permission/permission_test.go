package permission_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/permission"
)

func rules(t testing.TB, texts ...string) []permission.Rule {
	t.Helper()
	r, err := permission.ParseRules("test", texts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func bash(command string) json.RawMessage {
	b, _ := json.Marshal(map[string]string{"command": command})
	return b
}

// policy reads "allow git:*; deny rm:*; mode allow".
func policy(t testing.TB, text string) permission.Policy {
	t.Helper()
	p := permission.Policy{Mode: permission.Ask, Root: "/work", Home: "/home/me", Nested: func(string) bool { return false }}
	for line := range strings.SplitSeq(text, "; ") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "allow":
			p.Allow = append(p.Allow, rules(t, rest)...)
		case "ask":
			p.Ask = append(p.Ask, rules(t, rest)...)
		case "deny":
			p.Deny = append(p.Deny, rules(t, rest)...)
		case "mode":
			d, err := permission.ParseDecision(rest)
			if err != nil {
				t.Fatal(err)
			}
			p.Mode = d
		}
	}
	return p
}

const (
	allow = permission.Allow
	ask   = permission.Ask
	deny  = permission.Deny
)

func TestFallback(t *testing.T) {
	for mode, want := range map[permission.Decision]permission.Decision{allow: allow, ask: ask, deny: deny} {
		p := permission.Policy{Mode: mode}
		if got := p.Decide("bash", false, bash("ls")); got != want {
			t.Errorf("writer, mode %v: %v", mode, got)
		}
		if got := p.Decide("read_file", true, nil); got != allow {
			t.Errorf("reader, mode %v: %v", mode, got)
		}
	}
}

func TestExplainNamesTheRuleAndTheParts(t *testing.T) {
	got := policy(t, "allow Bash(npx *); mode deny").Explain("bash", false, bash("npx tsc | head > x"))
	npx := rules(t, "Bash(npx:*)")[0]
	want := permission.Reason{Decision: deny, Source: permission.Fallback, Why: "no rule covers head", Parts: []permission.Part{
		{Kind: "command", Text: "npx tsc", Dir: "/work", Decision: allow, Rule: npx, Source: "test"},
		{Kind: "command", Text: "head", Dir: "/work", Decision: deny, Source: permission.Fallback},
		{Kind: "write", Text: "> x", Path: "/work/x", Dir: "/work", Decision: deny, Source: permission.Fallback},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got = policy(t, "deny Bash(rm *)").Explain("bash", false, bash("$R d"))
	if got.Decision != ask || !got.Explicit || got.Why == "" || got.String() != "Bash(rm:*)" || got.Source != "test" {
		t.Errorf("an opaque command is asked with its reason: %+v", got)
	}
}

func TestPostures(t *testing.T) {
	fallback, explicit := permission.Reason{Decision: ask}, permission.Reason{Decision: ask, Explicit: true}
	denied := permission.Reason{Decision: deny, Explicit: true}
	for _, c := range []struct {
		posture                      permission.Posture
		fallback, explicit, whenDeny permission.Decision
	}{
		{permission.PostureAsk, ask, ask, deny},
		{permission.PostureAuto, allow, ask, deny},
		{permission.PostureYolo, allow, allow, deny},
		{"", ask, ask, deny},
	} {
		got := []permission.Decision{c.posture.Apply(fallback), c.posture.Apply(explicit), c.posture.Apply(denied)}
		if d := cmp.Diff([]permission.Decision{c.fallback, c.explicit, c.whenDeny}, got); d != "" {
			t.Errorf("%q: -want +got\n%s", c.posture, d)
		}
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{
		"Bash":               "Bash",
		" Bash( go test * )": "Bash(go test:*)",
		"Bash(go test:*)":    "Bash(go test:*)",
		"Bash(rm -rf*)":      "Bash(rm -rf*)",
		"Bash(*)":            "Bash",
		"Edit(**)":           "Edit",
		"bash=go test ./...": "bash=go test ./...",
		"Bash(a=b (c))":      "Bash(a=b (c))",
		"mcp__fs__*":         "mcp__fs__*",
	} {
		r, err := permission.ParseRule(text)
		if err != nil || r.String() != want {
			t.Errorf("ParseRule(%q) = %q, %v; want %q", text, r, err, want)
		}
	}
	for _, text := range []string{"", "(x)", "Bash(x", "Edit([)", "bash=", "two words", "Bash;rm"} {
		if r, err := permission.ParseRule(text); err == nil {
			t.Errorf("ParseRule(%q) = %q, want an error", text, r)
		}
	}
}
