package permission_test

import (
	"encoding/json"
	"testing"

	"reasonix/core/permission"
)

func TestFileTools(t *testing.T) {
	for _, c := range []struct {
		name, policy, tool, args string
		want                     permission.Decision
	}{
		{"relative", "allow Edit(docs/**)", "write_file", `{"path":"docs/a/b.md"}`, allow},
		{"absolute", "allow Edit(docs/**)", "edit_file", `{"file_path":"/work/docs/b.md"}`, allow},
		{"PM-11 traversal", "allow Edit(docs/**)", "edit_file", `{"path":"docs/../secret"}`, ask},
		{"PM-11 out of the workspace", "allow Edit(**)", "edit_file", `{"path":"x"}`, allow},
		{"PM-11 outside is not under a relative pattern", "allow Edit(*/**)", "edit_file", `{"path":"../x/y"}`, deny},
		{"PM-11 home", "deny Read(~/.ssh/**)", "read_file", `{"path":"/home/me/.ssh/id"}`, deny},
		{"PM-11 home as typed", "deny Read(~/.ssh/**)", "read_file", `{"path":"~/.ssh/id"}`, deny},
		{"PM-11 a denied name anywhere", "deny Read(**/.env)", "read_file", `{"path":"/srv/.env"}`, deny},
		{"PM-12 case counts", "deny Read(.env)", "read_file", `{"path":".ENV"}`, allow},
		{"a directory and all below", "deny Edit(secret/)", "write_file", `{"path":"secret/a/b"}`, deny},
		{"a star stays in its directory", "allow Edit(docs/*)", "write_file", `{"path":"docs/a/b"}`, ask},
		{"a denying star does not", "deny Edit(docs/*)", "write_file", `{"path":"docs/a/b"}`, deny},
		{"both ends of a move", "allow Edit(docs/**)", "move_file", `{"source_path":"docs/a","destination_path":"src/a"}`, ask},
		{"both ends inside", "allow Edit(docs/**)", "move_file", `{"source_path":"docs/a","destination_path":"docs/b"}`, allow},
		{"one denied end is enough", "allow Edit; deny Edit(src/**)", "move_file", `{"source_path":"docs/a","destination_path":"src/a"}`, deny},
		{"a repeated key does not hide the other", "allow Edit(docs/**)", "write_file", `{"path":"docs/a","path":"/etc/x"}`, deny},
		{"keys ignore case as decoders do", "deny Edit(src/**)", "write_file", `{"Path":"src/a"}`, deny},
		{"escapes are read", "deny Edit(src/**)", "write_file", `{"p\u0061th":"s\u0072c/a"}`, deny},
		{"a legacy tool id speaks of that tool", "allow write_file(docs/**)", "edit_file", `{"path":"docs/a"}`, ask},
		{"legacy literal", "deny read_file=a*b", "read_file", `{"path":"a*b"}`, deny},
		{"literal is no pattern", "deny read_file=a*b", "read_file", `{"path":"axb"}`, allow},
		{"readers are allowed", "mode deny; allow Bash(x)", "grep", `{"pattern":"x"}`, allow},
		{"a search pattern", "deny grep(password*)", "grep", `{"pattern":"password=x"}`, deny},
		{"no subject, bare rule only", "allow Edit(docs/**)", "write_file", `{}`, ask},
		{"malformed arguments", "allow Edit(docs/**)", "write_file", `{"path":"docs/a"`, ask},
		{"one MCP tool", "allow mcp__fs__read", "mcp__fs__read", `{}`, allow},
		{"all of a server", "deny mcp__fs", "mcp__fs__write", `{}`, deny},
		{"a server's name is not a prefix", "deny mcp__fs", "mcp__fsx__write", `{}`, ask},
		{"an unknown tool falls back", "allow Edit", "mcp__fs__write", `{"path":"x"}`, ask},
	} {
		readOnly := c.tool == "read_file" || c.tool == "grep"
		if got := policy(t, c.policy).Decide(c.tool, readOnly, json.RawMessage(c.args)); got != c.want {
			t.Errorf("%s: [%s] %s %s: %v, want %v", c.name, c.policy, c.tool, c.args, got, c.want)
		}
	}
}

// PM-12 on a file system that folds case.
func TestPM12CaseFollowsTheFileSystem(t *testing.T) {
	p := policy(t, "deny Read(.env)")
	p.FoldCase = true
	if got := p.Decide("read_file", true, json.RawMessage(`{"path":"/WORK/.Env"}`)); got != deny {
		t.Errorf("got %v, want deny", got)
	}
}

func TestAllowingAFileDoesNotAllocate(t *testing.T) {
	p := places(t, "allow Edit(docs/**); deny Edit(src/**); ask Bash(git push:*)")
	for _, args := range []string{`{"path":"docs/a.md","content":"x \" y"}`, `{"path":"/work/docs/a.md"}`, `{"source_path":"docs/a","destination_path":"docs/b"}`} {
		raw := json.RawMessage(args)
		if n := testing.AllocsPerRun(100, func() {
			if p.Decide("write_file", false, raw) != allow {
				t.Fatal("not allowed")
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations, want none", args, n)
		}
	}
}
