package workspace

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// plain is not known at one call's cost.
func plain(string) bool { return false }

// OpenFD opens what is at abs for reading, and only if no link is on its way, not
// one of the directories either: a directory that was swapped for a link since abs
// was resolved leads nowhere. It waits for no pipe. The caller closes it.
func OpenFD(abs string) (fd int, err error) {
	for {
		fd, err = unix.Open(abs, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOFOLLOW_ANY, 0)
		switch {
		case err == nil:
			return fd, nil
		case !errors.Is(err, unix.EINTR):
			return -1, &fs.PathError{Op: "open", Path: abs, Err: err}
		}
	}
}
