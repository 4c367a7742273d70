package jsonrpc

import (
	"bytes"
	"encoding/json"
)

// mostName bounds the names and ids that are read of a skipped message, in bytes.
const mostName = 1 << 10

// skipped reads of a message that is too long to be kept whom it answers or who wants an
// answer to it, wherever in it that stands.
type skipped struct {
	depth   int  // of objects and arrays
	quoted  bool // in a string
	escaped bool
	value   bool   // behind the colon of a member
	name    []byte // of the member, with its quotes
	id      []byte
	request bool // it has a method
}

// feed takes in a further part of the message.
func (s *skipped) feed(part []byte) {
	for len(part) > 0 {
		if s.depth != 1 || s.value && string(s.name) != `"id"` { // nothing here is kept
			part = s.pass(part)
			continue
		}
		s.member(part[0])
		part = part[1:]
	}
}

// pass skips to the next byte that means something outside of what is kept.
func (s *skipped) pass(part []byte) []byte {
	marks := `"{}[],`
	if s.quoted {
		marks = `"\`
	}
	if s.escaped {
		s.escaped = false
		return part[1:]
	}
	i := bytes.IndexAny(part, marks)
	if i < 0 {
		return nil
	}
	s.mark(part[i])
	return part[i+1:]
}

// member takes in a byte of the message's own members, or of its id.
func (s *skipped) member(c byte) {
	kept := &s.name
	if s.value {
		kept = &s.id
	}
	switch {
	case s.quoted, c == '"':
		*kept = appendUpTo(*kept, c)
	case c == ':' && !s.value:
		s.value = true
		switch string(s.name) {
		case `"id"`:
			s.id = s.id[:0]
		case `"method"`:
			s.request = true
		}
	case s.value && c > ' ' && c != ',' && c != '}':
		*kept = appendUpTo(*kept, c)
	}
	s.mark(c)
}

// mark takes in a byte that may begin or end something.
func (s *skipped) mark(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted:
		s.escaped, s.quoted = c == '\\', c != '"'
	case c == '"':
		s.quoted = true
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
	case c == ',' && s.depth == 1:
		s.value, s.name = false, s.name[:0]
	}
}

func appendUpTo(kept []byte, c byte) []byte {
	if len(kept) > mostName {
		return kept
	}
	return append(kept, c)
}

// of is the id, null when it has none that could be read, and whether the message is a
// response.
func (s *skipped) of() (id json.RawMessage, response bool) {
	if len(s.id) == 0 || len(s.id) > mostName || !json.Valid(s.id) {
		return null, false
	}
	return s.id, !s.request
}
