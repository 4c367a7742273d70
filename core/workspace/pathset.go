package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// pathSet is a set of paths, each with all below it. Names are compared as the
// file system compares them: where a spelling differs only as a file system that
// folds case could overlook, the disk is asked. Most paths are told apart by a
// comparison of bytes.
type pathSet []siblings

// siblings are the members of a set in one directory.
type siblings struct {
	dir   string // without a separator at its end
	names []string
}

const separator = string(filepath.Separator)

// newPathSet makes a set of clean, absolute paths.
func newPathSet(paths []string) pathSet {
	var set pathSet
	for _, p := range paths {
		dir, name := filepath.Split(p)
		dir = strings.TrimSuffix(dir, separator)
		if i := slices.IndexFunc(set, func(s siblings) bool { return s.dir == dir }); i >= 0 {
			set[i].names = append(set[i].names, name)
			continue
		}
		set = append(set, siblings{dir, []string{name}})
	}
	return set
}

// find returns the innermost member that is abs or holds it, as the set spells it.
func (s pathSet) find(abs string) (member string, ok bool) {
	for i := range s {
		name, found := s[i].find(abs)
		if path := s[i].dir + separator + name; found && len(path) > len(member) {
			member, ok = path, true
		}
	}
	return member, ok
}

func (s pathSet) contains(abs string) bool {
	for i := range s {
		if _, ok := s[i].find(abs); ok {
			return true
		}
	}
	return false
}

// below returns a member that lies below abs.
func (s pathSet) below(abs string) (member string, ok bool) {
	for i := range s {
		for _, name := range s[i].names {
			member := s[i].dir + separator + name
			if member != abs && holds(abs, member) {
				return member, true
			}
		}
	}
	return "", false
}

func (s *siblings) find(abs string) (string, bool) {
	rest, exact, ok := cut(s.dir, abs)
	if !ok {
		return "", false
	}
	element, _, _ := strings.Cut(rest, separator)
	for _, name := range s.names {
		switch {
		case name == "": // the root of the file system
			return name, true
		case element == name && exact:
			return name, true
		case element != "" && alike(element, name) && same(s.dir+separator+name, abs[:len(abs)-len(rest)]+element):
			return name, true
		}
	}
	return "", false
}

// holds is contains for a file system that may fold case.
func holds(root, abs string) bool {
	if contains(root, abs) {
		return true
	}
	rest, _, ok := cut(strings.TrimSuffix(root, separator), abs)
	if !ok {
		return false
	}
	return same(root, strings.TrimSuffix(abs[:len(abs)-len(rest)], separator))
}

// cut takes dir and a separator off abs when abs is below something that is
// spelled like dir; exact says that it is spelled the same.
func cut(dir, abs string) (rest string, exact, ok bool) {
	i := 0
	for i < len(dir) && i < len(abs) && dir[i] == abs[i] {
		i++
	}
	switch {
	case i == len(dir) && (i == len(abs) || os.IsPathSeparator(abs[i])):
		return strings.TrimPrefix(abs[i:], separator), true, true
	case i < len(dir) && i < len(abs) && apart(dir[i], abs[i]):
		return "", false, false
	}
	rest = abs
	for more := true; more; {
		var d, a string
		d, dir, more = strings.Cut(dir, separator)
		a, rest, _ = strings.Cut(rest, separator)
		if d != a && !alike(d, a) {
			return "", false, false
		}
	}
	return rest, false, true
}

// apart reports whether two names that are alike up to bytes x and y, which differ,
// cannot be alike.
func apart(x, y byte) bool {
	switch {
	case x >= utf8.RuneSelf || y >= utf8.RuneSelf:
		return false
	case os.IsPathSeparator(x):
		return y != '.' && y != ' '
	case os.IsPathSeparator(y):
		return x != '.' && x != ' '
	}
	return lower(x) != lower(y)
}
