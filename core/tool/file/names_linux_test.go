package file_test

import (
	"strings"
	"testing"
)

// TestGR06OddNamesAreListedEscapedAndReopen is about names that no plain text
// line can carry.
func TestGR06OddNamesAreListedEscapedAndReopen(t *testing.T) {
	b := open(t)
	names := []string{"caf\xe9.txt", "two\nlines", "-dash", " space", `"quoted"`, "esc\x1b[31m", "\u202egpj.exe", strings.Repeat("长", 85)}
	for _, name := range names {
		b.put(name, "x\n")
	}
	lines := strings.Split(strings.TrimSpace(b.ok("ls", args{})), "\n")
	if len(lines) != len(names) {
		t.Fatalf("listed %q", lines)
	}
	for _, line := range lines {
		shown := line[:strings.LastIndex(line, "\t")]
		if got := b.ok("read_file", args{"path": shown}); got != "1\tx\n" {
			t.Errorf("%s: %q", shown, got)
		}
		b.edit(shown, "x", "y")
	}
	for _, name := range names {
		b.holds(name, "y\n")
	}
}
