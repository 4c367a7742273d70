package frontmatter

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// Get returns the value of key as text: without the quotes around it, the lines of
// a block (`|`, `>`) put together, anything else as it stands. Of a key that is
// there twice the last counts.
func (d *Doc) Get(key string) (value string, ok bool) {
	e, ok := d.find(key)
	if !ok {
		return "", false
	}
	return e.text(), true
}

// List returns the items of key: those of `[a, b]`, of lines that begin with a
// dash, or of a text with commas between them. It is nil without any.
func (d *Doc) List(key string) []string {
	e, ok := d.find(key)
	if !ok {
		return nil
	}
	value := e.first()
	switch {
	case value == "":
		return e.dashes()
	case len(value) > 1 && value[0] == '[' && value[len(value)-1] == ']':
		return items(value[1:len(value)-1], ",")
	case quoted(value):
		return items(unquote(value), ",，、")
	}
	return items(value, ",，、")
}

// Sub returns the value of a key below key, one level deep: `key: {sub: value}`,
// or an indented line `sub: value`.
func (d *Doc) Sub(key, sub string) (value string, ok bool) {
	e, ok := d.find(key)
	if !ok {
		return "", false
	}
	lines := e.lines[1:]
	if first := e.first(); len(first) > 1 && first[0] == '{' && first[len(first)-1] == '}' {
		lines = split(first[1:len(first)-1], ",")
	}
	for _, line := range lines {
		if k, v, ok := cutKey(strings.TrimSpace(line)); ok && unquote(k) == sub {
			return unquote(v), true
		}
	}
	return "", false
}

// Set gives key a value that Get returns again. A key that has it already is left
// as it is written. A key that could not be read again is ignored.
func (d *Doc) Set(key, value string) {
	if old, ok := d.Get(key); ok && old == value || !validKey(key) {
		return
	}
	d.replace(key, strings.TrimSuffix(key+": "+quote(value, plain), " "))
}

// SetList gives key the items that List returns again, on one line. Outer space
// and empty items are dropped.
func (d *Doc) SetList(key string, values []string) {
	values = clean(values)
	if _, ok := d.find(key); ok && slices.Equal(d.List(key), values) || !validKey(key) {
		return
	}
	for i, v := range values {
		values[i] = quote(v, plainItem)
	}
	d.replace(key, key+": ["+strings.Join(values, ", ")+"]")
}

func clean(values []string) []string {
	var kept []string
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			kept = append(kept, v)
		}
	}
	return kept
}

// first is what stands behind the colon.
func (e entry) first() string {
	_, value, _ := strings.Cut(e.lines[0], ":")
	return strings.TrimSpace(value)
}

func (e entry) text() string {
	value := e.first()
	more := e.lines[1:]
	switch {
	case len(more) == 0:
		return unquote(value)
	case value == "" && e.dashes() != nil:
		return strings.Join(e.dashes(), ", ")
	case value == "" || blockStyle(value, '|'):
		return strings.TrimRight(strings.Join(dedent(more), "\n"), "\n ")
	case blockStyle(value, '>'):
		return fold(dedent(more))
	}
	return unquote(value + " " + fold(dedent(more)))
}

func blockStyle(value string, style byte) bool {
	return value[0] == style && strings.Trim(value[1:], "+-0123456789") == ""
}

// dashes are the items of a list of lines; nil when there is another line.
func (e entry) dashes() []string {
	var list []string
	for _, line := range e.lines[1:] {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		item, ok := strings.CutPrefix(line, "-")
		if !ok || item != "" && item[0] != ' ' && item[0] != '\t' {
			return nil
		}
		if item = unquote(strings.TrimSpace(item)); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// dedent removes the indentation of the first line from all.
func dedent(lines []string) []string {
	out := make([]string, len(lines))
	indent := ""
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if indent == "" {
			indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		}
		if cut, ok := strings.CutPrefix(line, indent); ok {
			line = cut
		} else {
			line = strings.TrimLeft(line, " \t")
		}
		out[i] = line
	}
	return out
}

// fold joins lines to paragraphs.
func fold(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		switch {
		case line == "":
			b.WriteString("\n")
			continue
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "\n"):
			b.WriteString(" ")
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String(), "\n ")
}

// items splits text, drops quotes and empty items.
func items(text, separators string) []string {
	var list []string
	for _, item := range split(text, separators) {
		if item = unquote(strings.TrimSpace(item)); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// split cuts text at the separators that are not inside of quotes.
func split(text, separators string) []string {
	var parts []string
	start, within, escaped := 0, rune(0), false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case within == '"' && r == '\\':
			escaped = true
		case within != 0:
			if r == within {
				within = 0
			}
		case (r == '"' || r == '\'') && opens(text[start:i]):
			within = r
		case strings.ContainsRune(separators, r):
			parts = append(parts, text[start:i])
			start = i + len(string(r))
		}
	}
	return append(parts, text[start:])
}

// opens reports whether a quote behind before begins a quoted text.
func opens(before string) bool {
	before = strings.TrimSpace(before)
	return before == "" || strings.HasSuffix(before, ":")
}

func quoted(value string) bool {
	return len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0]
}

// unquote takes the quotes off a value that is quoted as a whole; what only looks
// like it is text.
func unquote(value string) string {
	if !quoted(value) {
		return value
	}
	if value[0] == '\'' {
		inner := value[1 : len(value)-1]
		if strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
			return value
		}
		return strings.ReplaceAll(inner, "''", "'")
	}
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

// quote writes value so that it is read back as it is, and so that a program that
// takes the block for YAML reads the same.
func quote(value string, plain func(string) bool) string {
	if plain(value) {
		return value
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

func plain(value string) bool {
	if value == "" {
		return true
	}
	switch {
	case strings.TrimSpace(value) != value,
		strings.ContainsAny(value[:1], "-#'\"[]{}<>|&*!%@`?,=:~"),
		strings.Contains(value, ": "), strings.Contains(value, " #"), strings.HasSuffix(value, ":"):
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar || r == '\ufeff'
	})
}

func plainItem(value string) bool {
	return plain(value) && value != "" && !strings.ContainsAny(value, ",，、[]{}'\"")
}
