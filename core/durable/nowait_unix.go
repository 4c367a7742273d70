//go:build unix

package durable

import (
	"errors"
	"io"
	"syscall"
)

// read goes past the runtime, which would wait until the file is ready.
func (n *NoWait) read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	raw, err := n.file.SyscallConn()
	if err != nil {
		return 0, bare(err)
	}
	var got int
	var readErr error
	err = raw.Read(func(fd uintptr) bool {
		got, readErr = syscall.Read(int(fd), p)
		for errors.Is(readErr, syscall.EINTR) {
			got, readErr = syscall.Read(int(fd), p)
		}
		return true
	})
	switch {
	case err != nil:
		return 0, bare(err)
	case errors.Is(readErr, syscall.EAGAIN):
		return 0, ErrWouldWait
	case readErr != nil:
		return 0, readErr
	case got == 0:
		return 0, io.EOF
	}
	return got, nil
}
