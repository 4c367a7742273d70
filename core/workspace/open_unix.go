//go:build unix

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"reasonix/core/durable"
)

// opened is a descriptor whose reads do not wait for what is not there yet: they
// fail with durable.ErrWouldWait.
type opened int

// open opens a regular file, with no link on its way. It looks before it
// opens, because opening a device may already do something, and again at what it
// opened.
func (f *FS) open(abs string) (io.ReadSeekCloser, fs.FileInfo, error) {
	for range 4 {
		info, err := os.Lstat(abs)
		if err == nil {
			err = regular(info)
		}
		if err != nil {
			return nil, nil, err
		}
		fd, err := OpenFD(abs)
		if err != nil {
			return nil, nil, err
		}
		if isStill(fd, info) {
			return opened(fd), info, nil
		}
		_ = unix.Close(fd) // somebody put another file there in between
	}
	return nil, nil, &fs.PathError{Op: "open", Path: abs, Err: errors.New("it keeps changing")}
}

// isStill reports whether the open file is the one info is of.
func isStill(fd int, info fs.FileInfo) bool {
	var now unix.Stat_t
	was, ok := info.Sys().(*syscall.Stat_t)
	return ok && unix.Fstat(fd, &now) == nil && now.Dev == was.Dev && now.Ino == was.Ino && now.Mode == was.Mode
}

func (o opened) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, err := unix.Read(int(o), p)
		switch {
		case err == nil && n == 0:
			return 0, io.EOF
		case err == nil:
			return n, nil
		case errors.Is(err, unix.EAGAIN):
			return 0, durable.ErrWouldWait
		case !errors.Is(err, unix.EINTR):
			return 0, err
		}
	}
}

func (o opened) Seek(offset int64, whence int) (int64, error) {
	return unix.Seek(int(o), offset, whence)
}

func (o opened) Close() error { return unix.Close(int(o)) }

// ReadDir lists the directory at abs, a result of ReadPath or below one, by name.
// Like Reader it follows no link.
func (f *FS) ReadDir(abs string) ([]fs.DirEntry, error) {
	if f.Hidden(abs) {
		return nil, hidden("list", f.Rel(abs))
	}
	fd, err := OpenFD(abs)
	if err != nil {
		return nil, refuse("list", f.Rel(abs), err)
	}
	dir := os.NewFile(uintptr(fd), abs)
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, refuse("list", f.Rel(abs), err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}
