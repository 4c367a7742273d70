package workspace

import (
	"path/filepath"
	"strings"
)

// protectedName is one of Roots.Names, by its elements.
type protectedName []string

func newNames(names []string) []protectedName {
	var list []protectedName
	for _, name := range names {
		list = append(list, strings.Split(name, "/"))
	}
	return list
}

func (n protectedName) String() string { return strings.Join(n, "/") }

// guarded returns what of the protected paths and names abs is, lies below, or, for
// a name of several elements, would be on the way to: a file or a link called .git
// leads git to hooks of its own.
func (f *FS) guarded(abs string) (what string, ok bool) {
	root := f.innermost(abs)
	if member, ok := f.protect.find(abs); ok && !(root != "" && member != root && contains(member, root)) {
		return filepath.ToSlash(member), true
	}
	if root == "" {
		return "", false
	}
	return f.named(root, abs)
}

// named looks for the protected names in the part of abs below root.
func (f *FS) named(root, abs string) (what string, ok bool) {
	for at := len(root); at < len(abs); {
		rest := strings.TrimPrefix(abs[at:], separator)
		for _, name := range f.names {
			exact, ok := name.begins(rest)
			if ok && (exact || folds(abs[:at])) {
				return name.String(), true
			}
		}
		end := strings.Index(rest, separator)
		if end < 0 {
			break
		}
		at = len(abs) - len(rest) + end
	}
	return "", false
}

// begins reports whether rest begins with the name or is the beginning of it;
// exact says that it is spelled so.
func (n protectedName) begins(rest string) (exact, ok bool) {
	exact = true
	for i, want := range n {
		if rest == "" {
			return exact, i > 0
		}
		var element string
		element, rest, _ = strings.Cut(rest, separator)
		if element == want {
			continue
		}
		if !alike(element, want) {
			return false, false
		}
		exact = false
	}
	return exact, true
}

// unprotected refuses what is protected under one of its paths, unless a person
// let this call write it.
func (f *FS) unprotected(op, name string, paths ...string) error {
	for _, abs := range paths {
		what, ok := f.guarded(abs)
		if ok && !f.released.contains(abs) {
			return &PathError{
				Op: op, Path: name, Err: ErrProtected,
				Reason: what + " is protected, because what is written there is run or believed later",
				Hint:   "a person can allow this one call; without that leave it as it is, and say what you would change",
			}
		}
	}
	return nil
}
