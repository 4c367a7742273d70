package workspace

import (
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
// and, where one is a linked worktree or a submodule, what a commit needs of its
// repository; below them the protected paths, names at any depth as far as they
// were there when it was first called; and what is hidden. For a linked worktree of
// a repository without reflogs it makes the directory git would make for them.
func (f *FS) Confined() Confinement {
	c := Confinement{Hidden: f.HiddenRoots(), Bare: slices.Clone(f.shown)}
	protected := slices.Concat(f.shield, f.nested())
	for _, root := range f.roots() {
		git := gitPlacesOf(root)
		if git.logs != "" {
			_ = os.Mkdir(git.logs, 0o777) // a commit fails where git cannot make it
		}
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

// maxNested bounds how many directories are searched for protected names.
const maxNested = 3000

// nested lists what has a protected name in the directories below the roots. They
// are searched once for each set of roots.
func (f *FS) nested() []string {
	roots := f.write.Load()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nestedOf != roots {
		f.nestedOf, f.nestedIn = roots, f.search(*roots)
	}
	return f.nestedIn
}

func (f *FS) search(roots []string) (found []string) {
	queue := slices.Clone(roots)
	for seen := 0; len(queue) > 0 && seen < maxNested; seen++ {
		dir := queue[0]
		queue = queue[1:]
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch led := f.led(e.Name()); {
			case e.Name() == ".git" && !slices.Contains(roots, dir):
				found = append(found, gitPlacesOf(dir).protected...)
			case len(led) > 0:
				found = append(found, under(dir, led)...)
			case e.IsDir() && e.Name() != ".git" && e.Name() != "node_modules" && !f.Hidden(path):
				queue = append(queue, path)
			}
		}
	}
	return found
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
