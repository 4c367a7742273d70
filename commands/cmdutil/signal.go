package cmdutil

import (
	"context"
	"os"
	"os/signal"
	"time"
)

const (
	// sameStop is how soon after the first a further signal is the same wish: a
	// wrapper signals its child and then the whole group.
	sameStop = time.Second
	// lastGrace is how long a process may take to end after a signal.
	lastGrace = 10 * time.Second
)

// WithSignals returns a context that the first SIGINT, SIGTERM, SIGHUP or SIGQUIT cancels
// with a *SignalError as its cause. One that comes a second later or more ends
// the process at once, and so does the time an orderly end may take: whatever
// blocks then, a terminal that reads nothing for example, will go on blocking.
// stop releases the handler; it is safe to call twice.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, stopSignals...)
	done := make(chan struct{})
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			cancel(&SignalError{Signal: s})
			insist(&SignalError{Signal: s}, signals, done)
		case <-ctx.Done():
		}
	}()
	stopped := false
	return ctx, func() {
		if !stopped {
			stopped = true
			close(done)
		}
		cancel(context.Canceled)
	}
}

// insist ends the process when the user asks again or the grace is over.
func insist(first *SignalError, signals <-chan os.Signal, done <-chan struct{}) {
	begun := time.Now()
	grace := time.NewTimer(lastGrace)
	defer grace.Stop()
	for {
		select {
		case <-signals:
			if time.Since(begun) >= sameStop {
				os.Exit(first.ExitCode())
			}
		case <-grace.C:
			os.Exit(first.ExitCode())
		case <-done:
			return
		}
	}
}
