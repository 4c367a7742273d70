// Package jsonrpc is JSON-RPC 2.0 over newline-delimited JSON: one reader that
// hands requests over in the order they arrive, and one lock on the writer, so
// that lines never mix. It knows no method and no batches. A line that is no
// message, or is too long, is answered and the connection lives. Whoever speaks
// the Agent Client Protocol, as server or as client, speaks through it.
package jsonrpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// MaxLine bounds one message, in bytes; a longer one is answered with an error
// and skipped.
const MaxLine = 32 << 20

// ErrClosed ends calls whose connection is gone, and refuses new messages.
var ErrClosed = errors.New("connection closed")

// errEncode is a message that cannot be written as JSON: a fault of the caller,
// not of the connection.
var errEncode = errors.New("encode message")

// Conn is one connection. Notify, Call and Reply are safe for concurrent use.
type Conn struct {
	r      *bufio.Reader
	handle func(*Request)

	write sync.Mutex
	w     io.Writer
	mute  atomic.Bool // nothing more is written; not behind write, which may be held for long
	lost  chan struct{}

	mu     sync.Mutex
	nextID int64
	calls  map[string]chan incoming // nil once no answer can come
}

// New makes a connection. handle is called on the reader's goroutine, one
// request at a time in the order of arrival; what takes long must leave it.
func New(r io.Reader, w io.Writer, handle func(*Request)) *Conn {
	return &Conn{
		r: bufio.NewReaderSize(r, 64<<10), w: w, handle: handle,
		lost: make(chan struct{}), calls: map[string]chan incoming{},
	}
}

// Serve reads until the other side closes, which is no error. Calls then end with
// ErrClosed; writing goes on, for what is still owed. Call it once.
func (c *Conn) Serve() error {
	defer c.endCalls()
	for {
		line, err := c.readLine()
		if len(bytes.TrimSpace(line)) > 0 {
			c.dispatch(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read message: %w", err)
		}
	}
}

// Close ends every call with ErrClosed and begins no further message. It does not
// wait for one that the other side is slow to read. Serve returns only when its
// reader does.
func (c *Conn) Close() {
	c.endCalls()
	c.mute.Store(true)
}

// Lost is closed when a message could not be written: the other side has left.
func (c *Conn) Lost() <-chan struct{} { return c.lost }

// readLine returns one line; an over-long one is skipped and answered.
func (c *Conn) readLine() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := c.r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(bytes.TrimSuffix(line, []byte("\n"))) > MaxLine {
			line, long = nil, true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			c.refuse(null, Errorf(CodeInvalidRequest, "invalid request: a message is longer than %d bytes", MaxLine))
		}
		return line, err
	}
}

func (c *Conn) refuse(id json.RawMessage, e *Error) {
	// The other side is gone when this fails, and Lost says so.
	_ = c.send(outgoing{ID: id, Error: e})
}

func (c *Conn) dispatch(line []byte) {
	m, bad := parse(line)
	switch {
	case bad != nil:
		c.refuse(m.ID, bad)
	case m.Method != "":
		c.handle(&Request{ID: m.ID, Method: m.Method, Params: m.Params, conn: c})
	default:
		c.answer(m)
	}
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	return c.send(outgoing{Method: method, Params: params})
}

func (c *Conn) send(m outgoing) error {
	m.Version = "2.0"
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("%w: %w", errEncode, err)
	}
	c.write.Lock()
	defer c.write.Unlock()
	if c.mute.Load() {
		return ErrClosed
	}
	if _, err := c.w.Write(buf.Bytes()); err != nil {
		c.mute.Store(true) // half a line may be out: nothing can follow it
		close(c.lost)      // once: no other write gets here
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}
