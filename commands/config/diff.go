package config

import (
	"fmt"
	"strings"
)

// context is how many unchanged lines a diff shows around a change.
const context = 3

// diff is a unified diff for a text that only loses lines or parts of them, as
// a migration does: each old line is kept, or removed, or replaced by its rest.
func diff(path, before, after string) string {
	lines := edits(splitLines(before), splitLines(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", path, path)
	for start := 0; start < len(lines); {
		if lines[start][0] == ' ' {
			start++
			continue
		}
		end := hunkEnd(lines, start)
		writeHunk(&b, lines, max(0, start-context), end)
		start = end
	}
	return b.String()
}

// edits are the lines of both texts, each with ' ', '-' or '+' before it.
func edits(old, now []string) []string {
	var out []string
	j := 0
	for _, line := range old {
		switch {
		case j < len(now) && now[j] == line:
			out = append(out, " "+line)
			j++
		case j < len(now) && restOf(line, now[j]):
			out = append(out, "-"+line, "+"+now[j])
			j++
		default:
			out = append(out, "-"+line)
		}
	}
	for ; j < len(now); j++ {
		out = append(out, "+"+now[j])
	}
	return out
}

// restOf reports whether now is what removing a key from line left: its comment.
func restOf(line, now string) bool {
	now = strings.TrimSpace(now)
	return strings.HasPrefix(now, "#") && strings.HasSuffix(strings.TrimSpace(line), now)
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// hunkEnd is the end of the hunk that the change at start opens: changes less
// than two contexts apart share one.
func hunkEnd(lines []string, start int) int {
	last := start
	for i := start; i < len(lines) && i <= last+2*context; i++ {
		if lines[i][0] != ' ' {
			last = i
		}
	}
	return min(len(lines), last+context+1)
}

func writeHunk(b *strings.Builder, lines []string, from, to int) {
	oldAt, newAt := 1, 1
	for _, line := range lines[:from] {
		oldAt += count(line, '+')
		newAt += count(line, '-')
	}
	oldLen, newLen := 0, 0
	for _, line := range lines[from:to] {
		oldLen += count(line, '+')
		newLen += count(line, '-')
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldAt, oldLen, newAt, newLen)
	for _, line := range lines[from:to] {
		b.WriteString(strings.TrimSuffix(line, "\r") + "\n")
	}
}

// count is 1 for a line that is on the side not marked by other.
func count(line string, other byte) int {
	if line[0] == other {
		return 0
	}
	return 1
}
