//go:build unix

package sandbox

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// What we ourselves, unconfined, may do with a path.

func canRead(path string) bool { return unix.Access(path, unix.R_OK) == nil }

func canExecute(path string) bool { return unix.Access(path, unix.X_OK) == nil }

// canChange tells whether the file can be written, or made, replaced or removed.
func canChange(path string) bool {
	return unix.Access(path, unix.W_OK) == nil || unix.Access(filepath.Dir(path), unix.W_OK|unix.X_OK) == nil
}
