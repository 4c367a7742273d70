package openai

import (
	"bytes"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinker takes reasoning out of content that begins with a <think> tag, as
// models do whose server does not separate the two. Only the very beginning of
// the content counts: a tag further down, in a code fence or not, is text the
// model wrote about tags. Content comes in pieces of any size.
type thinker struct {
	state thinking
	held  []byte // what cannot be judged yet: a partial tag and blanks before it
}

type thinking int

const (
	undecided thinking = iota // nothing but blanks, or a part of the tag
	inside
	behind // the tag was closed; line ends before the answer go with it
	plain  // the answer
)

// take splits piece. The results are valid until the next call.
func (t *thinker) take(piece []byte) (reasoning, answer []byte) {
	if t.state == plain {
		return nil, piece
	}
	t.held = append(t.held, piece...)
	if t.state == undecided && !t.decide() {
		return nil, nil
	}
	if t.state == inside {
		reasoning = t.inner()
	}
	if t.state == behind {
		t.held = bytes.TrimLeft(t.held, "\r\n")
		if len(t.held) > 0 {
			t.state = plain
		}
	}
	if t.state == plain {
		answer, t.held = t.held, nil
	}
	return reasoning, answer
}

// decide looks whether content begins with the tag.
func (t *thinker) decide() bool {
	body := bytes.TrimLeft(t.held, " \t\r\n")
	switch {
	case bytes.HasPrefix(body, []byte(thinkOpen)):
		t.state = inside
		t.held = body[len(thinkOpen):]
	case bytes.HasPrefix([]byte(thinkOpen), body):
		return false
	default:
		t.state = plain
	}
	return true
}

// inner takes what is certainly reasoning off held.
func (t *thinker) inner() []byte {
	if i := bytes.Index(t.held, []byte(thinkClose)); i >= 0 {
		reasoning := t.held[:i]
		t.held = t.held[i+len(thinkClose):]
		t.state = behind
		return reasoning
	}
	keep := len(thinkClose) - 1
	for ; keep > 0; keep-- {
		if bytes.HasSuffix(t.held, []byte(thinkClose[:keep])) {
			break
		}
	}
	// The rest must move: held is appended to while the caller still reads.
	reasoning := t.held[:len(t.held)-keep]
	t.held = append([]byte(nil), t.held[len(t.held)-keep:]...)
	return reasoning
}

// rest is what was held back when the stream ended. open says that the tag was
// never closed.
func (t *thinker) rest() (held []byte, open bool) {
	held, t.held = t.held, nil
	return held, t.state == inside
}
