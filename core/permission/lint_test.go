package permission_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/permission"
)

func TestLint(t *testing.T) {
	tools := []permission.Member{
		{Name: "bash", Keys: []string{"command"}},
		{Name: "write_file", Keys: []string{"path"}},
		{Name: "edit_file", Keys: []string{"path"}},
		{Name: "web_fetch"},
		{Name: "read_file", ReadOnly: true, Keys: []string{"path"}},
		{Name: "grep", ReadOnly: true, Keys: []string{"path", "pattern"}},
	}
	for _, c := range []struct {
		name, policy string
		want         []string // list, rule, kind
	}{
		{"nothing to say", "allow Bash(go test:*); allow Edit(docs/**); deny Bash(rm -rf*); ask Bash(git push:*); allow web_fetch(domain:go.dev); allow mcp__fs", nil},
		{"an exact script may be a chain", "allow Bash(make && make install)", nil},
		{"a chain in a prefix", "allow Bash(go test && make:*)", []string{"allow Bash(go test && make:*) never"}},
		{"a pipe in a pattern", "deny Bash(curl * | sh)", []string{"deny Bash(curl * | sh) never"}},
		{"a redirection in a prefix", "allow Bash(echo > x:*)", []string{"allow Bash(echo > x:*) never"}},
		{"no command", "allow Bash(if then:*)", []string{"allow Bash(if then:*) never"}},
		{"a program made at run time", "allow Bash($X run:*)", []string{"allow Bash($X run:*) never"}},
		{"a script of a shell", "allow Bash(bash -c:*)", []string{"allow Bash(bash -c:*) never", "allow Bash(bash -c:*) wide"}},
		{"a wrapper alone", "allow Bash(sudo:*)", []string{"allow Bash(sudo:*) never", "allow Bash(sudo:*) wide"}},
		{"a wrapper that is spelled out", "allow Bash(sudo apt install:*)", nil},
		{"outside", "allow Edit(/etc/**)", []string{"allow Edit(/etc/**) never"}},
		{"outside, denied, says what it means", "deny Edit(/etc/**)", nil},
		{"outside, by the way", "allow Edit(../x/**)", []string{"allow Edit(../x/**) never"}},
		{"outside, in the home directory", "allow Edit(~/notes/**)", []string{"allow Edit(~/notes/**) never"}},
		{"inside by its whole name", "allow Edit(/work/docs/**)", nil},
		{"another root", "allow Edit(/extra/**)", nil},
		{"around the workspace", "allow Edit(/wo*/**)", []string{"allow Edit(/wo*/**) never"}},
		{"protected", "allow Edit(.git/hooks/**)", []string{"allow Edit(.git/hooks/**) never"}},
		{"hidden", "allow Read(~/.reasonix/projects/**)", []string{"allow Read(~/.reasonix/projects/**) never"}},
		{"shadowed by a wider deny", "deny Bash(git:*); allow Bash(git status:*)", []string{"allow Bash(git status:*) shadowed"}},
		{"shadowed by a bare ask", "ask Bash; allow Bash(git status:*)", []string{"allow Bash(git status:*) shadowed"}},
		{"an ask under a deny", "deny Bash(git push:*); ask Bash(git push --force:*)", []string{"ask Bash(git push --force:*) shadowed"}},
		{"a carved allow is not", "deny Bash(git push:*); allow Bash(git status:*)", nil},
		{"there twice", "allow Bash(make); allow Bash(make)", []string{"allow Bash(make) shadowed"}},
		{"under a wider allow", "allow Edit(docs/**); allow Edit(docs/api/**)", []string{"allow Edit(docs/api/**) shadowed"}},
		{"under a wider allow of commands", "allow Bash(go test:*); allow Bash(go test ./...)", []string{"allow Bash(go test ./...) shadowed"}},
		{"a longer word is not under it", "allow Bash(go test:*); allow Bash(go testing*)", nil},
		{"all commands", "allow Bash", []string{"allow Bash wide"}},
		{"all edits", "allow Edit", []string{"allow Edit wide"}},
		{"all of git", "allow Bash(git:*)", []string{"allow Bash(git:*) wide"}},
		{"an interpreter", "allow Bash(python:*)", []string{"allow Bash(python:*) wide"}},
		{"an interpreter's code", "allow Bash(python3 -c:*)", []string{"allow Bash(python3 -c:*) wide"}},
		{"a shell", "allow Bash(sh:*)", []string{"allow Bash(sh:*) wide"}},
		{"anything", "allow Bash(*x)", []string{"allow Bash(*x) wide"}},
		{"a wide deny is a wish", "deny Bash; ask Edit", nil},
		{"a tool that is not there", "allow write_fle(docs/**); deny Bsh(x)", []string{"deny Bsh(x) unknown", "allow write_fle(docs/**) unknown"}},
	} {
		p := places(t, c.policy)
		var rules []permission.Listed
		for _, list := range []struct {
			decision permission.Decision
			rules    []permission.Rule
		}{{deny, p.Deny}, {ask, p.Ask}, {allow, p.Allow}} {
			for _, r := range list.rules {
				rules = append(rules, permission.Listed{Rule: r, List: list.decision})
			}
		}
		var got []string
		for _, f := range p.Lint(rules, tools) {
			got = append(got, rules[f.At].List.String()+" "+rules[f.At].Rule.String()+" "+f.Kind)
			if f.Text == "" || strings.HasSuffix(f.Text, ".") || (f.By >= 0) != (f.Kind == permission.FindingShadowed) {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: [%s] -want +got\n%s", c.name, c.policy, d)
		}
	}
}
