//go:build unix

package durable

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// LockDir waits until no other process holds dir and holds it, so that a check
// and the write that depends on it are one step. It leaves no file behind. The
// system frees the lock with the process.
func LockDir(dir string) (release func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lock directory: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock directory %s: %w", dir, err), f.Close())
	}
	return f.Close, nil
}
