// Package jsonrpc is JSON-RPC 2.0 over newline-delimited JSON: one reader that
// hands requests over in the order they arrive, and one queue of what is to be
// written, so that lines never mix and come out in the order they were sent. Who
// notifies waits while the other side is far behind; who answers does not, so that
// the reader goes on reading. It knows no method and no batches. A line that is no
// message, or is too long, is answered and the connection lives. Whoever speaks
// the Agent Client Protocol, as server or as client, speaks through it.
package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// MaxLine bounds one message, in bytes; a longer one is skipped. If it is a request it
// is answered with an error, and if it is an answer it ends its call with ErrTooLong.
const MaxLine = 32 << 20

// ErrTooLong ends a call whose answer is longer than MaxLine.
var ErrTooLong = fmt.Errorf("the answer is longer than %d bytes", MaxLine)

// ErrClosed ends calls whose connection is gone, and refuses new messages.
var ErrClosed = errors.New("connection closed")

// errEncode is a message that cannot be written as JSON: a fault of the caller,
// not of the connection.
var errEncode = errors.New("encode message")

// Conn is one connection. Notify, Tell, Call and Reply are safe for concurrent use.
type Conn struct {
	r      *bufio.Reader
	handle func(*Request)

	out *queue

	reword func(*Error) *Error // nil: as they are

	mu     sync.Mutex
	nextID int64
	calls  map[string]chan answer // nil once none can come
}

// New makes a connection. handle is called on the reader's goroutine, one
// request at a time in the order of arrival; what takes long must leave it.
func New(r io.Reader, w io.Writer, handle func(*Request)) *Conn {
	return &Conn{
		r: bufio.NewReaderSize(r, 64<<10), handle: handle, out: newQueue(w), calls: map[string]chan answer{},
	}
}

// Reword has every error that answers a request said as f says it, which leaves its
// argument as it is. Call it before Serve.
func (c *Conn) Reword(f func(*Error) *Error) { c.reword = f }

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
	c.out.shut()
}

// Hurry makes no Notify wait any more, whatever the other side reads: for the end, when
// what is left to say is bounded.
func (c *Conn) Hurry() { c.out.hurry() }

// Flush waits until everything sent so far is written, the other side has left, or ctx
// ends, whose error it returns then.
func (c *Conn) Flush(ctx context.Context) error { return c.out.flush(ctx) }

// Lost is closed when a message could not be written: the other side has left.
func (c *Conn) Lost() <-chan struct{} { return c.out.lost }

// readLine returns one line; of an over-long one nothing, and whoever waits for something
// of it is told.
func (c *Conn) readLine() ([]byte, error) {
	var line []byte
	var long *skipped
	for {
		part, err := c.r.ReadSlice('\n')
		switch {
		case long != nil:
			long.feed(part)
		case len(line)+len(bytes.TrimSuffix(part, []byte("\n"))) > MaxLine:
			long = &skipped{}
			long.feed(line)
			long.feed(part)
			line = nil
		default:
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long != nil {
			c.skip(long)
		}
		return line, err
	}
}

// skip tells whoever waits for something of a message that is too long.
func (c *Conn) skip(m *skipped) {
	id, response := m.of()
	if response && c.answer(id, answer{err: ErrTooLong}) {
		return
	}
	if response {
		id = null // nobody's answer
	}
	c.refuse(id, Errorf(CodeInvalidRequest, "invalid request: a message is longer than %d bytes", MaxLine))
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
	case m.Error != nil:
		c.answer(m.ID, answer{err: m.Error})
	default:
		c.answer(m.ID, answer{result: m.Result})
	}
}

// Appender is what writes itself as JSON, for params that are sent often.
type Appender interface {
	// AppendJSON appends one JSON value without line breaks.
	AppendJSON(buf []byte) []byte
}

// Notify sends a notification: it is written in its turn. It waits while very much is
// to be written already. An error is ErrClosed, or that params are no JSON.
func (c *Conn) Notify(method string, params any) error {
	if a, ok := params.(Appender); ok {
		return c.out.put(true, func(buf []byte) []byte {
			buf = append(buf, `{"jsonrpc":"2.0","method":"`...)
			buf = append(buf, method...)
			buf = append(buf, `","params":`...)
			return append(a.AppendJSON(buf), '}', '\n')
		})
	}
	return c.put(true, outgoing{Method: method, Params: params})
}

// Tell is Notify that waits for nobody: for whoever must not, because what it does was
// cancelled for example.
func (c *Conn) Tell(method string, params any) error {
	return c.send(outgoing{Method: method, Params: params})
}

func (c *Conn) send(m outgoing) error { return c.put(false, m) }

func (c *Conn) put(patient bool, m outgoing) error {
	m.Version = "2.0"
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("%w: %w", errEncode, err)
	}
	return c.out.put(patient, func(buf []byte) []byte { return append(buf, line.Bytes()...) })
}
