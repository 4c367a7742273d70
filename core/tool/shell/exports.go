package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseExports reads the output of export -p, which is made to be read by a
// shell again: `declare -x NAME="value"` by bash, `export NAME='value'` by
// others. It returns NAME=value for those that have a value, and whether all of
// the text was understood.
func parseExports(text string) (list []string, ok bool) {
	w := words{rest: text}
	for w.next() {
		first := w.word
		if first != "declare" && first != "export" && first != "typeset" {
			return nil, false
		}
		for w.more() { // attributes, then one assignment
			kv := w.word
			if strings.HasPrefix(kv, "-") || !strings.Contains(kv, "=") {
				continue
			}
			list = append(list, kv)
		}
	}
	return list, w.rest == "" && !w.bad
}

// words splits shell text without expansions into words.
type words struct {
	rest string
	word string
	bad  bool
}

// next moves to the first word of the next line that has one.
func (w *words) next() bool {
	w.rest = strings.TrimLeft(w.rest, " \t\n")
	return w.more()
}

// more moves to the next word of the same line.
func (w *words) more() bool {
	w.rest = strings.TrimLeft(w.rest, " \t")
	if w.rest == "" || w.rest[0] == '\n' {
		return false
	}
	var b strings.Builder
	for w.rest != "" && !strings.ContainsRune(" \t\n", rune(w.rest[0])) {
		if !w.piece(&b) {
			w.bad = true
			return false
		}
	}
	w.word = b.String()
	return true
}

// piece takes one quoted part or one plain byte of a word.
func (w *words) piece(b *strings.Builder) bool {
	s := w.rest
	switch {
	case strings.HasPrefix(s, "$'"):
		return w.dollarQuoted(b)
	case s[0] == '\'':
		inner, rest, closed := strings.Cut(s[1:], "'")
		b.WriteString(inner)
		w.rest = rest
		return closed
	case s[0] == '"':
		return w.doubleQuoted(b)
	case s[0] == '\\':
		if len(s) < 2 {
			return false
		}
		b.WriteByte(s[1])
		w.rest = s[2:]
		return true
	}
	b.WriteByte(s[0])
	w.rest = s[1:]
	return true
}

func (w *words) doubleQuoted(b *strings.Builder) bool {
	for s := w.rest[1:]; s != ""; s = s[1:] {
		switch {
		case s[0] == '"':
			w.rest = s[1:]
			return true
		case s[0] == '\\' && len(s) > 1 && strings.IndexByte("\\\"$`", s[1]) >= 0:
			s = s[1:]
			b.WriteByte(s[0])
		default:
			b.WriteByte(s[0])
		}
	}
	return false
}

// dollarQuoted takes $'...', in which bash writes what does not print.
func (w *words) dollarQuoted(b *strings.Builder) bool {
	for s := w.rest[2:]; s != ""; {
		switch {
		case s[0] == '\'':
			w.rest = s[1:]
			return true
		case s[0] != '\\':
			b.WriteByte(s[0])
			s = s[1:]
		case len(s) < 2:
			return false
		default:
			s = s[1+escape(b, s[1:]):]
		}
	}
	return false
}

// simpleEscapes are a backslash's letters and what they stand for.
const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v"

// escape writes what the escape after a backslash stands for, and returns how
// many bytes it is long.
func escape(b *strings.Builder, s string) int {
	if i := strings.IndexByte(simpleEscapes, s[0]); i >= 0 && i%2 == 0 {
		b.WriteByte(simpleEscapes[i+1])
		return 1
	}
	switch s[0] {
	case 'x':
		return number(b, s, 1, 2, 16)
	case 'u':
		return number(b, s, 1, 4, 16)
	case 'U':
		return number(b, s, 1, 8, 16)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return number(b, s, 0, 3, 8)
	}
	b.WriteByte(s[0])
	return 1
}

// number writes the byte or, for \u and \U, the rune that up to most digits after
// the first skip bytes of s stand for.
func number(b *strings.Builder, s string, skip, most, base int) int {
	end := skip
	for end < len(s) && end < skip+most && digit(s[end]) < base {
		end++
	}
	n, err := strconv.ParseUint(s[skip:end], base, 32)
	switch {
	case err != nil:
		b.WriteString(s[:end])
	case s[0] == 'u' || s[0] == 'U':
		b.Write(utf8.AppendRune(nil, rune(n)))
	default:
		b.WriteByte(byte(n))
	}
	return end
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}
