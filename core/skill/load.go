package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Limits of the search. What lies beyond them is left out, and a Problem says so.
const (
	MaxDepth   = 3    // directories between a root and the SKILL.md
	MaxSkills  = 500  // of all roots together
	maxDirs    = 1000 // looked into below one root
	maxEntries = 2000 // of one directory
)

// fileName is the file that makes a directory a skill.
const fileName = "SKILL.md"

// Options say where to look. All paths are absolute; an empty one is left out.
type Options struct {
	Workspace string // has the project's skills
	Home      string // of reasonix
	UserHome  string // of the person
	Paths     []string
	Excluded  []string // not looked into, nor anything below
	Disabled  []string // names that are hidden wherever the skill is
}

// Found is the result of Load.
type Found struct {
	Skills Skills
	Hidden []Hidden // in the order of their names
	// Problems come in the order of the search.
	Problems []Problem
}

// Hidden is a skill that does not count, and why, in a few words.
type Hidden struct {
	Skill
	Why string
}

// Load looks for skills. It does not fail: what is not taken as a skill is one of
// the Problems.
func Load(o Options) Found {
	l := loader{excluded: bothNames(o.Excluded), disabled: map[string]bool{}}
	for _, name := range o.Disabled {
		l.disabled[Normal(name)] = true
	}
	var project *os.Root
	if o.Workspace != "" {
		project, _ = os.OpenRoot(o.Workspace) // without it there is nothing to find
	}
	if project != nil {
		defer project.Close()
	}
	for _, r := range distinct(o.roots(project)) {
		l.root(r)
	}
	return l.result()
}

// Check looks at one skill, its directory or its file, or at a directory of skills
// wherever that is. Links are followed. The error says that there is nothing at
// path.
func Check(path string) (Found, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Found{}, fmt.Errorf("check %s: %w", filepath.ToSlash(path), bare(err))
	}
	l := loader{}
	if info.IsDir() {
		l.root(root{tree: tree{base: path}, dir: path, scope: Path, named: true})
	} else {
		l.file(root{scope: Path}, path, !strings.EqualFold(filepath.Base(path), fileName))
	}
	return l.result(), nil
}
