//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
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

// syncDir flushes a directory. Not every file system can, and not every directory
// that may be entered may be opened.
func syncDir(root *os.Root, name string) error {
	dir, err := root.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}

// writableDir asks the system whether entries of a directory may be removed.
func writableDir(root *os.Root, name string) error {
	dir, err := root.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Faccessat(int(dir.Fd()), ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}
