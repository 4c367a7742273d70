package permission_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func BenchmarkShell(b *testing.B) {
	p := policy(b, "allow Bash(git:*); allow Bash(go test:*); allow Bash(ls:*); deny Bash(rm -rf*); ask Bash(git push:*)")
	args := bash(`cd sub && git status --short | head -20; for f in a b c; do go test -run "$f" ./...; done; ` + strings.Repeat("ls -la dir && ", 7) + "git log -1")
	b.ReportAllocs()
	for b.Loop() {
		p.Decide("bash", false, args)
	}
}

// BenchmarkDecideShell200 judges a command of 200 characters under an ordinary
// policy with everything on.
func BenchmarkDecideShell200(b *testing.B) {
	p := places(b, "allow Bash(git:*); allow Bash(go test:*); allow Bash(ls:*); allow Bash(npm run test:*); deny Bash(rm -rf*); deny Edit(secret/**); ask Bash(git push:*)")
	p.ReadOnlyCommands = true
	const command = `cd internal/server && git status --short | head -20 && for f in a b c; do go test -run "$f" ./...; done; ls -la dir 2>/dev/null | grep -v "tmp" | wc -l && git log --oneline -5 -- internal/server`
	if len(command) < 190 || len(command) > 210 {
		b.Fatalf("the command has %d characters", len(command))
	}
	args := bash(command)
	b.ReportAllocs()
	for b.Loop() {
		p.Decide("bash", false, args)
	}
}

func BenchmarkFile(b *testing.B) {
	p := places(b, "allow Edit(docs/**); deny Edit(src/**)")
	args := json.RawMessage(`{"path":"docs/a.md"}`)
	b.ReportAllocs()
	for b.Loop() {
		p.Decide("write_file", false, args)
	}
}
