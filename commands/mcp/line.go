package mcp

import (
	"context"
	"io"
	"strings"
)

// A reader reads lines that a person types. Only one goroutine uses it at a time.
type reader struct {
	in      io.Reader
	pending chan typed // a read that nobody waited for to the end
}

type typed struct {
	text string
	err  error
}

// line is the next line, without what is around it. When ctx ends it returns its cause
// at once; the read under way is left to the next call. The end of the input is io.EOF.
func (r *reader) line(ctx context.Context) (string, error) {
	if r.pending == nil {
		r.pending = make(chan typed, 1)
		go func(to chan<- typed) { to <- read(r.in) }(r.pending)
	}
	select {
	case t := <-r.pending:
		r.pending = nil
		return strings.TrimSpace(t.text), t.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// forget drops a line that was typed to a question which is closed.
func (r *reader) forget() {
	select {
	case t := <-r.pending:
		if r.pending = nil; t.err != nil {
			r.pending = make(chan typed, 1)
			r.pending <- t
		}
	default:
	}
}

// read takes one line and nothing of the next one.
func read(in io.Reader) typed {
	var text []byte
	var b [1]byte
	for {
		n, err := in.Read(b[:])
		switch {
		case n == 1 && b[0] == '\n':
			return typed{string(text), nil}
		case n == 1:
			text = append(text, b[0])
		}
		if err != nil {
			return typed{string(text), err}
		}
	}
}
