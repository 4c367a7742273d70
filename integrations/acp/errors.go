package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/jsonrpc"
)

// The protocol's own error codes.
const (
	codeCancelled    = -32800 // $/cancel_request ended it
	codeAuthRequired = -32000 // credentials are missing
	codeNotFound     = -32002 // what is not there
)

// internal is an error nobody foresaw.
func (s *server) internal(method string, err error) *jsonrpc.Error {
	if errors.Is(err, context.Canceled) {
		return jsonrpc.Errorf(codeCancelled, "%s: cancelled", method)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "%s: %s", method, withoutHome(s.opts.Home, err.Error()))
}

// submitError says in the protocol's words why an op was refused.
func submitError(method string, err error) error {
	var bad *protocol.BadOp
	switch {
	case err == nil:
		return nil
	case errors.Is(err, protocol.ErrBusy):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s: a turn is running in this session", method)
	case errors.Is(err, protocol.ErrStale):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s: no turn is running in this session", method)
	case errors.Is(err, protocol.ErrClosed):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s: the session is closed", method)
	case errors.As(err, &bad):
		return badParams(method, bad)
	}
	return fmt.Errorf("%s: %w", method, err)
}

// badParams refuses what an op cannot be made of, by the name that the field has in
// the protocol.
func badParams(method string, bad *protocol.BadOp) error {
	field := strings.ToLower(bad.Field)
	switch field {
	case "":
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: %s", method, bad.Reason)
	case "text", "attachments", "images":
		field = "prompt"
	}
	return jsonrpc.InvalidParams(method, field, "%s", bad.Reason)
}

// Exit codes of errors, which say what can be done about them (docs/architecture.md
// section 6).
const (
	exitUsage  = 2
	exitConfig = 3 // configuration or credentials
)

// unready adds to an error of missing credentials what can be done about it.
func (s *server) unready(err error) error {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != codeAuthRequired {
		return err
	}
	if data, ok := e.Data.(map[string]any); ok {
		data["authMethods"] = s.authMethods()
	}
	return err
}

// openError tells a client which of the two things it can do about a session
// that does not open: set it up, or ask for something else
// (docs/architecture.md section 6).
func (s *server) openError(method string, err error) error {
	e := s.internal(method, err)
	var coded interface{ ExitCode() int }
	if !errors.As(err, &coded) {
		return e
	}
	switch coded.ExitCode() {
	case exitConfig:
		e.Code = codeAuthRequired
		e.Data = map[string]any{"authMethods": s.authMethods()}
	case exitUsage:
		e.Code = jsonrpc.CodeInvalidParams
	}
	return e
}

// sessionError says what keeps a session that is there from being opened or removed:
// above all, who else has it.
func (s *server) sessionError(method, id string, err error) error {
	if err == nil {
		return nil
	}
	var elsewhere interface{ OpenElsewhere() bool }
	switch {
	case errors.As(err, &elsewhere) && elsewhere.OpenElsewhere():
		e := jsonrpc.InvalidParams(method, "sessionId", "%v", elsewhere)
		data := map[string]any{"field": "sessionId", "sessionId": id}
		var held interface{ HeldBy() string }
		if errors.As(err, &held) {
			data["holder"] = held.HeldBy()
		}
		e.Data = data
		return e
	case errors.Is(err, protocol.ErrUnknown):
		return notFound(method, id)
	}
	return s.openError(method, err)
}

func notFound(method, id string) error {
	e := jsonrpc.Errorf(codeNotFound, "%s: there is no session %q", method, id)
	e.Data = map[string]any{"field": "sessionId", "sessionId": id}
	return e
}

// wrongCwd refuses a session for a directory that it does not belong to.
func wrongCwd(method, id, is string) error {
	e := jsonrpc.InvalidParams(method, "cwd", "session %s belongs to %s; with _meta.relocate it moves", id, is)
	e.Data = map[string]any{"field": "cwd", "sessionId": id, "cwd": is}
	return e
}
