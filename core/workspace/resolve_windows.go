package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// resolve follows every link of abs, also a last one that leads nowhere yet:
// writing through it would create its target. What does not exist is kept as it
// is named.
func resolve(abs string) (string, error) { return follow(abs, 0) }

func follow(abs string, links int) (string, error) {
	real, err := filepath.EvalSymlinks(abs)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	parent := filepath.Dir(abs)
	if parent == abs {
		return abs, nil
	}
	if parent, err = follow(parent, links); err != nil {
		return "", err
	}
	abs = filepath.Join(parent, filepath.Base(abs))
	target, err := os.Readlink(abs)
	if err != nil {
		return abs, nil // no link: it simply does not exist
	}
	if links++; links > maxLinks {
		return "", &fs.PathError{Op: "resolve", Path: abs, Err: errLoop}
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(parent, target)
	}
	return follow(filepath.Clean(target), links)
}
