package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks is how many symbolic links WriteFile follows before it calls the
// chain a loop.
const maxLinks = 40

// WriteFile replaces the file at path with data in one step: a reader, and a
// crash at any moment, sees the old bytes or the new ones and nothing between.
// The new bytes are on disk before the name points to them.
//
// A symbolic link stays one: the file it leads to is replaced, or made when it
// does not exist. perm is the mode the file has afterwards, whatever the umask;
// perm 0 keeps the mode of the file that is replaced and means 0600 for a new
// one. The owner is kept where the system allows it; further hard links keep the
// old bytes. The directory must exist. Two writers at once are safe for the
// file's integrity, and the last one wins.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	target, err := followLinks(path)
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	old, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return fmt.Errorf("replace %s: %w", path, err)
	case !old.Mode().IsRegular():
		return fmt.Errorf("replace %s: not a regular file", path)
	}
	if perm == 0 {
		perm = 0o600
		if old != nil {
			perm = old.Mode().Perm()
		}
	}
	if err := replace(target, data, perm.Perm(), old); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return nil
}

// followLinks returns the path that path's last element leads to. Links among
// the directories need no help: the system resolves them.
func followLinks(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		next, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(next) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			next = filepath.Join(dir, next)
		}
		path = next
	}
	return "", errors.New("too many symbolic links")
}
