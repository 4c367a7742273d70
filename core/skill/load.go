package skill

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	l := loader{excluded: o.Excluded, disabled: map[string]bool{}}
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
// wherever that is. Links are followed.
func Check(path string) Found {
	l := loader{}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.problem(path, "there is no such file or directory", false)
	case info.IsDir():
		l.root(root{tree: tree{base: path}, dir: path, scope: Path, named: true})
	default:
		r := root{tree: tree{base: filepath.Dir(path)}, dir: filepath.Dir(path), scope: Path}
		l.file(r, path, filepath.Base(path) != fileName)
	}
	return l.result()
}

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

// A loader collects what the roots have.
type loader struct {
	excluded []string
	disabled map[string]bool
	skills   Skills
	files    []fs.FileInfo // of skills and hidden ones
	hidden   []Hidden
	problems []Problem
	dirs     int // looked into below this root
	full     bool
}

func (l *loader) problem(path, text string, skipped bool) {
	l.problems = append(l.problems, Problem{Path: path, Text: text, Skipped: skipped})
}

func (l *loader) root(r root) {
	l.dirs = 0
	if l.leftOut(r.dir) {
		return
	}
	info, err := r.stat(r.dir)
	switch {
	case err == nil && info.IsDir():
		l.walk(r, r.dir, 0)
	case err == nil:
		l.problem(r.dir, "it is not a directory", true)
	case !isMissing(err):
		l.problem(r.dir, r.why(r.dir, err), true)
	case r.named:
		l.problem(r.dir, "there is no such directory", false)
	}
}

// walk looks into dir, which is depth directories below its root.
func (l *loader) walk(r root, dir string, depth int) {
	if l.dirs++; l.dirs > maxDirs {
		if l.dirs == maxDirs+1 {
			l.problem(r.dir, fmt.Sprintf("it has more than %d directories; the rest is not looked into", maxDirs), true)
		}
		return
	}
	entries, err := r.readDir(dir)
	if err != nil {
		l.problem(dir, r.why(dir, err), true)
		return
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), fileName) {
			l.file(r, filepath.Join(dir, e.Name()), false)
			return
		}
	}
	for _, e := range entries {
		l.entry(r, dir, e, depth)
	}
}

// entry looks at what is in a directory of skills.
func (l *loader) entry(r root, dir string, e fs.DirEntry, depth int) {
	path := filepath.Join(dir, e.Name())
	lone := depth == 0 && strings.EqualFold(filepath.Ext(path), ".md") && !strings.EqualFold(stem(path), "README")
	if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || l.leftOut(path) {
		return
	}
	isDir := e.IsDir()
	if e.Type()&fs.ModeSymlink != 0 {
		info, err := r.stat(path)
		if err != nil {
			l.problem(path, r.why(path, err), true)
			return
		}
		isDir = info.IsDir()
	}
	switch {
	case isDir && depth < MaxDepth:
		l.walk(r, path, depth+1)
	case !isDir && lone:
		l.file(r, path, true)
	}
}

// file takes the skill that the file at path is. A lone one is not in a directory
// of its own.
func (l *loader) file(r root, path string, lone bool) {
	if l.leftOut(path) || l.full {
		return
	}
	if len(l.skills)+len(l.hidden) >= MaxSkills {
		l.full = true
		l.problem(path, fmt.Sprintf("there are more than %d skills; this one and those after it are left out", MaxSkills), true)
		return
	}
	text, info, err := r.read(path)
	if err != nil {
		l.problem(path, r.why(path, err), true)
		return
	}
	if slices.ContainsFunc(l.files, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
		return // a link to what is there already
	}
	s, err := describe(path, lone, text)
	if err != nil {
		l.problem(path, err.Error(), true)
		return
	}
	s.Scope = r.scope
	l.files = append(l.files, info)
	l.add(s)
}

func describe(path string, lone bool, text []byte) (Skill, error) {
	name := stem(path)
	if !lone {
		if filepath.Base(path) != fileName {
			return Skill{}, fmt.Errorf("it must be called %s", fileName)
		}
		name = filepath.Base(filepath.Dir(path))
	} else if !strings.HasPrefix(strings.TrimPrefix(string(text), "\ufeff"), "---") {
		return Skill{}, fmt.Errorf("it has no keys in front, between two lines of ---")
	}
	s, err := parse(path, name, text)
	if err == nil && !lone {
		s.Dir = filepath.Dir(path)
	}
	return s, err
}

func (l *loader) add(s Skill) {
	at := slices.IndexFunc(l.skills, func(other Skill) bool { return other.Name == s.Name })
	switch {
	case l.disabled[s.Name]:
		l.hidden = append(l.hidden, Hidden{Skill: s, Why: "disabled by name"})
	case at >= 0:
		l.hidden = append(l.hidden, Hidden{Skill: s, Why: "behind " + filepath.ToSlash(l.skills[at].Path)})
	default:
		l.skills = append(l.skills, s)
	}
}

func (l *loader) result() Found {
	slices.SortStableFunc(l.skills, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(l.hidden, func(a, b Hidden) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	return Found{Skills: l.skills, Hidden: l.hidden, Problems: l.problems}
}

// leftOut reports whether path is excluded, or below what is.
func (l *loader) leftOut(path string) bool {
	if len(l.excluded) == 0 {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	return slices.ContainsFunc(l.excluded, func(dir string) bool {
		realDir, err := filepath.EvalSymlinks(dir)
		return below(dir, path) || err == nil && below(realDir, real)
	})
}

// below reports whether path is dir or in it, as they are written.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
