//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// links counts the names of a file.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// owned reports whether a file is the user's.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// adopt gives temp the owner and mode of the file it will replace.
func adopt(dir *os.Root, temp string, was fs.FileInfo) error {
	want, ok := was.Sys().(*syscall.Stat_t)
	now, err := dir.Lstat(temp)
	if err != nil {
		return err
	}
	if have, both := now.Sys().(*syscall.Stat_t); ok && both && (have.Uid != want.Uid || have.Gid != want.Gid) {
		if err := dir.Lchown(temp, int(want.Uid), int(want.Gid)); err != nil {
			return err
		}
	}
	return dir.Chmod(temp, was.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
}

func retryShared(op func() error) error { return op() }

// isLink reports whether an open met a link where none may be.
func isLink(err error) bool { return errors.Is(err, syscall.ELOOP) || errors.Is(err, errSwapped) }
