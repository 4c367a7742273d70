package acp

import (
	"bytes"
	"strings"

	"reasonix/core/event"
	"reasonix/integrations/internal/acpwire"
)

// diffs shows changes: as such where their texts are known, in words else. A change is
// known by its hunks; each is a diff of its own, of the lines it is about.
func diffs(all []event.Diff) []any {
	var shown []any
	for _, d := range all {
		if d.New != nil {
			shown = append(shown, acpwire.ToolContent{Type: "diff", Path: d.Path, OldText: d.Old, NewText: d.New})
			continue
		}
		parts, ok := hunks(d.Unified)
		for _, h := range parts {
			was, is := string(h.was), string(h.is)
			c := acpwire.ToolContent{Type: "diff", Path: d.Path, OldText: &was, NewText: &is}
			if h.made {
				c.OldText = nil
			}
			shown = append(shown, c)
		}
		if !ok && d.Unified != "" {
			shown = append(shown, textContent(fence("diff", d.Unified)))
		}
	}
	return shown
}

// hunk is one place of a change: the lines before and after it.
type hunk struct {
	was, is []byte
	made    bool // there was no file
}

// add adds a line that is in the old text, the new one, or both.
func (h *hunk) add(mark byte, line string) {
	if mark != '+' {
		h.was = append(h.was, line...)
	}
	if mark != '-' {
		h.is = append(h.is, line...)
	}
}

// unended takes back the end of the last line, which was of the kind of mark: its file
// has none.
func (h *hunk) unended(mark byte) {
	if mark != '+' {
		h.was = bytes.TrimSuffix(h.was, []byte("\n"))
	}
	if mark != '-' {
		h.is = bytes.TrimSuffix(h.is, []byte("\n"))
	}
}

// longLine is the length from which on a line of a unified diff may have been cut, in
// bytes (core/diff).
const longLine = 4 << 10

// hunks reads a unified diff. It is false for one that was cut, or that has no lines:
// a file that was moved.
func hunks(unified string) ([]*hunk, bool) {
	var all []*hunk
	var last byte
	made := strings.HasPrefix(unified, "--- /dev/null\n")
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			all = append(all, &hunk{made: made})
			continue
		case len(all) == 0: // the names
			continue
		case len(line) > longLine:
			return nil, false
		}
		h := all[len(all)-1]
		switch mark := line[0]; mark {
		case ' ', '-', '+':
			h.add(mark, line[1:])
			last = mark
		case '\\': // no newline at the end of the file
			h.unended(last)
		default:
			return nil, false
		}
	}
	return all, len(all) > 0
}
