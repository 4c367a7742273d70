//go:build unix

package durable

import (
	"errors"
	"syscall"
)

// exists reports whether a process of this number is there, ours or not.
func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
