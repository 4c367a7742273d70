package workspace

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// errSwapped says that a link stands, or stood a moment ago, where a directory was
// when the path was resolved.
var errSwapped = errors.New("a link is where a directory was")

// enter opens the directory name below root with no link on its way: os.Root alone
// would follow those that stay below it, into what is hidden or protected. With
// making set it makes what is missing. The caller closes it.
func enter(root *os.Root, name string, making bool) (*os.Root, error) {
	at, err := root.OpenRoot(".")
	if err != nil || name == "." {
		return at, err
	}
	for _, element := range strings.Split(name, separator) {
		next, err := step(at, element, making)
		_ = at.Close() // nothing was written by it
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// step opens one directory in at.
func step(at *os.Root, element string, making bool) (*os.Root, error) {
	info, err := at.Lstat(element)
	if making && errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(element, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err = at.Lstat(element)
	}
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &fs.PathError{Op: "open", Path: element, Err: errSwapped}
	case !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: element, Err: syscall.ENOTDIR}
	}
	next, err := at.OpenRoot(element)
	if err != nil {
		return nil, err
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(now, info) {
		_ = next.Close() // nothing was written by it
		return nil, &fs.PathError{Op: "open", Path: element, Err: errSwapped}
	}
	return next, nil
}
