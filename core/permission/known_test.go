package permission_test

import (
	"testing"

	"reasonix/core/permission"
)

func TestARuleForNoToolIsToldFromOneForATool(t *testing.T) {
	names := []string{"bash", "grep", "web_fetch", "write_file"}
	for _, c := range []struct {
		rule, nearest string
		ok            bool
	}{
		{rule: "Bash(rm:*)", ok: true},
		{rule: "bash=rm x", ok: true},
		{rule: "Edit(docs/**)", ok: true},
		{rule: "Write(docs/**)", ok: true},
		{rule: "read", ok: true},
		{rule: "Grep", ok: true},
		{rule: "web_fetch(domain:example.com)", ok: true},
		{rule: "mcp__github", ok: true},
		{rule: "mcp__github__create_issue", ok: true},
		{rule: "Bsh(rm:*)", nearest: "Bash"},
		{rule: "bahs", nearest: ""},
		{rule: "web_fech(domain:example.com)", nearest: "web_fetch"},
		{rule: "writefile", nearest: "write_file"},
		{rule: "mcp_github", nearest: ""},
		{rule: "Kubernetes", nearest: ""},
	} {
		r, err := permission.ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if nearest, ok := permission.Known(r, names); nearest != c.nearest || ok != c.ok {
			t.Errorf("%s: got %q, %v; want %q, %v", c.rule, nearest, ok, c.nearest, c.ok)
		}
	}
}
