package acp

import (
	"unicode/utf8"

	"reasonix/core/event"
)

// How many bytes of a message that streams are kept for a status.
const (
	mostKept = 64 << 10
	endsKept = 4 * event.MaxWords // at least MaxWords/2 characters
)

// between stands where the middle of a long message was left out.
const between = "\n[...]\n"

// capped is what event.Brief makes of a message, of one that streams: a text that grows at its end and of which the middle may be forgotten.
// Adding takes time in proportion to what is added.
type capped struct {
	id   string
	size int    // bytes so far
	head []byte // all of it while tail is nil
	tail []byte
}

// add takes in the part of message id that lies at offset; what is known already
// counts once.
func (c *capped) add(id string, offset int, text string) {
	if c.id != id {
		*c = capped{id: id, head: c.head[:0]}
	}
	skip := max(c.size-offset, 0)
	if skip >= len(text) {
		return
	}
	c.size = offset + len(text)
	c.append(text[skip:])
}

func (c *capped) append(text string) {
	if c.tail == nil && len(c.head)+len(text) <= mostKept {
		c.head = append(c.head, text...)
		return
	}
	if c.tail == nil {
		all := append(c.head, text...)
		c.head, c.tail = all[:endsKept:endsKept], append([]byte{}, all[endsKept:]...)
	} else {
		c.tail = append(c.tail, text...)
	}
	if len(c.tail) > mostKept {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-endsKept:]...)
	}
}

// String is the text, or its head and its tail.
func (c *capped) String() string {
	if c.tail == nil && utf8.RuneCount(c.head) <= event.MaxWords {
		return string(c.head)
	}
	tail := c.tail
	if tail == nil {
		tail = c.head
	}
	const half = (event.MaxWords - len(between)) / 2
	return first(c.head, half) + between + last(tail, half)
}

func first(text []byte, n int) string {
	at := 0
	for range n {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return string(text[:at])
}

func last(text []byte, n int) string {
	at := len(text)
	for range n {
		_, size := utf8.DecodeLastRune(text[:at])
		at -= size
	}
	return string(text[at:])
}
