package jsonrpc

import "encoding/json"

// GiveUp tells the other side that nobody waits for the answer any more. Whether it
// knows the notification is its own affair.
func (call *Call) GiveUp() {
	// The other side is gone when this fails, and Lost says so.
	_ = call.conn.Tell("$/cancel_request", map[string]json.RawMessage{"requestId": json.RawMessage(call.id)})
}
