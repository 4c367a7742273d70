package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// renameNew renames inside one root, or between two by their paths. What is at
// the destination is not replaced.
func renameNew(from, to end) error {
	if _, err := to.root.Lstat(to.name); !errors.Is(err, fs.ErrNotExist) {
		return exists(to.name)
	}
	if from.root.Name() == to.root.Name() {
		return from.root.Rename(from.name, to.name)
	}
	return os.Rename(from.abs, to.abs)
}

const errorNotSameDevice = syscall.Errno(17)

func otherDevice(err error) bool { return errors.Is(err, errorNotSameDevice) }

// syncDir does nothing: Windows flushes no directories.
func syncDir(*os.Root, string) error { return nil }

// writableDir is not known beforehand: the read-only attribute of a directory
// does not protect what is in it, and access lists are asked on removal.
func writableDir(*os.Root, string) error { return nil }
