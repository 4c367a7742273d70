package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Writable lists the directories that may be written, Dir first, links resolved.
func (f *FS) Writable() []string { return slices.Clone(f.roots()) }

func (d *disk) roots() []string { return *d.write.Load() }

// rootOf finds the directory below which abs may be written: the outermost
// writable root, because an inner one could be swapped for a link; for a released
// path outside of them, the directory its protected entry is in.
func (f *FS) rootOf(abs string) (string, bool) {
	best := ""
	for _, root := range f.roots() {
		if contains(root, abs) && (best == "" || len(root) < len(best)) {
			best = root
		}
	}
	if best != "" {
		return best, true
	}
	member, ok := f.protect.find(abs)
	if !ok || !f.released.contains(abs) {
		return "", false
	}
	for dir := filepath.Dir(member); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir, contains(dir, abs)
		}
	}
}

// innermost finds the nearest writable root that holds abs, "" when none does.
func (f *FS) innermost(abs string) string {
	best := ""
	for _, root := range f.roots() {
		if contains(root, abs) && len(root) > len(best) {
			best = root
		}
	}
	return best
}

// respell gives a path that a root holds under another spelling the root's own.
func (f *FS) respell(abs string) string {
	for _, root := range f.roots() {
		if contains(root, abs) {
			return abs
		}
	}
	for _, root := range f.roots() {
		if holds(root, abs) {
			if rest, _, ok := cut(strings.TrimSuffix(root, separator), abs); ok {
				return filepath.Join(root, rest)
			}
		}
	}
	return abs
}

// FoldsCase reports whether the file system of the workspace takes two spellings
// of a name that differ in case for the same.
func (f *FS) FoldsCase() bool { return folds(f.dir) }
