// Package textenc finds out how the bytes of a text file are encoded and turns
// them into UTF-8 text and back without loss. It is a leaf that reads no files.
// An encoding is only claimed when decoding and encoding again gives the very
// same bytes, so that an edit can leave everything else as it was; bytes that fit
// nothing are binary. The workspace's file and search tools call it.
package textenc

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is how a text is stored.
type Encoding uint8

// The encodings that Detect knows. Those with BOM begin with a byte order mark,
// which is no part of the text.
const (
	Binary Encoding = iota
	UTF8
	UTF8BOM
	UTF16LE
	UTF16LEBOM
	UTF16BE
	UTF16BEBOM
	GB18030
	Windows1252
	Latin1
)

// String is the name a reader knows the encoding by.
func (e Encoding) String() string {
	names := [...]string{
		"binary", "UTF-8", "UTF-8 with BOM", "UTF-16LE", "UTF-16LE with BOM",
		"UTF-16BE", "UTF-16BE with BOM", "GB18030", "Windows-1252", "Latin-1",
	}
	return names[e]
}

// BOM is the byte order mark the file begins with, or "".
func (e Encoding) BOM() string {
	switch e {
	case UTF8BOM:
		return "\xef\xbb\xbf"
	case UTF16LEBOM:
		return "\xff\xfe"
	case UTF16BEBOM:
		return "\xfe\xff"
	default:
		return ""
	}
}

// IsUTF8 says that text and bytes are the same but for a byte order mark.
func (e Encoding) IsUTF8() bool { return e == UTF8 || e == UTF8BOM }

// codec is nil for UTF-8 and Binary.
func (e Encoding) codec() encoding.Encoding {
	switch e {
	case UTF16LE, UTF16LEBOM:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case UTF16BE, UTF16BEBOM:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case GB18030:
		return simplifiedchinese.GB18030
	case Windows1252:
		return charmap.Windows1252
	case Latin1:
		return charmap.ISO8859_1
	default:
		return nil
	}
}

// Decode returns the text of data, a whole file or part of one that begins and
// ends between characters. A byte order mark at its start is left out. UTF-8 is
// returned as it is, damaged bytes too.
func (e Encoding) Decode(data []byte) string {
	data = bytes.TrimPrefix(data, []byte(e.BOM()))
	c := e.codec()
	if c == nil {
		return string(data)
	}
	text, err := c.NewDecoder().Bytes(data)
	if err != nil { // these decoders replace what they cannot decode
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return string(text)
}

// A CharError names a character that an encoding does not have.
type CharError struct {
	Char     rune
	Encoding Encoding
	Offset   int // in bytes of the text
}

func (e *CharError) Error() string {
	return fmt.Sprintf("%q (U+%04X) cannot be written in %s, the encoding of the file", e.Char, e.Char, e.Encoding)
}

// Encode returns text as bytes without a byte order mark. A character that the
// encoding lacks is a *CharError.
func (e Encoding) Encode(text string) ([]byte, error) {
	c := e.codec()
	if c == nil {
		return []byte(text), nil
	}
	data, err := c.NewEncoder().Bytes([]byte(text))
	if err == nil && utf8.ValidString(text) {
		return data, nil
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if _, err := c.NewEncoder().String(text[i : i+n]); err != nil || r == utf8.RuneError && n == 1 {
			return nil, &CharError{Char: r, Encoding: e, Offset: i}
		}
		i += n
	}
	return data, err
}

// Len is how many bytes text takes in e, for text that came from Decode.
func (e Encoding) Len(text string) int {
	if e.codec() == nil {
		return len(text)
	}
	data, err := e.Encode(text)
	if err != nil {
		return -1
	}
	return len(data)
}

// NewReader returns the text of r, whose byte order mark has been skipped, as a
// stream of UTF-8.
func (e Encoding) NewReader(r io.Reader) io.Reader {
	c := e.codec()
	if c == nil {
		return r
	}
	return transform.NewReader(r, c.NewDecoder())
}
