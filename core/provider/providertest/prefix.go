package providertest

import (
	"bytes"
	"fmt"
	"testing"
)

// Break is the first place where a request is not an extension of the one
// before it.
type Break struct {
	Request int    // the later request's Index
	Field   string // tools or messages
	Offset  int    // first differing byte of the field's value
	Before  string // the earlier request's bytes around Offset
	After   string // the later request's bytes around Offset
}

func (b *Break) String() string {
	return fmt.Sprintf("request %d: %s differ from the request before at byte %d:\n before: %s\n  after: %s",
		b.Request, b.Field, b.Offset, b.Before, b.After)
}

// CheckPrefix fails the test when a request's tools and messages are not, byte
// for byte, an extension of those of the request before it. It returns the first
// break, or nil.
func (s *Server) CheckPrefix(t testing.TB) *Break {
	t.Helper()
	b := FirstBreak(s.Requests())
	if b != nil {
		t.Errorf("prompt prefix broken: %s", b)
	}
	return b
}

// FirstBreak is CheckPrefix for chosen requests, such as those of one session
// among several on a server. Requests refused before they were read as a
// conversation are compared like any other.
func FirstBreak(requests []*Received) *Break {
	for i := 1; i < len(requests); i++ {
		if b := compare(requests[i-1], requests[i]); b != nil {
			return b
		}
	}
	return nil
}

// compare wants equal tools, and messages that begin with the earlier ones.
func compare(before, after *Received) *Break {
	a, b := before.Fields["tools"], after.Fields["tools"]
	if at := common(a, b); at < len(a) || at < len(b) {
		return broken(after, "tools", at, a, b)
	}
	a, b = openArray(before.Fields["messages"]), openArray(after.Fields["messages"])
	if at := common(a, b); at < len(a) {
		return broken(after, "messages", at, a, b)
	}
	return nil
}

// openArray is a JSON array without its closing bracket.
func openArray(raw []byte) []byte {
	return bytes.TrimRight(bytes.TrimSuffix(raw, []byte("]")), " \t\r\n")
}

// common is the length of the longest common prefix.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func broken(r *Received, field string, at int, before, after []byte) *Break {
	return &Break{Request: r.Index, Field: field, Offset: at, Before: around(before, at), After: around(after, at)}
}

// around is a window of b, split where it differs.
func around(b []byte, at int) string {
	const window = 80
	from, to := max(0, at-window), min(len(b), at+window)
	return fmt.Sprintf("%q » %q", b[from:min(at, to)], b[min(at, to):to])
}
