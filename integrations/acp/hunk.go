package acp

import (
	"bytes"
	"strings"

	"reasonix/core/event"
	"reasonix/integrations/internal/acpwire"
)

// diffs shows changes: as such where their texts are known and not too long together, in
// words else. A change is known by its hunks; each is a diff of its own, of the lines it
// is about.
func diffs(all []event.Diff) []any {
	var shown []any
	room := mostText
	for _, d := range all {
		parts, size := changes(d)
		if size > room || len(parts) == 0 {
			parts, size = inWords(d, room)
		}
		shown, room = append(shown, parts...), room-size
	}
	return shown
}

// inWords is a change as a paragraph, of room bytes and a few.
func inWords(d event.Diff, room int) (parts []any, size int) {
	text := fence("diff", d.Unified)
	switch {
	case d.Unified == "" && d.New == nil:
		return nil, 0
	case d.Unified == "" || len(text) > room:
		text = d.Path + ": there are too many changes to be shown"
	}
	return []any{textContent(text)}, min(len(text), room)
}

// changes are the parts of a change, and how many bytes they have together.
func changes(d event.Diff) (parts []any, size int) {
	add := func(was, is *string) {
		parts = append(parts, acpwire.ToolContent{Type: "diff", Path: d.Path, OldText: was, NewText: is})
		size += len(*is)
		if was != nil {
			size += len(*was)
		}
	}
	if d.New != nil {
		add(d.Old, d.New)
		return parts, size
	}
	found, _ := hunks(d.Unified)
	for _, h := range found {
		was, is := string(h.was), string(h.is)
		if h.made {
			add(nil, &is)
		} else {
			add(&was, &is)
		}
	}
	return parts, size
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
