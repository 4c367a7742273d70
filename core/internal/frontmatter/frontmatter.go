// Package frontmatter reads and writes Markdown texts that begin with a block of
// keys between two lines of three dashes, as people write them for notes, skills
// and commands. It takes what they write, not YAML: a value is the text behind
// the colon, so that `argument-hint: [focus-area]` and `title: a: b` load; lists
// and nested keys are read in their simple forms only. Rewriting changes the keys
// that are set and no other byte: unknown keys, comments, order, line ends and a
// byte order mark stay. Input is bounded. The packages that keep such files call
// it; it reads no file itself.
package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits of a block of keys. A text that exceeds them is refused whole.
const (
	MaxBlock = 64 << 10 // bytes between the dashes
	MaxLines = 2000
	maxKey   = 128 // bytes
)

// Errors of Parse; a *LineError is the third kind.
var (
	ErrUnclosed = errors.New("the block of keys that begins in line 1 has no closing ---")
	ErrTooLarge = fmt.Errorf("the block of keys exceeds %d KB or %d lines", MaxBlock>>10, MaxLines)
)

// LineError says which line of the block is neither a key nor part of one.
type LineError struct {
	Line int // from 1
	Text string
}

func (e *LineError) Error() string {
	return fmt.Sprintf("line %d is not `key: value`: %q", e.Line, e.Text)
}

const (
	mark  = "\ufeff"
	fence = "---"
)

// Doc is a text taken apart. Its zero value is an empty text without keys. It is
// a value to one goroutine at a time.
type Doc struct {
	// Body is what follows the block, with LF line ends when the text had one
	// kind of line end throughout.
	Body string

	entries    []entry
	head, tail string // the two fences as written; head is empty without a block
	crlf, mark bool
}

// An entry is a key with the lines that belong to it, or one line without a key:
// a comment or a blank.
type entry struct {
	key   string
	lines []string // without line ends
}

// Parse takes text apart. A text that does not begin with a line of three dashes
// is all body. Rendering the result gives text again, byte for byte.
func Parse(text []byte) (*Doc, error) {
	d := &Doc{}
	rest := string(text)
	rest, d.mark = strings.CutPrefix(rest, mark)
	if n := strings.Count(rest, "\n"); n > 0 && strings.Count(rest, "\r\n") == n && strings.Count(rest, "\r") == n {
		d.crlf = true
		rest = strings.ReplaceAll(rest, "\r\n", "\n")
	}
	first, rest, more := cutLine(rest)
	if !isFence(first) {
		d.Body = first + rest
		return d, nil
	}
	d.head = first
	if !more {
		return nil, ErrUnclosed
	}
	return d, d.readBlock(rest)
}

// readBlock reads the lines up to the closing fence; what follows is the body.
func (d *Doc) readBlock(rest string) error {
	size := 0
	for n := 2; ; n++ {
		line, after, more := cutLine(rest)
		if isFence(line) {
			d.tail, d.Body = line, after
			return nil
		}
		if !more {
			return ErrUnclosed
		}
		if size += len(line); size > MaxBlock || n > MaxLines {
			return ErrTooLarge
		}
		if err := d.addLine(n, strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
		rest = after
	}
}

func (d *Doc) addLine(n int, line string) error {
	trimmed := strings.TrimSpace(line)
	key, _, isKey := cutKey(line)
	switch {
	case isKey:
		d.entries = append(d.entries, entry{key: key, lines: []string{line}})
	case trimmed == "" || strings.HasPrefix(line, "#"):
		// It belongs to a longer value when more of that follows, see join.
		d.entries = append(d.entries, entry{lines: []string{line}})
	case !continues(line) || !d.join(line):
		return &LineError{Line: n, Text: clip(trimmed)}
	}
	return nil
}

// join adds line to the value of the last key, with the lines between that have no
// key. It reports whether there is one.
func (d *Doc) join(line string) bool {
	at := len(d.entries) - 1
	for at >= 0 && d.entries[at].key == "" {
		at--
	}
	if at < 0 {
		return false
	}
	for _, e := range d.entries[at+1:] {
		d.entries[at].lines = append(d.entries[at].lines, e.lines...)
	}
	d.entries[at].lines = append(d.entries[at].lines, line)
	d.entries = d.entries[:at+1]
	return true
}

// continues reports whether line can belong to the value of the key before it.
func continues(line string) bool {
	return line != "" && (line[0] == ' ' || line[0] == '\t' || line == "-" || strings.HasPrefix(line, "- "))
}

// cutKey splits "key: value". The key is at the beginning of the line and any text
// that could not be meant as something else.
func cutKey(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if !ok || value != "" && !strings.ContainsAny(value[:1], " \t\r") {
		return "", "", false
	}
	return key, strings.TrimSpace(value), validKey(key)
}

func validKey(key string) bool {
	return key != "" && len(key) <= maxKey && strings.TrimSpace(key) == key &&
		!strings.ContainsAny(key[:1], "-#'\"[]{}<>|&*!%@`?,=") && !strings.ContainsAny(key, ":\r\n\t\x00")
}

// cutLine splits text behind its first line end.
func cutLine(text string) (line, rest string, more bool) {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		return text[:at+1], text[at+1:], true
	}
	return text, "", false
}

func isFence(line string) bool {
	return strings.HasPrefix(line, fence) && strings.TrimSpace(line) == fence
}

func clip(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// Has reports whether the text has a block of keys, be it an empty one.
func (d *Doc) Has() bool { return d.head != "" }

// Keys lists the keys in their order; one that is there twice is listed twice.
func (d *Doc) Keys() []string {
	var keys []string
	for _, e := range d.entries {
		if e.key != "" {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// find returns the entry of key that counts: the last.
func (d *Doc) find(key string) (entry, bool) {
	for _, e := range slices.Backward(d.entries) {
		if e.key == key {
			return e, true
		}
	}
	return entry{}, false
}

// Delete removes key and its lines.
func (d *Doc) Delete(key string) {
	d.entries = slices.DeleteFunc(d.entries, func(e entry) bool { return e.key == key && key != "" })
}

// replace makes line the only one of key, at the place of the key or at the end.
func (d *Doc) replace(key, line string) {
	last := -1
	for i, e := range d.entries {
		if e.key == key {
			last = i
		}
	}
	if last < 0 {
		d.entries = append(d.entries, entry{key: key, lines: []string{line}})
		return
	}
	d.entries[last].lines = []string{line}
	at := -1
	d.entries = slices.DeleteFunc(d.entries, func(e entry) bool { at++; return e.key == key && at != last })
}

// Render returns the text. A Doc that got its first key gets a block.
func (d *Doc) Render() []byte {
	var b bytes.Buffer
	head, tail := d.head, d.tail
	if len(d.entries) > 0 && head == "" {
		head, tail = fence+"\n", fence+"\n"
	}
	b.WriteString(head)
	for _, e := range d.entries {
		for _, line := range e.lines {
			b.WriteString(line + "\n")
		}
	}
	if d.Body != "" && tail == fence { // the text ended with its block
		tail += "\n"
	}
	b.WriteString(tail + d.Body)
	text := b.Bytes()
	if d.crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if d.mark {
		text = append([]byte(mark), text...)
	}
	return text
}
