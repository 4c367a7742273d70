package walk

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// gitFiles finds repositories and reads the files in which git keeps rules.
type gitFiles struct {
	home, xdg string
	forbid    func(string) bool
	once      sync.Once
	user      gitConfig
}

// repo is one working tree.
type repo struct {
	base   string // its top directory, slash-separated with a slash at its end
	index  func() *index
	config gitConfig
}

// enter takes note of what a directory's own entries mean: a .git makes it the
// top of a repository, where the rules of directories above do not reach; a
// .gitignore adds rules.
func (g *gitFiles) enter(n *node, entries []entry) {
	for _, e := range entries {
		if e.name == ".git" && e.kind != kindOther {
			if r, base := g.open(n.abs); r != nil {
				n.repo, n.rules, n.excluded = r, base, false
			}
			break
		}
	}
	if n.excluded {
		return
	}
	for _, e := range entries {
		if e.name == ".gitignore" && (e.kind == kindFile || e.kind == kindLink) {
			n.rules = n.rules.with(n.slash, g.patterns(joinDir(n.abs, e.name), n.fold()), n.fold())
			break
		}
	}
}

func (n *node) fold() bool { return n.repo != nil && n.repo.config.ignoreCase }

// above collects what applies to dir from the directories above it: up to the
// top of its repository, or to top outside of one.
func (g *gitFiles) above(dir, top string) (*repo, *rules) {
	chain := parents(dir)
	for i, d := range chain {
		if r, rs := g.open(d); r != nil {
			return r, g.addAll(rs, chain[:i+1], r.config.ignoreCase)
		}
	}
	for i, d := range chain {
		if d == top {
			return nil, g.addAll(nil, chain[:i+1], false)
		}
	}
	return nil, nil
}

// addAll adds the .gitignore files of dirs, which come nearest first.
func (g *gitFiles) addAll(rs *rules, dirs []string, fold bool) *rules {
	for i := len(dirs) - 1; i >= 0; i-- {
		rs = rs.with(filepath.ToSlash(dirs[i]), g.patterns(joinDir(dirs[i], ".gitignore"), fold), fold)
	}
	return rs
}

// parents lists the directories above dir, nearest first.
func parents(dir string) []string {
	var all []string
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		all = append(all, up)
	}
	return all
}

// open returns the repository whose top is dir, with the rules that count least;
// nil if there is none.
func (g *gitFiles) open(dir string) (*repo, *rules) {
	own := g.gitDir(joinDir(dir, ".git"))
	if own == "" {
		return nil, nil
	}
	common := own
	if data := g.load(joinDir(own, "commondir"), 4096); data != nil {
		common = resolve(own, strings.TrimSpace(string(data)))
	}
	g.once.Do(g.readUser)
	conf := g.user
	conf.parse(g.load(joinDir(common, "config"), maxRules))
	r := &repo{base: strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/", config: conf}
	r.index = sync.OnceValue(func() *index { return g.readIndex(own, conf.sha256) })
	var rs *rules
	rs = rs.with(r.base, g.patterns(g.excludesFile(conf, dir), conf.ignoreCase), conf.ignoreCase)
	rs = rs.with(r.base, g.patterns(filepath.Join(common, "info", "exclude"), conf.ignoreCase), conf.ignoreCase)
	return r, rs
}

// readUser reads the user's own configuration; what a repository says counts more.
func (g *gitFiles) readUser() {
	if g.xdg == "" && g.home != "" {
		g.xdg = filepath.Join(g.home, ".config")
	}
	if g.xdg != "" {
		g.user.parse(g.load(filepath.Join(g.xdg, "git", "config"), maxRules))
	}
	if g.home != "" {
		g.user.parse(g.load(filepath.Join(g.home, ".gitconfig"), maxRules))
	}
}

// excludesFile is the user's own ignore file.
func (g *gitFiles) excludesFile(conf gitConfig, dir string) string {
	switch name := conf.excludesFile; {
	case !conf.hasExcludes && g.xdg != "":
		return filepath.Join(g.xdg, "git", "ignore")
	case name == "":
		return ""
	case strings.HasPrefix(name, "~/"):
		if g.home == "" {
			return ""
		}
		return filepath.Join(g.home, name[2:])
	default:
		return resolve(dir, name)
	}
}

// gitDir is what a .git stands for: itself, or for a worktree or submodule the
// directory its file names; "" if it is neither.
func (g *gitFiles) gitDir(name string) string {
	info, ok := exists(name)
	if !ok {
		return ""
	}
	if !info.IsDir() {
		target, ok := bytes.CutPrefix(g.load(name, 4096), []byte("gitdir:"))
		if !ok {
			return ""
		}
		name = resolve(filepath.Dir(name), strings.TrimSpace(string(target)))
	}
	if _, err := os.Lstat(joinDir(name, "HEAD")); err != nil {
		return ""
	}
	return name
}

func resolve(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
