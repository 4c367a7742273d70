package permissions_test

import (
	"strings"
	"testing"

	"reasonix/commands/cmdutil"
)

const servers = `
[[plugins]]
name = "docs"
command = "docs-server"
trusted_read_only_tools = ["search"]
default_tools_approval_mode = "writes"
approvals_reviewer = "auto_review"
[plugins.tools.publish]
approval_mode = "prompt"

[[plugins]]
name = "my notes"
command = "notes-server"
`

// What a server's user chose is told with the verdict, and what the server itself
// would say can be given.
func TestExplainAServersTool(t *testing.T) {
	for _, c := range []struct{ args, verdict, headless, approval string }{
		{"--tool mcp__docs__search", "allow", "allow", "mode writes of docs, read-only"},
		{"--tool mcp__docs__edit", "ask", "deny", "mode writes of docs; the model that reviews is asked first"},
		{"--tool mcp__docs__edit --permission-mode yolo", "ask", "deny", "mode writes of docs; the model that reviews is asked first"},
		{"--tool mcp__docs__edit --hint read-only", "allow", "allow", "mode writes of docs, read-only"},
		{"--tool mcp__docs__publish", "ask", "deny", "mode prompt of docs; the model that reviews is asked first"},
		{"--tool mcp__docs__search --hint destructive", "ask", "deny", "mode writes of docs, destructive"},
		{"--tool mcp__docs__publish --deny mcp__docs", "deny", "deny", "mode prompt of docs"},
		{"--tool mcp__my_notes__add", "allow", "allow", "mode approve of my notes"},
		{"--tool mcp__my_notes__add --ask mcp__my_notes__add", "ask", "allow", "mode approve of my notes"},
		{"--tool mcp__my_notes__add --mode deny", "allow", "allow", "mode approve of my notes"},
		{"--tool mcp__other__x", "ask", "allow", ""},
		{"--tool mcp__other__x --approval-mode prompt", "ask", "deny", "mode prompt of other"},
		{"--tool mcp__other__x --hint destructive", "ask", "deny", "mode auto of other, destructive"},
	} {
		d := newDesk(t, servers, "")
		var got struct {
			Verdict  string
			Outcomes struct{ Headless string }
			Approval *struct{ Server string }
		}
		args := append([]string{"explain"}, strings.Fields(c.args)...)
		d.read(0, &got, args...)
		told := ""
		for line := range strings.SplitSeq(d.text(args...), "\n") {
			if rest, ok := strings.CutPrefix(line, "approval   "); ok {
				told = rest
			}
		}
		if got.Verdict != c.verdict || got.Outcomes.Headless != c.headless || told != c.approval || (got.Approval == nil) != (c.approval == "") {
			t.Errorf("%s: %s, headless %s, %q", c.args, got.Verdict, got.Outcomes.Headless, told)
		}
	}
}

func TestAnApprovalModeIsOfAServersTool(t *testing.T) {
	d := newDesk(t, "", "")
	for _, args := range [][]string{{"--approval-mode", "prompt", "ls"}, {"--tool", "ls", "--hint", "destructive"}} {
		d.fails(cmdutil.CodeUsage, "a tool of a server", append([]string{"explain"}, args...)...)
	}
}
