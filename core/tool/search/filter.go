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
	exclude bool   // the pattern had a "!" in front
	name    bool   // the pattern has no slash: it is about the last element
	suffix  bool   // the pattern is a star and plain text
	hidden  bool   // it asks for names that begin with a dot
	last    string // ends the name of every file that the pattern can match
}

// newFilter understands what a shell does, with ** and braces.
func newFilter(pattern string) (filter, error) {
	var f filter
	f.pattern, f.exclude = strings.CutPrefix(pattern, "!")
	f.pattern = strings.TrimPrefix(strings.TrimPrefix(f.pattern, "./"), "/")
	if f.pattern == "" {
		return filter{}, nil
	}
	f.hidden = !f.exclude && namesHidden(f.pattern)
	if rest, ok := strings.CutPrefix(f.pattern, "**/"); ok && rest != "" && !strings.Contains(rest, "/") {
		f.pattern = rest // at any depth, which is what a name means
	}
	if strings.HasSuffix(f.pattern, "/") {
		f.pattern += "**"
	}
	if err := tooWide(pattern); err != nil {
		return f, err
	}
	if !doublestar.ValidatePattern(f.pattern) {
		return f, fmt.Errorf("glob %q: bad pattern; examples: *.go, src/**/*.{ts,tsx}, !*_test.go", pattern)
	}
	f.name = !strings.Contains(f.pattern, "/")
	f.suffix = f.name && f.pattern[0] == '*' && !strings.ContainsAny(f.pattern[1:], special)
	f.last = f.pattern[strings.LastIndexAny(f.pattern, special+"]}/")+1:]
	return f, nil
}

// The limits of a pattern: matching tries every combination of its alternatives,
// so they multiply.
const (
	maxPattern      = 1000 // bytes
	maxAlternatives = 1000 // combinations
	maxStars        = 16   // wildcards that match any number of characters
)

// tooWide refuses a pattern that could take for ever.
func tooWide(pattern string) error {
	combinations, stars, depth := 1, 0, 0
	commas := []int{}
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '*':
			if i == 0 || pattern[i-1] != '*' {
				stars++
			}
		case '{':
			depth++
			commas = append(commas, 1)
		case ',':
			if depth > 0 {
				commas[depth-1]++
			}
		case '}':
			if depth > 0 {
				depth--
				combinations = min(combinations*commas[depth], maxAlternatives+1)
				commas = commas[:depth]
			}
		}
	}
	if len(pattern) > maxPattern || combinations > maxAlternatives || stars > maxStars || depth > maxStars {
		return fmt.Errorf("glob: the pattern is too wide (at most %d bytes, %d combinations of alternatives, %d stars): use several narrower calls", maxPattern, maxAlternatives, maxStars)
	}
	return nil
}

// special are the characters that a pattern gives a meaning.
const special = `*?[{\`

// below is a directory outside of which no file matches, "" when there is none.
func (f filter) below() string {
	if f.exclude || strings.Contains(f.pattern, `\`) {
		return ""
	}
	if dir, _ := doublestar.SplitPattern(f.pattern); dir != "." {
		return dir
	}
	return ""
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
	if !strings.HasSuffix(file.Name, f.last) {
		return f.exclude
	}
	rel := file.Rel()
	return (doublestar.MatchUnvalidated(f.pattern, rel) ||
		shown != "." && doublestar.MatchUnvalidated(f.pattern, path.Join(shown, rel))) != f.exclude
}

// namesHidden reports whether a glob asks for names that begin with a dot.
func namesHidden(glob string) bool {
	for _, part := range strings.Split(glob, "/") {
		names := []string{part}
		if rest, ok := strings.CutPrefix(part, "{"); ok {
			names = strings.Split(rest, ",")
		}
		for _, name := range names {
			if len(name) > 1 && name[0] == '.' && name != ".." {
				return true
			}
		}
	}
	return false
}
