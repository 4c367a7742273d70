package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// What Windows answers while a scanner or an editor has the file open.
const (
	errorAccessDenied     = syscall.Errno(5)
	errorSharingViolation = syscall.Errno(32)
)

// links is not known from a FileInfo on Windows; every file is taken to have one
// name.
func links(fs.FileInfo) uint64 { return 1 }

// owned reports whether a file is the user's, which is not looked at here: nothing
// confines commands.
func owned(fs.FileInfo) bool { return true }

// adopt keeps the read-only attribute; owner and access list come from the
// directory.
func adopt(dir *os.Root, temp string, was fs.FileInfo) error {
	return dir.Chmod(temp, was.Mode().Perm())
}

func retryShared(op func() error) error {
	for wait := 10 * time.Millisecond; ; wait *= 2 {
		err := op()
		busy := errors.Is(err, errorSharingViolation) || errors.Is(err, errorAccessDenied)
		if !busy || wait > 200*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}

// isLink reports whether an open met a link where none may be.
func isLink(err error) bool { return errors.Is(err, errSwapped) }
