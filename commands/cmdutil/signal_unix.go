//go:build unix

package cmdutil

import (
	"os"
	"syscall"
)

// stopSignals ask a process to end in order. A terminal that goes away asks too, and
// so does its quit key: a command that runs is brought to its end first.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
