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
	answer chan incoming
}

// Call sends a request: what the caller sends next comes behind it. Whoever calls must
// Wait, which frees the id.
func (c *Conn) Call(method string, params any) (*Call, error) {
	call := &Call{conn: c, method: method, answer: make(chan incoming, 1)}
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
// of the answer, with ctx's error, or with ErrClosed. An answer that comes later
// is ignored.
func (call *Call) Wait(ctx context.Context, result any) error {
	defer call.conn.forget(call.id)
	select {
	case m, ok := <-call.answer:
		switch {
		case !ok:
			return ErrClosed
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("answer to %s: %w", call.method, err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer hands a response to the call that waits for it. Nobody waits for an
// unknown one: it may be the late answer of a call that was given up.
func (c *Conn) answer(m incoming) {
	c.mu.Lock()
	waiting := c.calls[string(m.ID)]
	delete(c.calls, string(m.ID))
	c.mu.Unlock()
	if waiting != nil {
		waiting <- m
	}
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
