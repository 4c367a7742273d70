package workspace

import (
	"path/filepath"
	"slices"
)

// Confinement is what a sandbox holds a command to, for sandbox.Cmd. All paths are
// absolute, links resolved, sorted, and of two that hold one another the deeper
// one counts.
type Confinement struct {
	Writable  []string
	Protected []string // only read although below Writable, there or not yet
	Hidden    []string // not seen
}

// Confined lists what holds the session's commands now: the workspace and the
// further writable directories, what a git repository that lies elsewhere needs
// for a commit, the protected paths below them, and what is hidden.
func (f *FS) Confined() Confinement {
	c := Confinement{Writable: f.Writable(), Hidden: f.HiddenRoots()}
	for _, root := range c.Writable {
		for _, name := range f.names {
			c.Protected = append(c.Protected, filepath.Join(root, filepath.Join(name...)))
		}
	}
	for _, p := range f.shield {
		if slices.ContainsFunc(c.Writable, func(root string) bool { return contains(root, p) }) {
			c.Protected = append(c.Protected, p)
		}
	}
	for _, list := range []*[]string{&c.Writable, &c.Protected, &c.Hidden} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return c
}

// Less is c without the protection of what a person let one call write: of each
// released path, of what holds it and of what it holds.
func (c Confinement) Less(released []string) Confinement {
	c.Protected = slices.DeleteFunc(slices.Clone(c.Protected), func(p string) bool {
		return slices.ContainsFunc(released, func(r string) bool {
			r = filepath.Clean(r)
			return contains(p, r) || contains(r, p)
		})
	})
	return c
}
