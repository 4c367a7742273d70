// Package sse reads server-sent events from a byte stream. It knows framing and
// nothing else: CR, LF, CRLF and mixed line ends, a byte order mark, comments,
// several data lines in one event, fields with or without a space behind the
// colon. What the data means is its caller's business; ids and retry times are
// dropped because nobody here reconnects to a stream.
//
// Reading and scanning are two calls on purpose: Fill does one Read, Next takes
// events out of what has been read. A caller that wants to act once per network
// read drains Next before it fills again. The model providers are its callers.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxEvent is the largest event a Scanner accepts, in bytes, when its caller
// names no other limit.
const MaxEvent = 16 << 20

// ErrTooLong says that one event, or one line, is larger than the limit.
var ErrTooLong = errors.New("event too long")

const (
	firstBuffer = 16 << 10
	maxIdle     = 100 // reads in a row that may deliver nothing
)

// Event is one event. Its slices point into the Scanner and are valid until the
// next call of Next or Fill.
type Event struct {
	Name []byte // of the event field; empty for the usual kind
	Data []byte // data lines, joined by a line feed
}

// Scanner takes events out of a stream. In the steady state it allocates nothing
// and copies nothing but data that spans several lines. It is not safe for
// concurrent use.
type Scanner struct {
	r     io.Reader
	limit int

	buf      []byte
	pos, end int // buf[pos:end] is unread
	lf, cr   mark
	begun    bool // the byte order mark has been dealt with
	skipLF   bool // the last line ended in CR, so a LF at its heels is its own

	name       []byte
	lines      int    // data lines of the event in progress
	from, upto int    // the first of them in buf
	joined     []byte // all of them, once there are two

	err   error // what Read said; Fill repeats it
	ended bool  // Fill has said it
}

// NewScanner reads from r. A limit of zero or less means MaxEvent.
func NewScanner(r io.Reader, limit int) *Scanner {
	if limit <= 0 {
		limit = MaxEvent
	}
	return &Scanner{r: r, limit: limit, lf: mark{c: '\n'}, cr: mark{c: '\r'}}
}

// Fill reads once more from the stream. It returns io.EOF at its end, ErrTooLong
// for an event beyond the limit, and otherwise what the reader returned; from
// then on it repeats itself. After an error Next still has to be drained: the
// last event of a stream need not be followed by a blank line.
func (s *Scanner) Fill() error {
	if s.err == nil {
		s.err = s.room()
	}
	for idle := 0; s.err == nil; idle++ {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		s.err = err
		if n > 0 {
			return nil
		}
		if idle == maxIdle && err == nil {
			s.err = io.ErrNoProgress
		}
	}
	s.ended = true
	return s.err
}

// Next returns the next event that has been read completely, or false when Fill
// is needed first. Events without data are not events.
func (s *Scanner) Next() (Event, bool) {
	for {
		from, upto, ok := s.line()
		switch {
		case !ok && !s.ended:
			return Event{}, false
		case !ok:
			return s.dispatch()
		case from < upto:
			s.field(from, upto)
		default:
			if e, ok := s.dispatch(); ok {
				return e, true
			}
		}
	}
}

// Unread is what has been read and not been scanned, for callers that have to
// look whether a stream is one. It is valid until the next Next or Fill.
func (s *Scanner) Unread() []byte { return s.buf[s.pos:s.end] }

// line takes one line off the buffer and returns where it lies, without its end.
func (s *Scanner) line() (from, upto int, ok bool) {
	if !s.begun && !s.begin() {
		return 0, 0, false
	}
	if s.skipLF && s.pos < s.end {
		s.skipLF = false
		if s.buf[s.pos] == '\n' {
			s.pos++
		}
	}
	at := first(s.lf.find(s.buf[:s.end], s.pos), s.cr.find(s.buf[:s.end], s.pos))
	if at < 0 {
		if !s.ended || s.pos == s.end {
			return 0, 0, false
		}
		from, s.pos = s.pos, s.end
		return from, s.end, true
	}
	from, s.pos = s.pos, at+1
	s.skipLF = s.buf[at] == '\r'
	return from, at, true
}

// begin drops a byte order mark. It waits for a stream that begins like one.
func (s *Scanner) begin() bool {
	const bom = "\xef\xbb\xbf"
	head := s.buf[s.pos:s.end]
	if len(head) < len(bom) && bom[:len(head)] == string(head) && !s.ended {
		return false
	}
	if bytes.HasPrefix(head, []byte(bom)) {
		s.pos += len(bom)
	}
	s.begun = true
	return true
}

// field takes in the line buf[from:upto], which is not empty.
func (s *Scanner) field(from, upto int) {
	line := s.buf[from:upto]
	colon := bytes.IndexByte(line, ':')
	name, value := line, upto
	if colon >= 0 {
		name, value = line[:colon], from+colon+1
		if value < upto && s.buf[value] == ' ' {
			value++
		}
	}
	switch string(name) {
	case "data":
		s.data(value, upto)
	case "event":
		s.name = append(s.name[:0], s.buf[value:upto]...)
	}
}

func (s *Scanner) data(from, upto int) {
	s.lines++
	switch s.lines {
	case 1:
		s.from, s.upto = from, upto
		return
	case 2:
		s.joined = append(s.joined[:0], s.buf[s.from:s.upto]...)
	}
	s.joined = append(s.joined, '\n')
	s.joined = append(s.joined, s.buf[from:upto]...)
}

// dispatch ends the event in progress. There is none when it has no data.
func (s *Scanner) dispatch() (Event, bool) {
	e := Event{Name: s.name}
	switch s.lines {
	case 0:
	case 1:
		e.Data = s.buf[s.from:s.upto]
	default:
		e.Data = s.joined
	}
	s.lines, s.name = 0, s.name[:0]
	return e, len(e.Data) > 0
}

// room makes sure that Read has somewhere to write to. What has been scanned is
// given up, a data line that waits for the end of its event is kept.
func (s *Scanner) room() error {
	keep := s.pos
	if s.lines == 1 {
		keep = s.from
	}
	size := s.end - keep
	if s.lines > 1 {
		size += len(s.joined)
	}
	if size > s.limit {
		return fmt.Errorf("%w: over %d bytes", ErrTooLong, s.limit)
	}
	switch {
	case keep == s.end, keep > 0 && s.end == len(s.buf):
		copy(s.buf, s.buf[keep:s.end])
		s.shift(keep)
	}
	if s.end == len(s.buf) {
		grown := make([]byte, max(firstBuffer, 2*len(s.buf)))
		copy(grown, s.buf)
		s.buf = grown
	}
	return nil
}

func (s *Scanner) shift(n int) {
	s.pos -= n
	s.end -= n
	s.from -= n
	s.upto -= n
	s.lf.at = max(0, s.lf.at-n)
	s.cr.at = max(0, s.cr.at-n)
	if s.lf.at < s.pos {
		s.lf.found = false
	}
	if s.cr.at < s.pos {
		s.cr.found = false
	}
}

// mark remembers how far one byte has been searched for, so that neither a long
// line that arrives in small pieces nor a long run of short lines is searched
// twice.
type mark struct {
	c     byte
	at    int // where it is, or how far the search has come
	found bool
}

func (m *mark) find(buf []byte, pos int) int {
	if m.found && m.at >= pos {
		return m.at
	}
	if m.at < pos {
		m.at = pos
	}
	i := bytes.IndexByte(buf[m.at:], m.c)
	m.found = i >= 0
	if !m.found {
		m.at = len(buf)
		return -1
	}
	m.at += i
	return m.at
}

func first(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}
