package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// quotes are pairs that names stand in.
var quotes = []struct{ open, shut string }{{"'", "'"}, {`"`, `"`}, {"`", "'"}, {"`", "`"}, {"‘", "’"}, {"“", "”"}}

// pathsIn returns what may be a path in a line that tells of an error: what stands
// in quotes, or else what stands before a colon.
func pathsIn(line string) []string {
	if all := quoted(line); len(all) > 0 {
		return all
	}
	parts := strings.Split(line, ": ")
	if len(parts) > 2 && !strings.Contains(parts[0], " ") {
		parts = parts[1:] // the program
	}
	var all []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); strings.Contains(part, " ") && pathLike(part) && startsLikePath(part) {
			all = append(all, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			word = strings.TrimRight(strings.TrimLeft(word, `([<`), `:;,.)]>`)
			word = strings.TrimPrefix(word, "unix://")
			if pathLike(word) {
				all = append(all, word)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func quoted(line string) []string {
	var all []string
	for _, q := range quotes {
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, q.open)
			if !ok {
				break
			}
			name, more, ok := strings.Cut(after, q.shut)
			if !ok {
				break
			}
			if rest = more; pathLike(name) {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// pathLine is how some programs name the path of an error on a line of its own.
var pathLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bpath:? ['"]?([^'"]+)['"]?,?\s*$`)
})

// namedPath returns the path of a line that has nothing else.
func namedPath(line string) []string {
	if m := pathLine().FindStringSubmatch(line); m != nil && startsLikePath(m[1]) {
		return []string{m[1]}
	}
	return nil
}

// maxPath is the kernel's limit.
const maxPath = 4096

// pathLike tells whether a name may be a path. A word is one only with a dot or a
// slash in it, or every word of a message would be.
func pathLike(name string) bool {
	return len(name) < maxPath && strings.ContainsAny(name, "/.") && strings.Trim(name, "/.") != "" &&
		!strings.Contains(name, "\x00") && !strings.Contains(name, "://") && !sourcePosition().MatchString(name)
}

func startsLikePath(name string) bool {
	return filepath.IsAbs(name) || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "~/")
}

// sourcePosition is a place in a program, as in the trace of an error.
var sourcePosition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:[0-9]+$`) })

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
