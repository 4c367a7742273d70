package durable

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// What Windows answers while somebody else, a virus scanner or an editor, has
// the target open for a moment.
const (
	errSharingViolation = syscall.Errno(32)
	errLockViolation    = syscall.Errno(33)
)

// renameTries and renamePause bound how long a busy target is waited for: 0.55 s.
const (
	renameTries = 10
	renamePause = 10 * time.Millisecond
)

// replace writes a temporary file beside target and renames it over target.
func replace(target string, data []byte, perm fs.FileMode, _ fs.FileInfo) error {
	root, err := os.OpenRoot(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(target)
	temp := "." + name + "." + suffix()
	if err := writeTemp(root, temp, data, perm); err != nil {
		return errors.Join(err, removeTemp(root, temp))
	}
	if err := renameBusy(root, temp, name); err != nil {
		return errors.Join(err, removeTemp(root, temp))
	}
	return nil
}

func writeTemp(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

func removeTemp(root *os.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// renameBusy renames and tries again while the target is held open elsewhere.
func renameBusy(root *os.Root, from, to string) error {
	var err error
	for try := range renameTries {
		err = root.Rename(from, to)
		if !busy(err) {
			return err
		}
		time.Sleep(time.Duration(try+1) * renamePause)
	}
	return err
}

func busy(err error) bool {
	return errors.Is(err, errSharingViolation) || errors.Is(err, errLockViolation) ||
		errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}

func suffix() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return hex.EncodeToString(b[:])
}
