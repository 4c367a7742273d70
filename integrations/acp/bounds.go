package acp

import (
	"fmt"
	"iter"
	"unicode/utf8"
)

// mostText bounds a text in one message, in bytes. A message has a few at most, and none
// becomes more than six times as long on the wire: what is sent is far below
// jsonrpc.MaxLine, and below the 10 MiB that other readers of this protocol take.
const mostText = 512 << 10

// pieces are a text in parts of at most mostText bytes, cut between characters.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > mostText {
			cut := before(text, mostText)
			if !yield(text[:cut]) {
				return
			}
			text = text[cut:]
		}
		if text != "" {
			yield(text)
		}
	}
}

// bounded is text, or its two ends with a note between them of what is left out.
func bounded(text string) string {
	if len(text) <= mostText {
		return text
	}
	head, tail := before(text, mostText/2), before(text, len(text)-mostText/2)
	return fmt.Sprintf("%s\n[%d bytes are left out here]\n%s", text[:head], tail-head, text[tail:])
}

// before is the last place up to i where a character begins. Bytes that are no character
// are cut anywhere.
func before(text string, i int) int {
	for at := i; at > i-utf8.UTFMax && at > 0; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return i
}
