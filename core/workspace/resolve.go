package workspace

import (
	"errors"
	"path/filepath"
	"slices"
)

// maxLinks bounds chains of links.
const maxLinks = 255

var errLoop = errors.New("too many links")

// bothNames lists paths cleaned and, where that differs, with links resolved.
func bothNames(paths []string) []string {
	var names []string
	for _, p := range paths {
		p = filepath.Clean(p)
		if !slices.Contains(names, p) {
			names = append(names, p)
		}
		if real, err := resolve(p); err == nil && !slices.Contains(names, real) {
			names = append(names, real)
		}
	}
	return names
}
