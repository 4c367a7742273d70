//go:build unix

package cmdutil

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchPipe makes a write to a closed stdout or stderr an error instead of a
// deadly signal. The signal is caught, not ignored: an ignored one would stay
// ignored in every command we start.
func CatchPipe() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
