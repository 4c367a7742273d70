package file

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Bounds of the look for a name that was meant.
const (
	nearNames   = 3    // shown
	nearEntries = 5000 // looked at
)

// missingError names what the caller may have meant.
type missingError struct {
	err  error
	near []string
}

func (e *missingError) Error() string {
	if len(e.near) == 0 {
		return e.err.Error()
	}
	return e.err.Error() + "; nearest: " + strings.Join(e.near, ", ")
}

func (e *missingError) Unwrap() error { return e.err }

// nearest lists names like that of abs: in its directory, and the very same name
// elsewhere in the workspace.
func (s session) nearest(ctx context.Context, abs string) []string {
	var near []string
	for _, p := range append(s.similar(abs), s.sameName(ctx, abs)...) {
		if shown := s.files.Show(p); len(near) < nearNames && !slices.Contains(near, shown) {
			near = append(near, shown)
		}
	}
	return near
}

// similar looks in the directory of abs, or in the nearest one that exists for
// the element that does not.
func (s session) similar(abs string) []string {
	dir, base := filepath.Dir(abs), filepath.Base(abs)
	entries, err := s.entries(dir)
	for err != nil && filepath.Dir(dir) != dir {
		dir, base = filepath.Dir(dir), filepath.Base(dir)
		entries, err = s.entries(dir)
	}
	type match struct {
		path string
		cost int
	}
	var found []match
	for _, e := range entries[:min(len(entries), nearEntries)] {
		path := filepath.Join(dir, e.Name())
		if cost := distance(strings.ToLower(base), strings.ToLower(e.Name())); cost <= 1+len(base)/4 && !s.files.Hidden(path) {
			found = append(found, match{path, cost})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].cost < found[j].cost })
	var paths []string
	for _, m := range found {
		paths = append(paths, m.path)
	}
	return paths
}

// entries lists dir, which need not be resolved.
func (s session) entries(dir string) ([]fs.DirEntry, error) {
	real, err := s.files.ReadPath(dir)
	if err != nil {
		return nil, err
	}
	return s.files.ReadDir(real)
}

// sameName walks the workspace, nearest directories first, for files named as
// abs.
func (s session) sameName(ctx context.Context, abs string) []string {
	var found []string
	queue := []string{s.files.Dir()}
	for seen := 0; len(queue) > 0 && seen < nearEntries && ctx.Err() == nil; {
		dir := queue[0]
		queue = queue[1:]
		entries, err := s.files.ReadDir(dir)
		if err != nil {
			continue
		}
		seen += len(entries)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case s.files.Hidden(path):
			case e.IsDir() && e.Name() != ".git" && e.Name() != "node_modules":
				queue = append(queue, path)
			case !e.IsDir() && strings.EqualFold(e.Name(), filepath.Base(abs)):
				found = append(found, path)
			}
		}
	}
	return found
}

// distance is how many characters to insert, drop or change to get from a to b.
// Names longer than 200 bytes are only compared for equality.
func distance(a, b string) int {
	if a != b && max(len(a), len(b)) > 200 {
		return max(len(a), len(b))
	}
	return levenshtein.ComputeDistance(a, b)
}
