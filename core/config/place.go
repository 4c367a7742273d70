package config

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// splice replaces the bytes at s by text.
func splice(body []byte, s span, text string) []byte {
	return slices.Concat(body[:s.start], []byte(text), body[s.end:])
}

// newline is the line ending the file uses.
func (e *editor) newline() string {
	if bytes.Contains(e.doc.body, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// indentAt is the white space before the line at offset.
func (e *editor) indentAt(offset int) string {
	line := e.doc.body[lineStart(e.doc.body, offset):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// insertLine adds a key to table i: below a comment that shows this very key
// commented out, else after the table's last key, else after its header.
func (e *editor) insertLine(i int, key []string) []byte {
	newline := e.newline()
	t := e.doc.tables[i]
	line := JoinPath(key) + " = " + render(e.value)
	if at, indent, ok := e.commentedOut(t, key); ok {
		return e.insertAfterLine(at, indent+line)
	}
	last := -1
	for n, entry := range e.doc.entries {
		if entry.table == i && entry.parent < 0 {
			last = n
		}
	}
	switch {
	case last >= 0:
		entry := e.doc.entries[last]
		return e.insertAfterLine(entry.value.end, e.indentAt(entry.key.start)+line)
	case len(t.path) > 0:
		return e.insertAfterLine(t.header.start, e.indentAt(t.header.start)+line)
	case len(e.doc.tables) == 1:
		return e.insertBlock(len(e.doc.body), line+newline)
	default:
		at := e.aboveComments(e.doc.tables[1].header.start)
		return splice(e.doc.body, span{at, at}, line+newline+newline)
	}
}

// commentedOut finds "# key = ..." among t's lines.
func (e *editor) commentedOut(t table, key []string) (offset int, indent string, ok bool) {
	if len(key) != 1 {
		return 0, "", false
	}
	shown := regexp.MustCompile(`^#\s*` + regexp.QuoteMeta(quoteKey(key[0])) + `\s*=`)
	for _, c := range e.doc.comments {
		start := lineStart(e.doc.body, c.start)
		alone := len(bytes.TrimSpace(e.doc.body[start:c.start])) == 0
		inside := c.start >= t.header.end && c.start < t.end && !e.insideValue(c.start)
		if alone && inside && shown.MatchString(e.doc.text(c)) {
			return c.start, string(e.doc.body[start:c.start]), true
		}
	}
	return 0, "", false
}

func (e *editor) insideValue(offset int) bool {
	return slices.ContainsFunc(e.doc.entries, func(n entry) bool { return offset > n.value.start && offset < n.value.end })
}

// insertAfterLine adds a line below the one at offset.
func (e *editor) insertAfterLine(offset int, line string) []byte {
	end := lineEnd(e.doc.body, offset)
	return splice(e.doc.body, span{end, end}, e.newline()+line)
}

// insertBlock adds whole lines at offset, the start of a line or the end of the
// file, with a blank line around them.
func (e *editor) insertBlock(offset int, text string) []byte {
	newline := e.newline()
	before := e.doc.body[:offset]
	if len(before) > 0 && before[len(before)-1] != '\n' {
		text = newline + text
	}
	if trimmed := bytes.TrimRight(before, " \t"); len(bytes.TrimSpace(before)) > 0 && !bytes.HasSuffix(trimmed, []byte("\n\n")) && !bytes.HasSuffix(trimmed, []byte("\n\r\n")) && strings.Contains(text, "[") {
		text = newline + text
	}
	if offset < len(e.doc.body) {
		text += newline
	}
	return splice(e.doc.body, span{offset, offset}, text)
}

// tableEnd is where something can be added behind table i: before the comments
// that stand right above the next header.
func (e *editor) tableEnd(i int) int {
	t := e.doc.tables[i]
	if t.end == len(e.doc.body) {
		return t.end
	}
	return max(e.aboveComments(t.end), t.header.end)
}

// aboveComments is the start of the comment lines that end right above offset.
func (e *editor) aboveComments(offset int) int {
	for offset > 0 {
		start := lineStart(e.doc.body, offset-1)
		line := bytes.TrimSpace(e.doc.body[start:offset])
		if len(line) == 0 || line[0] != '#' || e.insideValue(start) {
			break
		}
		offset = start
	}
	return offset
}

// unset removes the key's entries: the key itself, or for a table of the user's
// everything in it.
func (e *editor) unset() ([]byte, error) {
	body := e.doc.body
	want := clone(e.doc.values).(map[string]any)
	found := false
	for _, n := range slices.Backward(e.doc.entries) {
		path := e.doc.named(n.path)
		if len(path) < len(e.parts) || !slices.Equal(path[:len(e.parts)], e.parts) {
			continue
		}
		if n.parent >= 0 && e.under(n.parent) {
			continue // goes with its holder
		}
		found = true
		drop(want, n.path)
		body = e.remove(body, n)
	}
	if !found {
		return e.whole(body), nil
	}
	if !e.means(body, want) {
		return nil, errNoPlace
	}
	return e.whole(body), nil
}

func (e *editor) under(i int) bool {
	path := e.doc.named(e.doc.entries[i].path)
	return len(path) >= len(e.parts) && slices.Equal(path[:len(e.parts)], e.parts)
}

// remove takes entry n out of body, which equals the document up to n's end.
func (e *editor) remove(body []byte, n entry) []byte {
	if n.parent >= 0 {
		return removeInline(body, span{n.key.start, n.value.end})
	}
	kept := ""
	for _, c := range e.doc.comments {
		if c.start > n.value.start && c.end <= n.value.end {
			kept += e.indentAt(n.key.start) + strings.TrimRight(e.doc.text(c), "\r") + e.newline()
		}
	}
	start := lineStart(body, n.key.start)
	end := lineEnd(body, n.value.end)
	if rest := bytes.TrimSpace(body[n.value.end:end]); len(rest) > 0 {
		return splice(body, span{start, n.value.end + bytes.IndexByte(body[n.value.end:], '#')}, kept+e.indentAt(n.key.start))
	}
	if next := bytes.IndexByte(body[end:], '\n'); next >= 0 {
		end += next + 1
	}
	return splice(body, span{start, end}, kept)
}

// removeInline takes an entry and one of its commas out of an inline table.
func removeInline(body []byte, s span) []byte {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	end := s.end
	for end < len(body) && blank(body[end]) {
		end++
	}
	if end < len(body) && body[end] == ',' {
		end++
		for end < len(body) && (body[end] == ' ' || body[end] == '\t') {
			end++
		}
		return splice(body, span{s.start, end}, "")
	}
	start := s.start
	for start > 0 && blank(body[start-1]) {
		start--
	}
	if start > 0 && body[start-1] == ',' {
		return splice(body, span{start - 1, s.end}, "")
	}
	return splice(body, s, "")
}

// Render writes a value as it stands in a file: TOML, on one line.
func Render(v any) string { return render(v) }

func render(v any) string {
	switch t := v.(type) {
	case string:
		return renderString(t)
	case bool:
		return strconv.FormatBool(t)
	case int64:
		return strconv.FormatInt(t, 10)
	case int:
		return strconv.Itoa(t)
	case float64:
		return renderFloat(t)
	case []any:
		parts := make([]string, len(t))
		for i, e := range t {
			parts[i] = render(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		return renderTable(t)
	default:
		return quote("")
	}
}

// renderString prefers single quotes where a basic string would need doubled
// backslashes, as in a Windows path.
func renderString(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\'' }) < 0
	if plain && strings.Contains(s, `\`) {
		return "'" + s + "'"
	}
	return quote(s)
}

func renderFloat(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func renderTable(m map[string]any) string {
	if len(m) == 0 {
		return "{}"
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = quoteKey(name) + " = " + render(m[name])
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
