package retrieval

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the longest word in bytes. What is longer is encoded data.
	maxWord = 128
	// maxParts is how many parts an identifier is split into. What has more is a
	// hash or encoded data, and is kept whole when it is short enough.
	maxParts    = 16
	maxPartless = 64
)

// Token is one term of a text: what it is compared by, and the bytes of the text it
// was found in.
type Token struct {
	Term       string
	Start, End int
}

// Tokens returns the terms of text in order, as an index takes them: words in lower
// case and NFC; an identifier (camelCase, snake_case, with digits) whole without its
// underscores and then its parts; two neighbours at a time of scripts that are
// written without spaces. Hyphens, dots and slashes separate. Terms of one ASCII
// character and words of more than 128 bytes are left out.
func Tokens(text string) []Token {
	var list []Token
	var t tokeniser
	t.each(text, func(term []byte, start, end int) {
		list = append(list, Token{Term: string(term), Start: start, End: end})
	})
	return list
}

// tokeniser holds the memory that taking texts apart needs.
type tokeniser struct {
	buf []byte // the current word in lower case
	nfc []byte // the current run, composed
}

type emitter func(term []byte, start, end int)

// each calls emit with every term of text; term is valid during the call.
func (t *tokeniser) each(text string, emit emitter) {
	for i := 0; i < len(text); {
		start := i
		ascii := true
		for i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				if classes[c] == other {
					break
				}
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(text[i:])
			if !wordy(r, i > start) {
				break
			}
			ascii = false
			i += size
		}
		switch {
		case i == start:
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
		case ascii:
			t.word(text[start:i], span{start, i, false}, emit)
		default:
			t.run(text[start:i], start, emit)
		}
	}
}

// span is where in the text a run is from. In an inexact one the bytes differ from
// the text's, and every term of it is placed at the whole.
type span struct {
	start, end int
	inexact    bool
}

func (s span) of(start, end int) span {
	if s.inexact {
		return s
	}
	return span{s.start + start, s.start + end, false}
}

// run takes apart word characters of which some are not ASCII.
func (t *tokeniser) run(text string, start int, emit emitter) {
	at := span{start, start + len(text), false}
	if !norm.NFC.IsNormalString(text) {
		t.nfc = norm.NFC.AppendString(t.nfc[:0], text)
		text, at.inexact = string(t.nfc), true
	}
	for i := 0; i < len(text); {
		begin := i
		r, size := utf8.DecodeRuneInString(text[i:])
		dense := unspaced(r)
		for i += size; i < len(text); i += size {
			r, size = utf8.DecodeRuneInString(text[i:])
			if unspaced(r) != dense && !unicode.IsMark(r) {
				break
			}
		}
		if dense {
			bigrams(text[begin:i], at.of(begin, i), emit)
		} else {
			t.word(text[begin:i], at.of(begin, i), emit)
		}
	}
}

// bigrams emits each two neighbouring characters, or the only one.
func bigrams(text string, at span, emit emitter) {
	_, first := utf8.DecodeRuneInString(text)
	if first == len(text) {
		emit([]byte(text), at.start, at.end)
		return
	}
	for i := 0; i+first < len(text); {
		_, second := utf8.DecodeRuneInString(text[i+first:])
		end := i + first + second
		where := at.of(i, end)
		emit([]byte(text[i:end]), where.start, where.end)
		i, first = i+first, second
	}
}

// word emits an identifier and its parts.
func (t *tokeniser) word(text string, at span, emit emitter) {
	if len(text) > maxWord {
		return
	}
	var parts [maxParts + 1]int // where in buf each begins
	n := t.split(text, &parts)
	if len(t.buf) == 0 || n > maxParts && len(t.buf) > maxPartless {
		return
	}
	if !(len(t.buf) == 1 && t.buf[0] < utf8.RuneSelf) {
		emit(t.buf, at.start, at.end)
	}
	if n < 2 || n > maxParts {
		return
	}
	parts[n] = len(t.buf)
	for i := range n {
		part := t.buf[parts[i]:parts[i+1]]
		if len(part) > 1 {
			emit(part, at.start, at.end)
		}
	}
}

// split writes text in lower case and without underscores to buf and stores where
// its parts begin. It returns their number, at most maxParts+1.
func (t *tokeniser) split(text string, parts *[maxParts + 1]int) int {
	t.buf = t.buf[:0]
	n := 0
	last := underscore
	capital := 0 // where in buf the last capital is
	begin := func(at int) {
		if n <= maxParts && (n == 0 || parts[n-1] < at) {
			if n < maxParts {
				parts[n] = at
			}
			n++
		}
	}
	for i := 0; i < len(text); {
		var now class
		at := len(t.buf)
		if c := text[i]; c < utf8.RuneSelf {
			i++
			if now = classes[c]; now == upper {
				c += 'a' - 'A'
			}
			if now != underscore {
				t.buf = append(t.buf, c)
			}
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			if now = classOf(r); now == mark {
				now = last
			}
			t.buf = utf8.AppendRune(t.buf, unicode.ToLower(r))
		}
		switch {
		case now == underscore:
		case last == underscore, (now == digit) != (last == digit), now == upper && last == lower:
			begin(at)
		case now == lower && last == upper && capital > 0:
			begin(capital) // HTTPServer: the last capital belongs to what follows
		}
		if now == upper {
			capital = at
		}
		last = now
	}
	return n
}
