package sandbox

import (
	"os"
	"sort"
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
	sort.Slice(all, func(i, j int) bool { return outerFirst(all[i], all[j]) < 0 })
	return all
}

func outerFirst(a, b place) int {
	return strings.Compare(a.path, b.path)
}

// reduce sorts places, outer before inner, and drops those that say nothing.
func reduce(all []place) []place {
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.path != b.path {
			return outerFirst(a, b) < 0
		}
		return a.class > b.class
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

// key is equal for confinements that one supervisor can serve.
func (c *confinement) key() string {
	key := []string{strconv.FormatBool(c.Network)}
	for _, list := range [][]string{c.Writable, c.Protected, c.Hidden, c.Bare, c.Sockets, c.identity} {
		key = append(key, strconv.Itoa(len(list)))
		key = append(key, list...)
	}
	return strings.Join(key, "\x00")
}
