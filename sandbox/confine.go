package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A confinement is what a confined command is held to, in a canonical form: paths
// are absolute, clean, without links, sorted, and only those that say something
// their surroundings do not. Of several places around a path the innermost holds:
// a Writable directory inside a Hidden one is seen and written. What no place is
// around can be read and not written.
type confinement struct {
	Writable  []string // seen and written
	Protected []string // inside Writable: seen, not written
	Hidden    []string // neither seen nor written
	Bare      []string // inside Hidden: seen, not written
	Sockets   []string // Unix sockets that cannot be used
	Network   bool
	// identity tells the files behind the paths apart: what holds a path may hold
	// the file that was there, so that a new file under an old name needs another
	// supervisor.
	identity []string
}

// confinementOf brings what cmd asks for into canonical form. What is not there
// is left out unless missing is set: nothing can be mounted over it. What is not there
// to be protected is always left out: a command may make a repository, and a keeper
// sees to the rest.
func confinementOf(cmd Cmd, missing bool) confinement {
	c := confinement{Network: cmd.Network}
	look := resolver{}
	var all []place
	for _, list := range []struct {
		class class
		paths []string
	}{{bare, cmd.Bare}, {writable, cmd.Writable}, {protected, cmd.Protected}, {hidden, cmd.Hidden}} {
		for _, path := range list.paths {
			at := look.at(filepath.Clean(path))
			if filepath.IsAbs(at.path) && (at.info != nil || missing && list.class != protected) {
				all = append(all, place{at.path, list.class})
			}
		}
	}
	for _, p := range reduce(all) {
		list := c.list(p.class)
		*list = append(*list, p.path)
		c.identity = append(c.identity, identity(look[p.path].info))
	}
	return c
}

// A class is how a place may be used.
type class int

// The classes; at one path the later one holds.
const (
	bare class = iota
	writable
	protected
	hidden
)

// A place is a path with the class of it and of what is inside it.
type place struct {
	path  string
	class class
}

func (c *confinement) list(k class) *[]string {
	return [...]*[]string{&c.Bare, &c.Writable, &c.Protected, &c.Hidden}[k]
}

// places lists all places, outer before inner.
func (c *confinement) places() []place {
	var all []place
	for k := bare; k <= hidden; k++ {
		for _, path := range *c.list(k) {
			all = append(all, place{path, k})
		}
	}
	slices.SortFunc(all, outerFirst)
	return all
}

func outerFirst(a, b place) int {
	return strings.Compare(a.path, b.path)
}

// reduce sorts places, outer before inner, and drops those that say nothing.
func reduce(all []place) []place {
	slices.SortFunc(all, func(a, b place) int {
		if a.path != b.path {
			return outerFirst(a, b)
		}
		return int(b.class) - int(a.class)
	})
	var kept []place
	for i, p := range all {
		if i > 0 && all[i-1].path == p.path {
			continue
		}
		around, inside := classOf(kept, p.path)
		if says(p.class, around, inside) {
			kept = append(kept, p)
		}
	}
	return kept
}

// says tells whether a class means something inside a place of class around.
func says(k, around class, inside bool) bool {
	switch k {
	case protected:
		return inside && around == writable
	case bare:
		return inside && around == hidden
	default:
		return !inside || around != k
	}
}

// classOf returns the class of the innermost of places that path is or lies in.
func classOf(places []place, path string) (k class, inside bool) {
	longest := -1
	for _, p := range places {
		if len(p.path) > longest && within(p.path, path) {
			k, inside, longest = p.class, true, len(p.path)
		}
	}
	return k, inside
}

// within tells whether path is dir or lies below it; both are clean.
func within(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// A resolver finds paths without links. It looks at each directory once: most
// places have theirs in common, and it is asked at every call.
type resolver map[string]found

// found is where a path leads. info is nil when nothing is there.
type found struct {
	path string // without links as far as it is there
	info fs.FileInfo
}

// at takes a clean path.
func (r resolver) at(path string) found {
	if f, known := r[path]; known {
		return f
	}
	f := found{path: path}
	above := found{path: path}
	if parent := filepath.Dir(path); parent != path {
		above = r.at(parent)
		f.path = filepath.Join(above.path, filepath.Base(path))
	}
	if above.info != nil || above.path == path {
		f.info, _ = os.Lstat(f.path)
	}
	if f.info != nil && f.info.Mode()&fs.ModeSymlink != 0 {
		f.follow()
	}
	r[path], r[f.path] = f, f
	return f
}

// follow goes where a link leads; one that leads nowhere stays what it is.
func (f *found) follow() {
	real, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		f.info = nil
		return
	}
	f.path = real
	f.info, _ = os.Lstat(real)
}

// resolve returns path without links as far as it is there, and whether it is.
func resolve(path string) (real string, there bool) {
	f := resolver{}.at(filepath.Clean(path))
	return f.path, f.info != nil
}

// key is equal for confinements that one supervisor can serve.
func (c *confinement) key() string {
	key := []string{strconv.FormatBool(c.Network)}
	for _, list := range [][]string{c.Writable, c.Protected, c.Hidden, c.Bare, c.Sockets, c.identity} {
		key = append(key, strconv.Itoa(len(list)))
		key = append(key, list...)
	}
	return strings.Join(key, "\x00")
}
