package walk

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/durable"
)

// rules are the patterns of one ignore file and, behind them, those that count
// less: the files of the directories above, then the repository's exclude file,
// then the user's.
type rules struct {
	base string // the directory the patterns speak of, slash-separated with a slash at its end
	fold bool
	list []pattern
	less *rules
}

// with puts list in front of r, if there is anything in it.
func (r *rules) with(base string, list []pattern, fold bool) *rules {
	if len(list) == 0 {
		return r
	}
	return &rules{base: strings.TrimSuffix(base, "/") + "/", list: list, fold: fold, less: r}
}

// ignored decides about full, a slash-separated absolute path whose last element
// starts at name. The last matching line of the nearest file decides.
func (r *rules) ignored(full []byte, name int, dir bool) bool {
	for ; r != nil; r = r.less {
		for i := len(r.list) - 1; i >= 0; i-- {
			p := &r.list[i]
			if p.dirOnly && !dir {
				continue
			}
			text := full[name:]
			if p.anchored {
				text = full[len(r.base):]
			}
			if p.match(text, r.fold) {
				return !p.negate
			}
		}
	}
	return false
}

// leaveOut says whether e, with the path full, is not to be visited. git lists
// what is tracked whatever the rules say, so an ignored directory is entered for
// the tracked files in it.
func (n *node) leaveOut(e *entry, full []byte, name int) bool {
	if !n.excluded && !n.rules.ignored(full, name, e.kind == kindDir) {
		return false
	}
	if n.repo == nil {
		return true
	}
	rel := string(full[len(n.repo.base):])
	if e.kind == kindDir {
		e.excluded = true
		return !n.repo.index().below(rel)
	}
	return !n.repo.index().has(rel)
}

// maxRules is the largest ignore file read, in bytes.
const maxRules = 4 << 20

// patterns loads an ignore file. It may be a link, which git itself has refused
// since 2.32: whoever links one wants it to count, and searching what it hides
// is the worse mistake. A missing, forbidden or odd file has no patterns.
func (g *gitFiles) patterns(name string, fold bool) []pattern {
	return parsePatterns(g.load(name, maxRules), fold)
}

// load reads a regular file of at most limit bytes; nil if there is none. What is
// none, or the kernel's, is not waited for: a repository may hold a link to it.
func (g *gitFiles) load(name string, limit int64) []byte {
	if name == "" || g.refuses(name) {
		return nil
	}
	data, err := durable.ReadFile(name, limit)
	if err != nil {
		return nil
	}
	return data
}

func (g *gitFiles) refuses(name string) bool {
	if g.forbid == nil {
		return false
	}
	real, err := filepath.EvalSymlinks(name)
	return err != nil || g.forbid(name) || g.forbid(real)
}

func exists(name string) (fs.FileInfo, bool) {
	info, err := os.Stat(name)
	return info, err == nil
}
