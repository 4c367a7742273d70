package openai

import (
	"errors"
	"io"
	"sync"
)

// parts is a request body in pieces: head, conversation, tail. The conversation
// is the agent's own buffer and is not copied. The transport may go on reading a
// body after the answer has come; release makes sure that it does not read the
// buffer any more once the agent may write to it.
type parts struct {
	pieces [3][]byte

	mu       sync.Mutex
	released bool
}

var errReleased = errors.New("request body released: the answer has already ended")

func (p *parts) size() int64 {
	var n int64
	for _, piece := range p.pieces {
		n += int64(len(piece))
	}
	return n
}

// release ends every reader of p.
func (p *parts) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	p.pieces = [3][]byte{}
}

// reader reads p from its beginning and tells sent about every step.
func (p *parts) reader(sent func()) io.ReadCloser { return &partsReader{parts: p, sent: sent} }

type partsReader struct {
	parts     *parts
	sent      func()
	piece, at int
}

func (r *partsReader) Read(b []byte) (int, error) {
	r.parts.mu.Lock()
	defer r.parts.mu.Unlock()
	if r.parts.released {
		return 0, errReleased
	}
	n := 0
	for r.piece < len(r.parts.pieces) && n < len(b) {
		piece := r.parts.pieces[r.piece]
		copied := copy(b[n:], piece[r.at:])
		n += copied
		if r.at += copied; r.at == len(piece) {
			r.piece, r.at = r.piece+1, 0
		}
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	r.sent()
	return n, nil
}

func (r *partsReader) Close() error { return nil }
