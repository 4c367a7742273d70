package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// Call is a request that was sent and is not answered yet.
type Call struct {
	conn   *Conn
	id     string
	method string
	answer chan answer
}

// answer is what a call ends with.
type answer struct {
	result json.RawMessage
	err    error // an *Error of the other side, or ErrTooLong
}

// Call sends a request: what the caller sends next comes behind it. Whoever calls must
// Wait, which frees the id.
func (c *Conn) Call(method string, params any) (*Call, error) {
	call := &Call{conn: c, method: method, answer: make(chan answer, 1)}
	c.mu.Lock()
	if c.calls == nil {
		c.mu.Unlock()
		return nil, ErrClosed
	}
	c.nextID++
	call.id = strconv.FormatInt(c.nextID, 10)
	c.calls[call.id] = call.answer
	c.mu.Unlock()
	if err := c.send(outgoing{ID: json.RawMessage(call.id), Method: method, Params: params}); err != nil {
		c.forget(call.id)
		return nil, err
	}
	return call, nil
}

// Wait decodes the answer into result, which may be nil. It ends with the *Error
// of the answer, with ctx's error, with ErrTooLong or with ErrClosed. An answer that comes
// later is ignored.
func (call *Call) Wait(ctx context.Context, result any) error {
	defer call.conn.forget(call.id)
	select {
	case a, ok := <-call.answer:
		switch {
		case !ok:
			return ErrClosed
		case a.err != nil:
			return a.err
		case result == nil:
			return nil
		}
		if err := json.Unmarshal(a.result, result); err != nil {
			return fmt.Errorf("answer to %s: %w", call.method, err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer ends the call that waits for it; false when none does. Nobody waits for an unknown
// one: it may be the late answer of a call that was given up.
func (c *Conn) answer(id json.RawMessage, a answer) bool {
	c.mu.Lock()
	waiting := c.calls[string(id)]
	delete(c.calls, string(id))
	c.mu.Unlock()
	if waiting == nil {
		return false
	}
	waiting <- a
	return true
}

func (c *Conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// endCalls ends every call that waits and refuses new ones.
func (c *Conn) endCalls() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, answer := range c.calls {
		close(answer)
	}
	c.calls = nil
}
