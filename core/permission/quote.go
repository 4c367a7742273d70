package permission

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape writes an unquoted literal without its backslashes. It reports whether
// the shell would make something else of it: the names that a glob matches, or the
// words of a brace expansion.
func unescape(w *strings.Builder, lit string) (glob, brace bool) {
	for i := 0; i < len(lit); i++ {
		switch c := lit[i]; c {
		case '\\':
			if i++; i == len(lit) { // the last character of a script
				w.WriteByte(c)
			} else if lit[i] != '\n' {
				w.WriteByte(lit[i])
			}
		case '*', '?':
			glob = true
			w.WriteByte(c)
		case '[': // alone it is the command test
			glob = glob || lit != "["
			w.WriteByte(c)
		case '{':
			rest := lit[i:] // what closes the brace may stand behind quotes
			brace = brace || strings.Contains(rest, ",") || strings.Contains(rest, "..") || strings.Count(rest, "{") > strings.Count(rest, "}")
			w.WriteByte(c)
		default:
			w.WriteByte(c)
		}
	}
	return glob, brace
}

// unescapeQuoted writes a literal that stands in double quotes.
func unescapeQuoted(w *strings.Builder, lit string) {
	for i := 0; i < len(lit); i++ {
		if lit[i] == '\\' && i+1 < len(lit) && strings.IndexByte("$`\"\\\n", lit[i+1]) >= 0 {
			i++
			if lit[i] == '\n' {
				continue
			}
		}
		w.WriteByte(lit[i])
	}
}

// ansiC returns what $'...' stands for. It fails where shells differ: at a NUL, at
// which some stop, and at a number in braces.
func ansiC(s string) (text string, ok bool) {
	var w strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			w.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'x':
			i += number(&w, s[i:], 16, 2, false)
		case 'u':
			i += number(&w, s[i:], 16, 4, true)
		case 'U':
			i += number(&w, s[i:], 16, 8, true)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(&w, "0"+s[i:], 8, 3, false) - 1
		case 'c':
			if i+1 == len(s) {
				return "", false
			}
			i++
			w.WriteByte(s[i] & 0x1f)
		default:
			if at := strings.IndexByte("abeEfnrtv", c); at >= 0 {
				c = "\a\b\x1b\x1b\f\n\r\t\v"[at]
			} else if strings.IndexByte(`\'"?`, c) < 0 {
				w.WriteByte('\\') // no escape at all
			}
			w.WriteByte(c)
		}
	}
	text = w.String()
	return text, !strings.ContainsRune(text, 0) && !strings.Contains(s, `\x{`)
}

// number writes the character with the number that follows the first letter of s,
// of at most n digits, and returns how many it read. Without a digit the escape
// stands for itself.
func number(w *strings.Builder, s string, base, n int, char bool) int {
	end := 1
	for end < len(s) && end <= n {
		if _, err := strconv.ParseUint(s[1:end+1], base, 32); err != nil {
			break
		}
		end++
	}
	v, err := strconv.ParseUint(s[1:end], base, 32)
	switch {
	case err != nil:
		w.WriteByte('\\')
		w.WriteByte(s[0])
	case char && v <= utf8.MaxRune:
		w.WriteRune(rune(v))
	default:
		w.WriteByte(byte(v))
	}
	return end - 1
}
