package walk

import "slices"

type kind uint8

const (
	kindOther kind = iota // links, pipes, sockets, devices: never visited
	kindFile
	kindDir
	kindLink // told apart only because a .gitignore may be one
)

type entry struct {
	name     string
	kind     kind
	excluded bool // an ignored directory with tracked files below
}

// sortEntries puts entries in the order of the paths they stand for: a directory
// counts as its name and a slash.
func sortEntries(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		n := min(len(a.name), len(b.name))
		for i := range n {
			if a.name[i] != b.name[i] {
				return int(a.name[i]) - int(b.name[i])
			}
		}
		return a.after(n) - b.after(n)
	})
}

// after is the byte of e's path at i, the length of its name or less.
func (e entry) after(i int) int {
	switch {
	case i < len(e.name):
		return int(e.name[i])
	case e.kind == kindDir:
		return '/'
	}
	return 0
}
