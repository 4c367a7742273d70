package cmdutil

import (
	"os"
	"syscall"
)

// stopSignals ask a process to end in order.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}
