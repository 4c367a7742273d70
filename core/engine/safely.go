package engine

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"reasonix/core/event"
)

// safely makes an error of a bug: it ends what it is in, and not the process.
func safely(id event.SessionID, what string, f func() error) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			slog.Debug("panic in "+what, "session", id, "value", bug, "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error: %v", bug)
		}
	}()
	return f()
}
