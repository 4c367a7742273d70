package search

import (
	"bytes"
	"errors"
	"io"

	"reasonix/core/internal/textenc"
)

// source fills a buffer with the text of a file.
type source interface {
	// fill reads until p is full; eof says that nothing follows.
	fill(p []byte) (n int, eof bool, err error)
}

// plain reads a file as it is.
type plain struct{ io.Reader }

func (s plain) fill(p []byte) (n int, eof bool, err error) {
	for n < len(p) {
		m, err := s.Read(p[n:])
		n += m
		if errors.Is(err, io.EOF) {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, false, nil
}

// decoded reads a file in another encoding as UTF-8, one block at a time.
type decoded struct {
	raw   plain
	enc   textenc.Encoding
	block []byte // read and not decoded
	text  string // decoded and not handed out
	begun bool
	ended bool
}

const rawBlock = 32 << 10

func newDecoded(r io.Reader, enc textenc.Encoding) *decoded {
	return &decoded{raw: plain{r}, enc: enc, block: make([]byte, 0, rawBlock)}
}

func (s *decoded) fill(p []byte) (n int, eof bool, err error) {
	for n < len(p) {
		if s.text == "" {
			if s.ended {
				return n, true, nil
			}
			if err := s.next(); err != nil {
				return n, false, err
			}
		}
		m := copy(p[n:], s.text)
		n, s.text = n+m, s.text[m:]
	}
	return n, false, nil
}

// next decodes one more block, up to a place between two characters.
func (s *decoded) next() error {
	n, eof, err := s.raw.fill(s.block[len(s.block):cap(s.block)])
	if err != nil {
		return err
	}
	s.block, s.ended = s.block[:len(s.block)+n], eof
	end := len(s.block)
	if !eof {
		end = boundary(s.block, s.enc)
	}
	part := s.block[:end]
	if !s.begun {
		part = bytes.TrimPrefix(part, []byte(s.enc.BOM()))
		s.begun = true
	}
	s.text = s.enc.Decode(part)
	s.block = s.block[:copy(s.block, s.block[end:])]
	return nil
}

// boundary is the end of the last whole character in block.
func boundary(block []byte, enc textenc.Encoding) int {
	switch enc {
	case textenc.UTF16LE, textenc.UTF16LEBOM, textenc.UTF16BE, textenc.UTF16BEBOM:
		return evenBoundary(block, enc == textenc.UTF16BE || enc == textenc.UTF16BEBOM)
	case textenc.GB18030:
		// Bytes below '0' are never the second half of a character.
		for i := len(block); i > 0; i-- {
			if block[i-1] < '0' {
				return i
			}
		}
	default: // one byte is one character
	}
	return len(block)
}

// evenBoundary does not part the halves of a surrogate pair.
func evenBoundary(block []byte, bigEndian bool) int {
	end := len(block) &^ 1
	if end < 4 {
		return end
	}
	high := block[end-1]
	if bigEndian {
		high = block[end-2]
	}
	if high&0xfc == 0xd8 {
		end -= 2
	}
	return end
}
