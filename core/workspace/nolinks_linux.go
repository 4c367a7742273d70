package workspace

import (
	"errors"
	"io/fs"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// openat2 is known since Linux 5.6; a container's filter may refuse it.
var hasOpenat2 = sync.OnceValue(func() bool {
	fd, err := openat2("/", unix.O_PATH|unix.O_DIRECTORY)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err == nil
})

func openat2(abs string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, abs, &how)
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return fd, err
		}
	}
}

// plain reports whether abs is there and no link is on its way, at one call's
// cost. False means nothing.
func plain(abs string) bool {
	if !hasOpenat2() {
		return false
	}
	fd, err := openat2(abs, unix.O_PATH)
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
}

// OpenFD opens what is at abs for reading, and only if no link is on its way, not
// one of the directories either: a directory that was swapped for a link since abs
// was resolved leads nowhere. It waits for no pipe. The caller closes it.
func OpenFD(abs string) (fd int, err error) {
	if !hasOpenat2() {
		return openChecked(abs)
	}
	fd, err = openat2(abs, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: abs, Err: err}
	}
	return fd, nil
}

// openChecked is OpenFD for a kernel that cannot open without links: it opens one
// element after the other.
func openChecked(abs string) (int, error) {
	fail := func(err error) (int, error) { return -1, &fs.PathError{Op: "open", Path: abs, Err: err} }
	dir, err := openEach(unix.AT_FDCWD, separator, unix.O_DIRECTORY|unix.O_PATH)
	if err != nil {
		return fail(err)
	}
	names := strings.Split(strings.Trim(abs, separator), separator)
	for i, name := range names {
		flags := unix.O_NOFOLLOW
		if i < len(names)-1 {
			flags |= unix.O_DIRECTORY | unix.O_PATH
		}
		next, err := openEach(dir, name, flags)
		_ = unix.Close(dir)
		if err != nil {
			return fail(err)
		}
		dir = next
	}
	return dir, nil
}

func openEach(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}
