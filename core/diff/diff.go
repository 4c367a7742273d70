// Package diff shows how one text became another as a unified diff. It is a leaf
// that reads no files and applies nothing. Work and result are bounded: what two
// texts share at both ends is skipped before lines are compared, and a diff too
// long to read is cut and says so. Tools put its result beside theirs, front ends
// draw it.
package diff

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

const (
	context  = 3         // unchanged lines shown around a change
	maxBytes = 100 << 10 // of a result
	maxInput = 4 << 20   // of the differing middles that are compared line by line
	maxLine  = 4 << 10   // of one line of the result
)

// Unified returns the unified diff that turns old into new, with three lines of
// context and the given names in its header; "" when the texts are equal. A
// result over 100 KB is cut at a line, with a last line that begins with "...".
// A line over 4 KB is cut likewise.
func Unified(oldName, newName, old, new string) string {
	if old == new {
		return ""
	}
	start, oldEnd, newEnd := middle(old, new)
	if oldEnd-start+newEnd-start > maxInput {
		return replaced(oldName, newName, old[start:oldEnd], new[start:newEnd], strings.Count(old[:start], "\n"))
	}
	from := back(old, start)
	oldEnd, newEnd = ahead(old, oldEnd), ahead(new, newEnd)
	part := old[from:oldEnd]
	u, err := udiff.ToUnifiedDiff(oldName, newName, part, udiff.Lines(part, new[from:newEnd]), context)
	if err != nil { // edits that come from Lines always apply
		return replaced(oldName, newName, part, new[from:newEnd], strings.Count(old[:from], "\n"))
	}
	skipped := strings.Count(old[:from], "\n")
	for _, h := range u.Hunks {
		h.FromLine += skipped
		h.ToLine += skipped
	}
	return clip(u.String())
}

// middle finds the part where the texts differ, in whole lines: both start at
// start, and what follows oldEnd and newEnd is equal.
func middle(old, new string) (start, oldEnd, newEnd int) {
	n := min(len(old), len(new))
	start = commonPrefix(old[:n], new[:n])
	start = strings.LastIndexByte(old[:start], '\n') + 1
	n -= start
	tail := commonSuffix(old[len(old)-n:], new[len(new)-n:])
	// The equal tail must begin at the start of a line in both texts.
	oldEnd, newEnd = len(old)-tail, len(new)-tail
	if tail > 0 && !(atLine(old, oldEnd) && atLine(new, newEnd)) {
		skip := strings.IndexByte(old[oldEnd:], '\n') + 1
		if skip == 0 {
			skip = tail
		}
		oldEnd, newEnd = oldEnd+skip, newEnd+skip
	}
	return start, oldEnd, newEnd
}

// block is how many bytes are compared at once where the texts are equal.
const block = 4096

func commonPrefix(a, b string) int {
	i := 0
	for i+block <= len(a) && a[i:i+block] == b[i:i+block] {
		i += block
	}
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b string) int {
	i := 0
	for i+block <= len(a) && a[len(a)-i-block:len(a)-i] == b[len(b)-i-block:len(b)-i] {
		i += block
	}
	for i < len(a) && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}

func atLine(s string, i int) bool { return i == 0 || s[i-1] == '\n' }

// back returns the start of the line that is context lines before i.
func back(s string, i int) int {
	for range context + 1 {
		if i = strings.LastIndexByte(s[:i], '\n'); i < 0 {
			return 0
		}
	}
	return i + 1
}

// ahead returns the end of the line that is context lines after i.
func ahead(s string, i int) int {
	for range context {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			return len(s)
		}
		i += n + 1
	}
	return i
}

// replaced shows a change too large to compare: one text for the other.
func replaced(oldName, newName, old, new string, line int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n@@ -%d,%d +%d,%d @@\n", oldName, newName,
		line+1, lines(old), line+1, lines(new))
	prefixed(&b, '-', old, maxBytes/2)
	prefixed(&b, '+', new, maxBytes/2)
	return clip(b.String())
}

func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// prefixed writes s line by line until room bytes are used up.
func prefixed(b *strings.Builder, mark byte, s string, room int) {
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		if room -= len(line) + 2; room < 0 {
			fmt.Fprintf(b, "... %d more lines\n", lines(s))
			return
		}
		b.WriteByte(mark)
		b.WriteString(line)
		b.WriteByte('\n')
		s = rest
	}
}

// clip bounds each line and the whole.
func clip(s string) string {
	if len(s) <= maxLine {
		return s
	}
	var b strings.Builder
	for rest := s; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		if b.Len()+min(len(line), maxLine) > maxBytes {
			fmt.Fprintf(&b, "... %d more lines of diff\n", lines(rest))
			break
		}
		if len(line) > maxLine {
			line = fmt.Sprintf("%s... %d more bytes", strings.ToValidUTF8(line[:maxLine], ""), len(line)-maxLine)
		}
		b.WriteString(line)
		b.WriteByte('\n')
		rest = after
	}
	return b.String()
}
