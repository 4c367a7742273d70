// Package jsonrpc is JSON-RPC 2.0 over newline-delimited JSON: one reader that
// hands requests over in the order they arrive, and one lock on the writer, so
// that lines never mix. It knows no method. The ACP server and client speak
// through it. A line that is no JSON is answered and the connection lives.
package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// MaxLine bounds one message, in bytes; a longer one is answered with an error
// and skipped.
const MaxLine = 32 << 20

// The error codes of the specification.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// ErrClosed ends calls whose connection is gone.
var ErrClosed = errors.New("connection closed")

// Error is the error object of a response. Data is encoded as it is.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitzero"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Errorf makes an Error.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Request is one request or notification from the other side.
type Request struct {
	ID     json.RawMessage // nil for a notification
	Method string
	Params json.RawMessage

	conn  *Conn
	reply sync.Once
}

// Bind decodes the params.
func (r *Request) Bind(params any) error {
	if len(r.Params) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Params, params); err != nil {
		return Errorf(CodeInvalidParams, "%s: invalid params: %v", r.Method, err)
	}
	return nil
}

// Reply answers the request; only the first answer counts, and a notification
// gets none. An err that is no *Error becomes an internal error.
func (r *Request) Reply(result any, err error) {
	if r.ID == nil {
		return
	}
	r.reply.Do(func() {
		m := outgoing{ID: r.ID, Result: result}
		if err != nil {
			m.Result, m.Error = nil, asError(err)
		} else if result == nil {
			m.Result = struct{}{}
		}
		// The other side is gone when this fails, and Serve reports that.
		_ = r.conn.send(m)
	})
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Errorf(CodeInternal, "%v", err)
}

// Conn is one connection. Notify, Call and Reply are safe for concurrent use.
type Conn struct {
	r      *bufio.Reader
	handle func(*Request)

	write sync.Mutex
	w     io.Writer

	mu     sync.Mutex
	nextID int64
	calls  map[string]chan incoming
	closed bool
}

// New makes a connection. handle is called on the reader's goroutine, one
// request at a time in the order of arrival; what takes long must leave it.
func New(r io.Reader, w io.Writer, handle func(*Request)) *Conn {
	return &Conn{r: bufio.NewReaderSize(r, 64<<10), w: w, handle: handle, calls: map[string]chan incoming{}}
}

type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitzero"`
	Method  string          `json:"method,omitzero"`
	Params  any             `json:"params,omitzero"`
	Result  any             `json:"result,omitzero"`
	Error   *Error          `json:"error,omitzero"`
}

// Serve reads until the other side closes; that is no error.
func (c *Conn) Serve() error {
	defer c.shut()
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

// readLine returns one line; an over-long one is skipped and answered.
func (c *Conn) readLine() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := c.r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > MaxLine {
			line, long = nil, true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			c.refuse(Errorf(CodeInvalidRequest, "message is longer than %d bytes", MaxLine))
		}
		return line, err
	}
}

func (c *Conn) refuse(e *Error) {
	_ = c.send(outgoing{ID: json.RawMessage("null"), Error: e})
}

func (c *Conn) dispatch(line []byte) {
	var m incoming
	if err := json.Unmarshal(line, &m); err != nil {
		c.refuse(Errorf(CodeParse, "parse error: %v", err))
		return
	}
	if m.Method != "" {
		id := m.ID
		if string(id) == "null" && !bytes.Contains(line, []byte(`"id"`)) {
			id = nil
		}
		c.handle(&Request{ID: id, Method: m.Method, Params: m.Params, conn: c})
		return
	}
	c.mu.Lock()
	waiting := c.calls[string(m.ID)]
	delete(c.calls, string(m.ID))
	c.mu.Unlock()
	if waiting != nil {
		waiting <- m
	}
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	return c.send(outgoing{Method: method, Params: params})
}

// Call sends a request and waits for its answer.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan incoming, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.nextID++
	id := strconv.FormatInt(c.nextID, 10)
	c.calls[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	if err := c.send(outgoing{ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return ErrClosed
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Conn) send(m outgoing) error {
	m.Version = "2.0"
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("encode %s: %w", m.Method, err)
	}
	c.write.Lock()
	defer c.write.Unlock()
	if _, err := c.w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// shut ends every call that waits.
func (c *Conn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, answer := range c.calls {
		close(answer)
		delete(c.calls, id)
	}
}
