package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"reasonix/core/tool"
)

// defaultCap is what the model sees of a call at most, in bytes.
const defaultCap = 16000

// excerpt keeps the head and the tail of a text in bounded memory.
type excerpt struct {
	cap  int
	head []byte
	tail []byte
	text int64 // bytes in all
}

func newExcerpt(set tool.Settings) excerpt {
	if set.OutputCap <= 0 {
		return excerpt{cap: defaultCap}
	}
	return excerpt{cap: set.OutputCap}
}

func (e *excerpt) add(p []byte) {
	e.text += int64(len(p))
	if room := e.cap - len(e.head); room > 0 {
		n := min(room, len(p))
		e.head = append(e.head, p[:n]...)
		p = p[n:]
	}
	if len(p) > e.cap {
		p = p[len(p)-e.cap:]
	}
	if len(e.tail)+len(p) > 2*e.cap {
		kept := copy(e.tail, e.tail[max(0, len(e.tail)-e.cap):])
		e.tail = e.tail[:kept]
	}
	e.tail = append(e.tail, p...)
}

// show joins the text and the trailer within the cap. The middle of the text is
// left out when it must be; marker says what stands for so many bytes.
func (e *excerpt) show(trailer string, marker func(left int64) string) string {
	trailer = strings.TrimSuffix(trailer, "\n")
	if e.fits(e.cap - len(trailer) - 1) {
		return join(string(e.whole()), trailer)
	}
	const newlines = 3
	room := e.cap - len(trailer) - len(marker(e.text)) - newlines
	head, tail := e.ends(room)
	left := marker(e.text - int64(len(head)+len(tail)))
	return join(join(join(string(head), left), string(tail)), trailer)
}

// fits tells whether all of the text is at most size bytes.
func (e *excerpt) fits(size int) bool { return e.text <= int64(size) && e.text <= int64(e.cap) }

// whole is the text when it fits.
func (e *excerpt) whole() []byte { return e.head }

// ends returns the head and the tail of a text that does not fit, together at
// most size bytes, cut at line ends where those are near and never in a rune.
func (e *excerpt) ends(size int) (head, tail []byte) {
	half := max(0, size/2)
	return cutEnd(e.head, half), cutStart(e.rest(), half)
}

// rest is the longest end of the text there is.
func (e *excerpt) rest() []byte {
	if e.text > int64(len(e.head)+len(e.tail)) {
		return bytes.Clone(e.tail)
	}
	return append(bytes.Clone(e.head), e.tail...)
}

// cutEnd returns at most size bytes of the start of p.
func cutEnd(p []byte, size int) []byte {
	if len(p) <= size {
		return p
	}
	end := size
	for end > 0 && !utf8.RuneStart(p[end]) {
		end--
	}
	if nl := bytes.LastIndexByte(p[:end], '\n'); nl >= end/2 {
		end = nl + 1
	}
	return p[:end]
}

// cutStart returns at most size bytes of the end of p.
func cutStart(p []byte, size int) []byte {
	if len(p) > size {
		p = p[len(p)-size:]
	}
	start := 0
	for start < len(p) && !utf8.RuneStart(p[start]) {
		start++
	}
	if nl := bytes.IndexByte(p[start:], '\n'); nl >= 0 && nl < len(p)/2 {
		start += nl + 1
	}
	return p[start:]
}
