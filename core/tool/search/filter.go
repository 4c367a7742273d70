package search

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"reasonix/core/internal/walk"
)

// filter keeps files by their names. The zero filter keeps all.
type filter struct {
	pattern string
	exclude bool // the pattern had a "!" in front
	name    bool // the pattern has no slash: it is about the last element
	suffix  bool // the pattern is a star and plain text
}

// newFilter understands what a shell does, with ** and braces.
func newFilter(pattern string) (filter, error) {
	var f filter
	f.pattern, f.exclude = strings.CutPrefix(pattern, "!")
	f.pattern = strings.TrimPrefix(strings.TrimPrefix(f.pattern, "./"), "/")
	if f.pattern == "" {
		return filter{}, nil
	}
	if !doublestar.ValidatePattern(f.pattern) {
		return f, fmt.Errorf("glob %q: bad pattern; examples: *.go, src/**/*.{ts,tsx}, !*_test.go", pattern)
	}
	f.name = !strings.Contains(f.pattern, "/")
	f.suffix = f.name && f.pattern[0] == '*' && !strings.ContainsAny(f.pattern[1:], `*?[{\`)
	return f, nil
}

// keeps says whether the file is wanted. A pattern with a slash may start at the
// searched directory or at the workspace; shown is how the former lies in the
// latter.
func (f filter) keeps(shown string, file walk.File) bool {
	switch {
	case f.pattern == "":
		return true
	case f.suffix:
		return strings.HasSuffix(file.Name, f.pattern[1:]) != f.exclude
	case f.name:
		return doublestar.MatchUnvalidated(f.pattern, file.Name) != f.exclude
	}
	rel := file.Rel()
	return (doublestar.MatchUnvalidated(f.pattern, rel) ||
		doublestar.MatchUnvalidated(f.pattern, path.Join(shown, rel))) != f.exclude
}

// namesHidden reports whether a glob asks for names that begin with a dot.
func namesHidden(glob string) bool {
	for _, part := range strings.Split(glob, "/") {
		if len(part) > 1 && part[0] == '.' && part != ".." {
			return true
		}
	}
	return false
}
