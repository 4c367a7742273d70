package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/jsonrpc"
)

// codeCancelled is the protocol's own error code for a request that $/cancel_request
// ended.
const codeCancelled = -32800

// internal is an error nobody foresaw.
func (s *server) internal(method string, err error) *jsonrpc.Error {
	if errors.Is(err, context.Canceled) {
		return jsonrpc.Errorf(codeCancelled, "%s: cancelled", method)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "%s: %s", method, withoutHome(s.opts.Home, err.Error()))
}

// withoutHome writes ~ for the user's home directory, whose name is nobody's business.
func withoutHome(home, text string) string {
	home = strings.TrimRight(home, `/\`)
	if home == "" {
		return text
	}
	return strings.ReplaceAll(text, home, "~")
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
