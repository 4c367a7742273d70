//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// renameNew renames from one directory to another, both held open, so that no
// swapped link leads elsewhere. What is at the destination is not replaced.
func renameNew(from, to end) error {
	a, err := from.dir()
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.dir()
	if err != nil {
		return err
	}
	defer b.Close()
	err = renameAt(int(a.Fd()), filepath.Base(from.name), int(b.Fd()), filepath.Base(to.name))
	switch {
	case errors.Is(err, syscall.EEXIST):
		return exists(to.name)
	case !errors.Is(err, syscall.ENOSYS) && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP):
		return err
	}
	if _, err := to.root.Lstat(to.name); !errors.Is(err, fs.ErrNotExist) {
		return exists(to.name)
	}
	return renameAtPlain(int(a.Fd()), filepath.Base(from.name), int(b.Fd()), filepath.Base(to.name))
}

func otherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }

// syncDir flushes the entry itself. Not every file system can.
func syncDir(e end) {
	if dir, err := e.dir(); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}
