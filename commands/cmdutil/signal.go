package cmdutil

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// WithSignals returns a context that the first SIGINT or SIGTERM cancels with a
// *SignalError as its cause. A second signal ends the process at once, as it
// would without a handler. stop releases the handler; it is safe to call twice.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			cancel(&SignalError{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}
