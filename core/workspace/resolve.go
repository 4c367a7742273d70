package workspace

import (
	"errors"
	"os"
	"path/filepath"
)

// maxLinks bounds chains of links.
const maxLinks = 255

var errLoop = errors.New("too many links")

// bothNames lists paths cleaned and, where that differs, with links resolved. Paths
// in one directory cost little more than one.
func bothNames(paths []string) []string {
	var names []string
	known := map[string]bool{}
	add := func(p string) {
		if !known[p] {
			known[p], names = true, append(names, p)
		}
	}
	dirs := map[string]string{} // resolved
	for _, p := range paths {
		p = filepath.Clean(p)
		add(p)
		dir, ok := dirs[filepath.Dir(p)]
		if !ok {
			dir, _ = resolve(filepath.Dir(p))
			dirs[filepath.Dir(p)] = dir
		}
		if dir == "" {
			continue
		}
		real := filepath.Join(dir, filepath.Base(p))
		if info, err := os.Lstat(real); err == nil && !info.Mode().IsRegular() {
			if real, err = resolve(real); err != nil {
				continue
			}
		}
		add(real)
	}
	return names
}
