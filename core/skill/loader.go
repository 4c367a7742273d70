package skill

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// A loader collects what the roots have.
type loader struct {
	excluded []string // as given, and with links resolved
	disabled map[string]bool
	skills   Skills
	files    []fs.FileInfo // of skills and hidden ones
	hidden   []Hidden
	problems []Problem
	untold   int           // problems
	dirs     []fs.FileInfo // looked into below this root
	full     bool
}

// maxProblems is how many problems are told one by one.
const maxProblems = 100

func (l *loader) problem(path, text string, skipped bool) {
	if len(l.problems) == maxProblems {
		l.untold++
		return
	}
	l.problems = append(l.problems, Problem{Path: path, Text: text, Skipped: skipped})
}

func (l *loader) root(r root) {
	l.dirs = nil
	if l.leftOut(r.dir) {
		return
	}
	info, err := r.stat(r.dir)
	switch {
	case err == nil && info.IsDir():
		l.walk(r, r.dir, info, 0)
	case err == nil:
		l.problem(r.dir, "it is not a directory", true)
	case !isMissing(err):
		l.problem(r.dir, r.why(r.dir, err), true)
	case r.named:
		l.problem(r.dir, "there is no such directory", false)
	}
}

// walk looks into dir, which is depth directories below its root, once: a link may
// lead to it again.
func (l *loader) walk(r root, dir string, info fs.FileInfo, depth int) {
	if contains(l.dirs, info) {
		return
	}
	l.dirs = append(l.dirs, info)
	if len(l.dirs) > maxDirs {
		if len(l.dirs) == maxDirs+1 {
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
	isLink := e.Type()&fs.ModeSymlink != 0
	if !isLink && !e.IsDir() {
		if lone {
			l.file(r, path, true)
		}
		return
	}
	info, err := r.stat(path)
	switch {
	case err != nil:
		l.problem(path, r.why(path, err), true)
	case info.IsDir() && depth < MaxDepth:
		l.walk(r, path, info, depth+1)
	case !info.IsDir() && lone:
		l.file(r, path, true)
	}
}

// contains reports whether one of list is the file or directory of info.
func contains(list []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(list, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
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
	if contains(l.files, info) {
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
	sort.SliceStable(l.skills, func(i, j int) bool { return l.skills[i].Name < l.skills[j].Name })
	sort.SliceStable(l.hidden, func(i, j int) bool {
		a, b := &l.hidden[i], &l.hidden[j]
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path)) < 0
	})
	if l.untold > 0 {
		last := l.problems[maxProblems-1].Path
		l.problems = append(l.problems, Problem{Path: last, Text: fmt.Sprintf("after this one %d more files are not taken as skills", l.untold), Skipped: true})
	}
	return Found{Skills: l.skills, Hidden: l.hidden, Problems: l.problems}
}

// leftOut reports whether path is excluded, or below what is.
func (l *loader) leftOut(path string) bool {
	if len(l.excluded) == 0 {
		return false
	}
	names := bothNames([]string{path})
	return slices.ContainsFunc(l.excluded, func(dir string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return below(dir, name) })
	})
}

// bothNames are paths as given and, where that differs, with their links resolved.
func bothNames(paths []string) []string {
	list := slices.Clone(paths)
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			list = append(list, real)
		}
	}
	return list
}

// below reports whether path is dir or in it, as they are written.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
