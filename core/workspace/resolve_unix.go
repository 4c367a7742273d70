//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// resolve follows every link of abs, also a last one that leads nowhere yet:
// writing through it would create its target. What does not exist is kept as it
// is named.
func resolve(abs string) (string, error) {
	if plain(abs) {
		return filepath.Clean(abs), nil
	}
	return follow(abs)
}

// follow resolves one element after the other.
func follow(rest string) (string, error) {
	at, links := "", 0 // at is resolved; "" is the root
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, separator)
		switch name {
		case "", ".":
			continue
		case "..":
			at = at[:max(strings.LastIndexByte(at, filepath.Separator), 0)]
			continue
		}
		target, err := linkTarget(at, name)
		switch {
		case err != nil:
			return "", err
		case target == "":
			at += separator + name
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "resolve", Path: at + separator + name, Err: errLoop}
		}
		if filepath.IsAbs(target) {
			at = ""
		}
		rest = target + separator + rest
	}
	if at == "" {
		at = separator
	}
	return at, nil
}

// linkTarget is where dir/name leads to; "" when it is no link, be it because
// nothing is there.
func linkTarget(dir, name string) (string, error) {
	path := dir + separator + name
	var info syscall.Stat_t
	err := syscall.Lstat(path, &info)
	for errors.Is(err, syscall.EINTR) {
		err = syscall.Lstat(path, &info)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", &fs.PathError{Op: "lstat", Path: path, Err: err}
	case info.Mode&syscall.S_IFMT != syscall.S_IFLNK:
		return "", nil
	}
	return os.Readlink(path)
}
