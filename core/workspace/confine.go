package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Confinement is what a sandbox holds a command to, for sandbox.Cmd. All paths are
// absolute and sorted; of several around a path the innermost counts. They need not
// be there.
type Confinement struct {
	Writable  []string
	Protected []string // only read although below Writable
	Hidden    []string // not seen
	Bare      []string // read although below Hidden
}

// Confined lists what holds the session's commands now: the writable directories
// and, where one is a linked worktree, a submodule or inside a repository, what a
// commit needs of that; below them the protected paths, names at any depth as far as
// they were there when it was first called; and what is hidden. Prepare comes first.
func (f *FS) Confined() Confinement {
	c := Confinement{Hidden: f.HiddenRoots(), Bare: slices.Clone(f.shown)}
	protected := slices.Concat(f.shield, f.nested())
	for _, root := range f.roots() {
		git := gitPlacesAround(root)
		c.Writable = append(append(c.Writable, root), git.writable...)
		protected = append(protected, git.protected...)
		for _, name := range f.names {
			protected = append(protected, filepath.Join(root, filepath.Join(name...)))
		}
	}
	for _, p := range protected {
		if slices.ContainsFunc(c.Writable, func(dir string) bool { return contains(dir, p) }) {
			c.Protected = append(c.Protected, p)
		}
	}
	for _, list := range []*[]string{&c.Writable, &c.Protected, &c.Hidden, &c.Bare} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return c
}

// Prepare makes what a confined command needs and cannot make: for a linked worktree
// of a repository without reflogs the directory git would make for them, without
// which a commit fails.
func (f *FS) Prepare() error {
	for _, root := range f.roots() {
		if logs := gitPlacesAround(root).logs; logs != "" {
			if err := os.Mkdir(logs, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("prepare repository: %w", err)
			}
		}
	}
	return nil
}

// Less is c without the protection of what a person let one call write: of each
// released path, of what holds it and of what it holds.
func (c Confinement) Less(released []string) Confinement {
	if len(released) == 0 {
		return c
	}
	released = bothNames(released)
	c.Protected = slices.DeleteFunc(slices.Clone(c.Protected), func(p string) bool {
		return slices.ContainsFunc(released, func(r string) bool { return contains(p, r) || contains(r, p) })
	})
	return c
}

// maxNested bounds how many directories are searched for protected names, those of
// the workspace first.
const maxNested = 3000

// nested lists what has a protected name in the directories below the roots. They
// are searched once for each set of roots.
func (f *FS) nested() []string {
	roots := f.write.Load()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nestedOf == roots {
		return f.nestedIn
	}
	f.nestedOf, f.nestedIn = roots, nil
	for queue, left, i := []string(nil), maxNested, 0; left > 0; left-- {
		if len(queue) == 0 {
			if i == len(*roots) {
				break
			}
			queue, i = append(queue, (*roots)[i]), i+1
		}
		found, below := f.search(queue[0], slices.Contains(*roots, queue[0]))
		f.nestedIn = append(f.nestedIn, found...)
		queue = append(queue[1:], below...)
	}
	return f.nestedIn
}

// search lists what is protected in dir, and the directories to go on with. What a
// root's own repository has is known already.
func (f *FS) search(dir string, isRoot bool) (found, below []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if led := f.led(e.Name()); len(led) > 0 {
			found = append(found, under(dir, led)...)
		}
		switch {
		case e.Name() == ".git":
			if !isRoot {
				found = append(found, gitPlacesOf(dir).protected...)
			}
		case e.IsDir() && e.Name() != "node_modules" && !f.Hidden(path):
			below = append(below, path)
		}
	}
	return found, below
}

// led lists the protected names that begin with element.
func (f *FS) led(element string) (names []string) {
	for _, name := range f.names {
		if name[0] == element {
			names = append(names, name.String())
		}
	}
	return names
}
