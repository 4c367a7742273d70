// Package gitconfig reads git's configuration format. It knows no setting: those who
// need a few of them pick them out. Included files are theirs to read. core/internal/walk
// takes from it what is ignored, core/workspace what git would run.
package gitconfig

import (
	"bytes"
	"iter"
	"strings"
)

// A Setting is one line of a configuration. Section and Key are in lower case, Sub is
// the quoted name behind a section's, as it is written.
type Setting struct {
	Section, Sub, Key string
	Value             string // without quotes, escapes and comment
	Set               bool   // there is a value: a key alone means true
}

// Settings are those of a file, in its order. A line that is none is passed over.
func Settings(data []byte) iter.Seq[Setting] {
	return func(yield func(Setting) bool) {
		section, sub := "", ""
		for line := range logical(data) {
			text := strings.TrimSpace(line)
			if rest, ok := strings.CutPrefix(text, "["); ok {
				head, after, closed := cutHead(rest)
				if !closed {
					continue
				}
				section, sub = names(head)
				text = strings.TrimSpace(after)
			}
			if text == "" || text[0] == '#' || text[0] == ';' {
				continue
			}
			key, raw, set := strings.Cut(text, "=")
			s := Setting{Section: section, Sub: sub, Key: strings.ToLower(strings.TrimSpace(key)), Value: value(raw), Set: set}
			if !yield(s) {
				return
			}
		}
	}
}

// logical are the lines of data, those joined that a backslash at the end continues.
func logical(data []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		whole := ""
		for line := range bytes.Lines(data) {
			whole += strings.TrimRight(string(line), "\r\n")
			if goesOn(whole) {
				whole = whole[:len(whole)-1]
				continue
			}
			if !yield(whole) {
				return
			}
			whole = ""
		}
		if whole != "" {
			yield(whole)
		}
	}
}

// goesOn reports whether text ends in a backslash that is of its value, not of a comment.
func goesOn(text string) bool {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) {
				return true
			}
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			return false
		}
	}
	return false
}

// cutHead cuts a section's head at the bracket that closes it, which is none in quotes.
func cutHead(s string) (head, after string, closed bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ']' && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}

// names are the two of a head: section "sub", or the older section.sub.
func names(head string) (section, sub string) {
	section, quoted, found := strings.Cut(head, `"`)
	if !found {
		section, sub, _ = strings.Cut(section, ".")
		return strings.ToLower(strings.TrimSpace(section)), strings.TrimSpace(sub)
	}
	var b strings.Builder
	for i := 0; i < len(quoted) && quoted[i] != '"'; i++ {
		if quoted[i] == '\\' && i+1 < len(quoted) {
			i++
		}
		b.WriteByte(quoted[i])
	}
	return strings.ToLower(strings.TrimSpace(section)), b.String()
}

// value takes off quotes, escapes and a comment.
func value(s string) string {
	var b strings.Builder
	quoted, end := false, 0
	s = strings.TrimSpace(s)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			quoted = !quoted
			end = b.Len()
			continue
		case c == '\\' && i+1 < len(s):
			i++
			c = unescape(s[i])
		case (c == '#' || c == ';') && !quoted:
			return b.String()[:end]
		case c == ' ' && !quoted:
			b.WriteByte(c)
			continue
		}
		b.WriteByte(c)
		end = b.Len()
	}
	return b.String()[:end]
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
