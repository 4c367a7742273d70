package acpwire

import (
	"slices"
	"unicode/utf8"
)

// ChunkUpdate is the params of session/update for a chunk of text, which is sent more
// often than everything else: it writes itself.
type ChunkUpdate struct {
	SessionID string
	Chunk     Chunk
}

// AppendJSON appends u as JSON on one line. Only text counts of the content.
func (u *ChunkUpdate) AppendJSON(buf []byte) []byte {
	buf = append(buf, `{"sessionId":`...)
	buf = appendString(buf, u.SessionID)
	buf = append(buf, `,"update":{"sessionUpdate":`...)
	buf = appendString(buf, u.Chunk.SessionUpdate)
	if u.Chunk.MessageID != "" {
		buf = append(buf, `,"messageId":`...)
		buf = appendString(buf, u.Chunk.MessageID)
	}
	buf = append(buf, `,"content":{"type":"text","text":`...)
	buf = appendString(buf, u.Chunk.Content.Text)
	return append(buf, `}}}`...)
}

const hexDigits = "0123456789abcdef"

// plain are the bytes of a string that stand for themselves, but for what a byte above
// ASCII may begin.
var plain = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf
	}
	return is
}()

// appendString appends s as a JSON string, as encoding/json writes it without the
// escapes for HTML.
func appendString(buf []byte, s string) []byte {
	buf = append(slices.Grow(buf, 2*len(s)+2), '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			if from < i {
				buf = append(buf, s[from:i]...)
			}
			buf = appendEscape(buf, c)
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			buf = append(append(buf, s[from:i]...), `\ufffd`...)
			from = i + size
		case r == '\u2028' || r == '\u2029': // no line may end in the middle of a message
			buf = append(append(buf, s[from:i]...), `\u202`...)
			buf = append(buf, hexDigits[r&0xf])
			from = i + size
		}
		i += size
	}
	return append(append(buf, s[from:]...), '"')
}

// escapes are the short ones.
var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

func appendEscape(buf []byte, c byte) []byte {
	if e := escapes[c]; e != 0 {
		return append(buf, '\\', e)
	}
	return append(buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
