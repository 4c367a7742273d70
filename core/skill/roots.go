package skill

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A root is a directory to look for skills in.
type root struct {
	tree
	dir   string
	scope Scope
	named bool // by a person: it is told when it is not there
}

// conventions are where a directory of somebody's has skills.
func conventions() []string { return []string{".reasonix/skills", ".agents/skills", ".claude/skills"} }

// userDir is where <home> has skills.
const userDir = "skills"

// roots lists where to look, the strongest first.
func (o Options) roots(project *os.Root) []root {
	within := tree{base: o.Workspace, root: project}
	var list []root
	if project != nil {
		for _, name := range conventions() {
			list = append(list, root{tree: within, dir: filepath.Join(o.Workspace, filepath.FromSlash(name)), scope: Project})
		}
	}
	user := func(dir string) { list = append(list, root{tree: tree{base: dir}, dir: dir, scope: User}) }
	if o.Home != "" {
		user(filepath.Join(o.Home, userDir))
	}
	if o.UserHome != "" {
		for _, name := range conventions()[1:] {
			user(filepath.Join(o.UserHome, filepath.FromSlash(name)))
		}
	}
	for _, dir := range o.Paths {
		r := root{tree: tree{base: dir}, dir: dir, scope: Path, named: true}
		if project != nil && below(o.Workspace, dir) {
			r.tree = within
		}
		list = append(list, r)
	}
	return list
}

// distinct leaves out a directory that is in the list before. One of the user's
// that is in the workspace, too, as when that is their home, is the user's.
func distinct(list []root) []root {
	infos := make([]fs.FileInfo, len(list))
	for i, r := range list {
		infos[i], _ = os.Stat(r.dir) // nil is like nothing
	}
	var kept []root
	for i, r := range list {
		same := func(j int) bool {
			return j != i && infos[i] != nil && infos[j] != nil && os.SameFile(infos[i], infos[j])
		}
		again := false
		for j, other := range list {
			mine := other.scope == Project && r.scope == User
			theirs := other.scope == User && r.scope == Project
			again = again || same(j) && (theirs || j < i && !mine)
		}
		if !again {
			kept = append(kept, r)
		}
	}
	return kept
}
