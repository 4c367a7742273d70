package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// The error codes of the specification.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

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

// InvalidParams refuses one field of a method's params and names it in the data
// too, for programs.
func InvalidParams(method, field, format string, args ...any) *Error {
	e := Errorf(CodeInvalidParams, "%s: %s: %s", method, field, fmt.Sprintf(format, args...))
	e.Data = map[string]string{"field": field}
	return e
}

// Request is one request or notification from the other side.
type Request struct {
	ID     json.RawMessage // as it was written; nil for a notification
	Method string
	Params json.RawMessage // nil when there are none

	conn  *Conn
	reply sync.Once
}

// Bind decodes the params; a value of the wrong type is an invalid-params error
// that names its field. Absent params leave the target as it is.
func (r *Request) Bind(params any) error {
	if len(r.Params) == 0 {
		return nil
	}
	err := json.Unmarshal(r.Params, params)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return InvalidParams(r.Method, wrong.Field, "it cannot be a JSON %s", wrong.Value)
	case errors.As(err, &wrong):
		return InvalidParams(r.Method, "params", "they cannot be a JSON %s", wrong.Value)
	}
	return InvalidParams(r.Method, "params", "%v", err)
}

// Reply answers the request; only the first answer counts, and a notification
// gets none. A nil result is an empty object. An err that is no *Error becomes an
// internal error.
func (r *Request) Reply(result any, err error) {
	if r.ID == nil {
		return
	}
	r.reply.Do(func() {
		m := outgoing{ID: r.ID, Result: result}
		if err != nil {
			m.Result, m.Error = nil, r.conn.said(asError(err))
		} else if result == nil {
			m.Result = struct{}{}
		}
		if err := r.conn.send(m); errors.Is(err, errEncode) {
			r.conn.refuse(r.ID, asError(err))
		}
	})
}

// said is e as the other side reads it.
func (c *Conn) said(e *Error) *Error {
	if c.reword == nil {
		return e
	}
	return c.reword(e)
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Errorf(CodeInternal, "%v", err)
}

// incoming is any message of the other side: with a method it is a request or a
// notification, without one a response.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Named  json.RawMessage `json:"method"` // as it was written; nil: a response
	Method string          `json:"-"`
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

// null is the id of an answer to what had none that could be read.
var null = json.RawMessage("null")

// parse reads one line. A line that is no message is an *Error, with the id to
// answer to.
func parse(line []byte) (incoming, *Error) {
	var m incoming
	err := json.Unmarshal(line, &m)
	if m.Named != nil && err == nil {
		err = json.Unmarshal(m.Named, &m.Method)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil && m.Named != nil && m.Method == "":
		return m.unread(), Errorf(CodeInvalidRequest, "invalid request: method must not be empty")
	case err == nil:
		return m, nil
	case errors.As(err, &wrong) && strings.HasPrefix(wrong.Field, "error"):
		m.Error = Errorf(CodeInternal, "an answer with an unreadable error") // a response: nobody answers it
		return m, nil
	case errors.As(err, &wrong):
		what := "a message"
		if m.Named != nil {
			what = "method"
		}
		return m.unread(), Errorf(CodeInvalidRequest, "invalid request: %s cannot be a JSON %s", what, wrong.Value)
	}
	return incoming{ID: null}, Errorf(CodeParse, "parse error: %v", err)
}

// unread is a message that is refused, with the id that its answer has.
func (m incoming) unread() incoming {
	if m.ID == nil {
		m.ID = null
	}
	return m
}
