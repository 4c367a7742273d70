//go:build unix

package cmdutil

import (
	"os"
	"syscall"
)

// stopSignals ask a process to end in order. A terminal that goes away asks too.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
