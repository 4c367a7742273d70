package demo

import (
	"slices"
	"strings"

	"reasonix/core/event"
)

// changes are the diffs of a session's edits, without those that were taken
// back.
type changes []event.Diff

// add takes d in. A diff that is the last one of its file turned around leaves
// neither.
func (c *changes) add(d event.Diff) {
	for i, last := range slices.Backward(*c) {
		if last.Path != d.Path {
			continue
		}
		if reversed(last.Unified) == d.Unified {
			*c = slices.Delete(*c, i, i+1)
			return
		}
		break
	}
	*c = append(*c, d)
}

// String is one text of all of them.
func (c changes) String() string {
	var b strings.Builder
	for _, d := range c {
		b.WriteString(strings.TrimRight(d.Unified, "\n") + "\n")
	}
	return b.String()
}

// reversed is the diff of the same change the other way round, its file names
// aside.
func reversed(unified string) string {
	var b, removed, added strings.Builder
	flush := func() {
		b.WriteString(removed.String() + added.String())
		removed.Reset()
		added.Reset()
	}
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			b.WriteString(line)
		case strings.HasPrefix(line, "-"):
			added.WriteString("+" + line[1:])
		case strings.HasPrefix(line, "+"):
			removed.WriteString("-" + line[1:])
		default:
			flush()
			b.WriteString(turned(line))
		}
	}
	flush()
	return b.String()
}

// turned exchanges the two ranges of a hunk's header.
func turned(line string) string {
	f := strings.Fields(line)
	if len(f) < 4 || f[0] != "@@" || f[3] != "@@" {
		return line
	}
	f[1], f[2] = "-"+strings.TrimPrefix(f[2], "+"), "+"+strings.TrimPrefix(f[1], "-")
	return strings.Join(f, " ") + "\n"
}
