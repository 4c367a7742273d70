package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Repository returns the top of the repository that git works on in the absolute
// directory dir: the nearest directory that is dir or above it, links resolved, with a
// .git in it. It returns "" where there is none, where dir is no directory, and where
// anything on the way up may be a repository without one, whose configuration git
// would obey.
func Repository(dir string) string {
	at, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return ""
	}
	for {
		if _, err := os.Lstat(filepath.Join(at, "HEAD")); !errors.Is(err, fs.ErrNotExist) {
			return "" // every repository has one; git takes it where .git is damaged
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		} else if !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		up := filepath.Dir(at)
		if up == at {
			return ""
		}
		at = up
	}
}
