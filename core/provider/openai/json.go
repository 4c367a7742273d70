package openai

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// walker reads JSON front to back without building anything. It is lenient about
// commas and control bytes, strict about where values begin and end: a text that
// was cut is bad. Callers visit the fields they know and skip the rest.
//
//	if w.open('{') {
//		for w.next('}') {
//			switch string(w.key()) { case "id": id = w.text(); default: w.skip() }
//		}
//	}
type walker struct {
	b   []byte
	i   int
	bad bool
}

// peek is the next byte that is no space, or 0 at the end.
func (w *walker) peek() byte {
	for w.i < len(w.b) {
		switch c := w.b[w.i]; c {
		case ' ', '\t', '\n', '\r':
			w.i++
		default:
			return c
		}
	}
	return 0
}

// open enters an object or array. It reports false for any other value, which it
// skips; next must not be called then.
func (w *walker) open(bracket byte) bool {
	if w.peek() == bracket {
		w.i++
		return true
	}
	w.skip()
	return false
}

// next reports whether a further member follows, and leaves the object or array
// when none does.
func (w *walker) next(bracket byte) bool {
	for !w.bad {
		switch w.peek() {
		case ',':
			w.i++
		case bracket:
			w.i++
			return false
		case 0, '}', ']':
			w.bad = true
		default:
			return true
		}
	}
	return false
}

// key is the name of the member that follows. Escapes are left as they are: no
// name anybody looks for has one.
func (w *walker) key() []byte {
	if w.peek() != '"' {
		w.bad = true
		return nil
	}
	name := w.text().raw
	if w.peek() != ':' {
		w.bad = true
		return nil
	}
	w.i++
	return name
}

// text is a string value. Anything else is skipped and gives the zero text.
func (w *walker) text() text {
	if w.peek() != '"' {
		w.skip()
		return text{}
	}
	w.i++
	start, escaped := w.i, false
	for {
		quote := bytes.IndexByte(w.b[w.i:], '"')
		if quote < 0 {
			w.bad = true
			w.i = len(w.b)
			return text{}
		}
		slash := bytes.IndexByte(w.b[w.i:w.i+quote], '\\')
		if slash < 0 {
			w.i += quote + 1
			return text{w.b[start : w.i-1], escaped}
		}
		escaped = true
		w.i = min(w.i+slash+2, len(w.b))
	}
}

// raw is the bytes of the value that follows.
func (w *walker) raw() []byte {
	w.peek()
	start := w.i
	w.skip()
	if w.bad {
		return nil
	}
	return w.b[start:w.i]
}

// number is a number, also one in quotes. ok is false for anything else.
func (w *walker) number() (n float64, ok bool) {
	value := bytes.Trim(w.raw(), `"`)
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil
}

// count is a number of tokens or bytes; whatever is no such number is 0.
func (w *walker) count() int {
	n, ok := w.number()
	if !ok || n < 0 || n > 1<<50 {
		return 0
	}
	return int(n)
}

// skip passes over one value.
func (w *walker) skip() {
	depth := 0
	for !w.bad {
		switch w.peek() {
		case '"':
			w.text()
		case '{', '[':
			w.i++
			depth++
			continue
		case '}', ']':
			w.i++
			depth--
			w.bad = w.bad || depth < 0
		case ',', ':':
			w.bad = w.bad || depth == 0
			w.i++
			continue
		case 0:
			w.bad = true
		default:
			w.word()
		}
		if depth <= 0 {
			return
		}
	}
}

// word passes over a number, true, false or null.
func (w *walker) word() {
	for w.i < len(w.b) {
		switch w.b[w.i] {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\t', '\n', '\r':
			return
		}
		w.i++
	}
}

// text is what stands between the quotes of a JSON string.
type text struct {
	raw     []byte
	escaped bool
}

func (t text) empty() bool { return len(t.raw) == 0 }

func (t text) String() string { return string(t.appendTo(nil)) }

// appendTo appends what the string says. Invalid UTF-8 is passed on, because the
// rest of a character may come with the next delta. Half a surrogate pair is
// written as three bytes for the same reason, and the pair becomes a character
// when the other half is appended behind it.
func (t text) appendTo(dst []byte) []byte {
	if !t.escaped {
		return append(dst, t.raw...)
	}
	s := t.raw
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			unit, ok := hex4(s)
			if !ok {
				dst = append(dst, '\\', 'u')
				continue
			}
			s = s[4:]
			dst = appendUnit(dst, unit)
		default:
			dst = append(dst, c)
		}
	}
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendUnit appends one UTF-16 unit.
func appendUnit(dst []byte, unit rune) []byte {
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(dst, unit)
	}
	if high, ok := highSurrogate(dst); ok {
		if r := utf16.DecodeRune(high, unit); r != utf8.RuneError {
			return utf8.AppendRune(dst[:len(dst)-3], r)
		}
	}
	return append(dst, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0x3F, 0x80|byte(unit)&0x3F)
}

// highSurrogate is the first half of a pair that b ends in.
func highSurrogate(b []byte) (rune, bool) {
	n := len(b)
	if n < 3 || b[n-3] != 0xED || b[n-2] < 0xA0 || b[n-2] > 0xAF || b[n-1]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(b[n-2]&0x3F)<<6 | rune(b[n-1]&0x3F), true
}

// valid is s once nothing more can complete it: halves of a pair that came apart
// are put together, and what still is no UTF-8 becomes U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if high, ok := highSurrogate(out); ok && i+3 <= len(s) && s[i] == 0xED && s[i+1] >= 0xB0 {
			low := 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F)
			out = utf8.AppendRune(out[:len(out)-3], utf16.DecodeRune(high, low))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(replaceInvalid(out))
}

// replaceInvalid puts U+FFFD where there is no character: one for half a pair,
// one for the longest beginning of a character that does not go on, and one for
// every other byte. What becomes one depends on the bytes alone, never on where
// reads cut the stream.
func replaceInvalid(b []byte) []byte {
	out := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r != utf8.RuneError || n > 1:
			out = append(out, b[:n]...)
		case len(b) >= 3 && halfBegun(b) && b[2]&0xC0 == 0x80:
			n = 3
			out = utf8.AppendRune(out, utf8.RuneError)
		default:
			for n < len(b) && n < utf8.UTFMax && !utf8.FullRune(b[:n+1]) {
				n++
			}
			out = utf8.AppendRune(out, utf8.RuneError)
		}
		b = b[n:]
	}
	return out
}

// halfBegun reports whether b begins as half of a surrogate pair does.
func halfBegun(b []byte) bool { return len(b) >= 2 && b[0] == 0xED && b[1] >= 0xA0 && b[1] <= 0xBF }

// unfinished is how many bytes at the end of b may be the beginning of a
// character that the next delta completes.
func unfinished(b []byte) int {
	if _, half := highSurrogate(b); half {
		return 3
	}
	for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			if tail := b[len(b)-n:]; c >= utf8.RuneSelf && (!utf8.FullRune(tail) || n == 2 && halfBegun(tail)) {
				return n
			}
			return 0
		}
	}
	return 0
}

// appendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD, control
// bytes are escaped, and HTML is left alone.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	valid := utf8.ValidString(s)
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && (c < utf8.RuneSelf || valid) {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c >= utf8.RuneSelf {
		return append(dst, "\uFFFD"...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}
