package shell

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxLine bounds the line a cleaner holds back, in bytes. A carriage return in a
// longer line rewrites only its end.
const maxLine = 16 << 10

// maxEscape bounds an escape sequence; what is longer is none.
const maxEscape = 4 << 10

// cleaner makes terminal output plain text as it streams by: escape sequences
// are removed, a line that is rewritten by carriage returns or backspaces is
// reduced to its last state, other control bytes and bytes that are not UTF-8
// are spelled out as \x1f. What it emits is valid UTF-8, cut between runes.
type cleaner struct {
	emit func([]byte) // whole lines, except for the last and very long ones

	line      []byte // the present line, cleaned
	rewritten bool   // the present line had a carriage return in it
	returned  bool   // the last byte was a carriage return
	escape    escapeState
	escaped   int    // length of the escape sequence so far
	partial   []byte // start of a rune
}

type escapeState int

const (
	ground     escapeState = iota
	afterEsc               // ESC
	inSequence             // ESC [ ...
	inCharset              // ESC ( and other intermediates
	inString               // ESC ], ESC P, ESC X, ESC ^, ESC _ until BEL, ST or a line's end
	stringEsc              // ESC within a string
)

// clean returns text as a cleaner makes it.
func clean(text string) string {
	var b bytes.Buffer
	c := cleaner{emit: func(p []byte) { b.Write(p) }}
	c.write([]byte(text))
	c.end()
	return b.String()
}

func (c *cleaner) write(p []byte) {
	for len(p) > 0 {
		if c.escape == ground && !c.returned && len(c.partial) == 0 {
			if n := plainPrefix(p); n > 0 {
				c.plain(p[:n])
				p = p[n:]
				continue
			}
		}
		c.step(p[0])
		p = p[1:]
	}
}

// end emits what is held back.
func (c *cleaner) end() {
	c.invalid()
	c.flush()
}

// fork returns a cleaner that goes on where c is and leaves c as it is.
func (c *cleaner) fork(emit func([]byte)) *cleaner {
	next := *c
	next.emit, next.line, next.partial = emit, bytes.Clone(c.line), bytes.Clone(c.partial)
	return &next
}

// plainPrefix is the length of what needs no cleaning: printable text, tabs and
// newlines.
func plainPrefix(p []byte) int {
	for i := 0; i < len(p); {
		b := p[i]
		switch {
		case b >= ' ' && b < 0x7f || b == '\n' || b == '\t':
			i++
		case b < utf8.RuneSelf:
			return i
		default:
			r, size := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError && size == 1 || r < 0xa0 {
				return i
			}
			i += size
		}
	}
	return len(p)
}

func (c *cleaner) plain(p []byte) {
	if last := bytes.LastIndexByte(p, '\n'); last >= 0 {
		if len(c.line) > 0 {
			first := bytes.IndexByte(p, '\n')
			c.line = append(c.line, p[:first+1]...)
			c.flush()
			p, last = p[first+1:], last-first-1
		}
		if last >= 0 {
			c.emit(p[:last+1])
			p = p[last+1:]
		}
		c.rewritten = false
	}
	c.hold(p)
}

func (c *cleaner) hold(p []byte) {
	c.line = append(c.line, p...)
	if len(c.line) > maxLine {
		c.flush()
	}
}

func (c *cleaner) flush() {
	if len(c.line) > 0 {
		c.emit(c.line)
		c.line = c.line[:0]
	}
}

// step takes one byte the slow way.
func (c *cleaner) step(b byte) {
	if c.escape != ground && c.inEscape(b) {
		return
	}
	if len(c.partial) > 0 || b >= utf8.RuneSelf {
		c.runeByte(b)
		return
	}
	switch b {
	case 0x1b:
		c.escape, c.escaped = afterEsc, 0
	case '\n':
		c.hold([]byte{'\n'})
		c.flush()
		c.returned, c.rewritten = false, false
	case '\r':
		c.returned = true
	case '\b':
		_, size := utf8.DecodeLastRune(c.line)
		c.line = c.line[:len(c.line)-size]
	case 0x07: // the bell says nothing
	default:
		c.put(b)
	}
}

// put adds one ASCII byte to the line.
func (c *cleaner) put(b byte) {
	if b < ' ' && b != '\t' || b == 0x7f {
		c.spellOut(b)
		return
	}
	c.rewrite()
	c.hold([]byte{b})
}

// spellOut adds a byte that is no text.
func (c *cleaner) spellOut(b byte) {
	c.rewrite()
	c.hold(fmt.Appendf(nil, `\x%02x`, b))
}

// rewrite begins the line anew after a carriage return.
func (c *cleaner) rewrite() {
	if c.returned {
		c.line = c.line[:0]
		c.returned, c.rewritten = false, true
	}
}

// runeByte collects a rune that was split between writes, or is none.
func (c *cleaner) runeByte(b byte) {
	c.partial = append(c.partial, b)
	if !utf8.FullRune(c.partial) {
		return
	}
	r, size := utf8.DecodeRune(c.partial)
	switch {
	case r == utf8.RuneError && size == 1:
		c.spellOut(c.partial[0])
	case r >= utf8.RuneSelf && r < 0xa0: // control characters of eight bits
		c.rewrite()
		c.hold(fmt.Appendf(nil, `\u%04x`, r))
	default:
		c.rewrite()
		c.hold(c.partial[:size])
	}
	rest := c.partial[size:]
	c.partial = nil
	c.write(rest)
}

// invalid spells out the start of a rune that never ended.
func (c *cleaner) invalid() {
	for _, b := range c.partial {
		c.spellOut(b)
	}
	c.partial = nil
}

// inEscape takes a byte of an escape sequence; false means that it belongs to
// the text again.
func (c *cleaner) inEscape(b byte) bool {
	c.escaped++
	if b == '\n' || c.escaped > maxEscape {
		c.escape = ground
		return false
	}
	switch c.escape {
	case afterEsc, stringEsc:
		return c.afterEscape(b)
	case inString:
		if b == 0x07 {
			c.escape = ground
		} else if b == 0x1b {
			c.escape = stringEsc
		}
	case inSequence:
		if b >= 0x40 && b <= 0x7e {
			c.escape = ground
		} else if b < ' ' || b > 0x7e {
			c.escape = ground
			return false
		}
	case inCharset:
		if b >= 0x30 {
			c.escape = ground
		}
	case ground:
	}
	return true
}

func (c *cleaner) afterEscape(b byte) bool {
	switch {
	case b == '[':
		c.escape = inSequence
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		c.escape = inString
	case b == 0x1b:
		c.escape = afterEsc
	case b >= 0x20 && b <= 0x2f:
		c.escape = inCharset
	case b < ' ' || b >= 0x7f:
		c.escape = ground
		return false
	default: // one letter, or the backslash that ends a string
		c.escape = ground
	}
	return true
}
