package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// gitReaders are the verbs of git that only read, whatever their options are
// besides those that gitReads refuses.
const gitReaders = "status log diff show rev-parse rev-list ls-files ls-tree cat-file blame annotate describe shortlog merge-base name-rev for-each-ref show-ref grep " +
	"diff-tree diff-index diff-files count-objects check-ignore check-attr whatchanged cherry range-diff version"

// gitListers are verbs that only read in some of their uses.
const gitListers = "branch and tag when they list, remote (-v, get-url), stash (list, show), reflog (show), worktree list, submodule status, notes (list, show), config (get, list), symbolic-ref of one name"

func gitNote() string {
	return "in a known repository, " + gitReaders + ", without --output, --ext-diff, -O, --textconv and --filters; " + gitListers
}

// gitReads accepts the uses of git that only read.
func gitReads(args []word) bool {
	g := readGit(append([]word{{text: "git"}}, args...))
	if !g.ok || g.elsewhere {
		return false
	}
	if len(g.words) == 1 {
		return slices.ContainsFunc(args, func(w word) bool { return w.text == "--version" })
	}
	rest := g.args()
	if !all(rest, func(w word) bool { return !w.dynamic || !mayBegin(&w, "-") }) {
		return false
	}
	verb := g.verb()
	if oneOf(verb, gitReaders) {
		return true // but for the options that onlyReads refuses
	}
	return gitLists(verb, rest)
}

// gitSearches reports whether a git command may print files that its words do not
// name: grep, and diff, which compares two directories where one is outside.
func gitSearches(args []word) bool {
	g := readGit(append([]word{{text: "git"}}, args...))
	return oneOf(g.verb(), "grep diff")
}

// gitOperands are the operands of such a command behind its verb, and how many it
// has where it does not search the directory that it is in.
func gitOperands(words []word) (operands []word, needs int) {
	g := readGit(words)
	operands, _ = split(g.args())
	if g.verb() == "grep" {
		needs = 2
	}
	return operands, needs
}

// inRepository reports whether a git command works on a repository that is known, and
// goes into no other. Any other directory may be one itself, or lie in one, whose
// configuration nobody has looked at, and in which a setting starts programs.
func (h *hearing) inRepository(s *step) bool {
	at := h.gitAt(s)
	if at.unknown || len(at.names) == 0 {
		return false
	}
	g := readGit(s.words)
	for _, dir := range at.names {
		top, ok := h.repositoryOf(dir)
		if !ok || g.entersOthers() && (h.Nested == nil || h.Nested(filepath.FromSlash(top))) {
			return false
		}
	}
	return true
}

const whyOtherRepository = "git only reads for sure in the repository of this workspace, whose configuration is protected: elsewhere that may start programs"

// repositoryOf returns the top of the repository that git finds in dir, if it is known
// and still the one when the command runs: nothing in the script can have made another
// by then.
func (h *hearing) repositoryOf(dir string) (top string, ok bool) {
	if h.Repository == nil {
		return dir, h.isRepository(dir)
	}
	top = filepath.ToSlash(h.Repository(filepath.FromSlash(dir)))
	switch {
	case top == "" || !h.isRepository(top) && !h.same(top, path.Clean(h.root())) && !h.same(top, h.realRoot()):
		return "", false
	case h.same(top, dir) || h.same(top, h.resolve(dir)):
		return top, !h.unmakes(top)
	}
	return top, h.isQuiet()
}

// isRepository reports whether dir is the top of a repository that is protected.
func (h *hearing) isRepository(dir string) bool {
	known := func(name string) bool {
		return slices.ContainsFunc(h.Places.Protected, func(place string) bool { return h.same(filepath.ToSlash(place), name) })
	}
	return known(path.Join(dir, ".git")) || known(path.Join(dir, ".git/config"))
}

// entersOthers reports whether a git command may go into the repositories that lie in
// the one it works on.
func (g *gitCall) entersOthers() bool {
	if !oneOf(g.verb(), "rev-parse rev-list ls-tree ls-files cat-file blame annotate shortlog merge-base name-rev for-each-ref show-ref count-objects check-ignore check-attr version branch tag remote worktree notes config symbolic-ref grep log reflog cherry") {
		return g.verb() != "" || len(g.words) > 1
	}
	return slices.ContainsFunc(g.args(), func(w word) bool { // log and grep do so when they are told to
		return w.dynamic || strings.HasPrefix(w.text, "--su") || strings.HasPrefix(w.text, "--rec")
	})
}

// unmakes reports whether a step of the script may make git take something else for
// the repository at top: what it writes may be in .git there, or around it.
func (h *hearing) unmakes(top string) bool {
	dot := path.Join(top, ".git")
	near := func(s *step, w *word) bool {
		for _, w := range w.alternatives() {
			name, ok := w.path(filepath.ToSlash(h.Home))
			if !ok || w.dynamic && w.start == 0 {
				return true
			}
			paths, known := h.mayReach(s.dirs, h.expand(name))
			if !known || slices.ContainsFunc(paths, func(p reach) bool { return h.within(dot, p.real) || h.within(p.real, dot) }) {
				return true
			}
		}
		return false
	}
	for i := range h.script.steps {
		s := &h.script.steps[i]
		switch s.kind {
		case PartWrite:
			if len(s.words) == 1 && near(s, &s.words[0]) {
				return true
			}
		case PartCommand:
			if slices.ContainsFunc(written(s.words), func(o operand) bool { return near(s, &o.word) }) {
				return true
			}
		}
	}
	return false
}

// isQuiet reports whether no step of the script can write a file.
func (h *hearing) isQuiet() bool {
	return !slices.ContainsFunc(h.script.steps, func(s step) bool {
		switch s.kind {
		case PartCommand:
			return !s.free && !(s.inert && s.limit == byPattern) && !h.reading(&s)
		case PartWrite:
			return len(s.words) != 1 || s.words[0].dynamic || !device(s.words[0].text)
		}
		return false
	})
}

// gitAt are the directories in which a git command works.
func (h *hearing) gitAt(s *step) dirs {
	at := s.dirs
	for _, w := range readGitDirs(s.words) {
		if name, ok := w.path(filepath.ToSlash(h.Home)); ok && (!w.dynamic || w.start != 0) {
			at = h.change(at, name)
		} else {
			at = dirs{unknown: true}
		}
	}
	return at
}

// change is where a program gets that changes its directory to name. Unlike a shell
// it follows the links before a "..".
func (h *hearing) change(at dirs, name string) dirs {
	down := name
	for down == ".." || strings.HasPrefix(down, "../") {
		down = strings.TrimPrefix(down[2:], "/")
	}
	switch {
	case slices.Contains(strings.Split(down, "/"), ".."):
		return dirs{unknown: true}
	case len(down) == len(name) || h.Resolve == nil:
		return at.enter(name)
	}
	to := dirs{unknown: at.unknown}
	for _, dir := range at.names {
		to = to.or(dirs{names: []string{path.Join(h.resolve(dir), name)}, unknown: at.unknown})
	}
	return to
}

// readGitDirs are the values of -C of a git command.
func readGitDirs(words []word) []word {
	if len(words) < 3 || words[0].dynamic || base(words[0].text) != "git" || !isOption(words[1]) {
		return nil
	}
	g := readGit(words)
	return g.dirs
}

// moved is a git command with -C as it is in the directory that this names, nil
// for any other.
func (h *hearing) moved(s *step) *step {
	if len(readGitDirs(s.words)) == 0 {
		return nil
	}
	g := readGit(s.words)
	there := *s
	there.words, there.dirs, there.also = g.words, h.gitAt(s), nil
	return &there
}

// gitLists accepts the verbs that read in some of their uses.
func gitLists(verb string, args []word) bool {
	operands, flags := split(args)
	first := "" // an option before the verb may take it for its value
	if len(args) > 0 {
		first = args[0].text
	}
	none := len(args) == 0
	switch verb {
	case "branch":
		return listing(args, "-a -r -v -vv -i --all --remotes --verbose --show-current --ignore-case --color --no-color --column --no-column --no-abbrev", "-l --list", "--contains --no-contains --merged --no-merged --points-at --sort --format --color --column --abbrev")
	case "tag":
		return listing(args, "-i --ignore-case --color --column --no-column", "-l --list -n", "--contains --no-contains --merged --no-merged --points-at --sort --format --color --column")
	case "remote":
		return none || len(operands) == 0 && all(flags, func(w word) bool { return w.text == "-v" || w.text == "--verbose" }) || first == "get-url"
	case "stash":
		return first == "list" || first == "show"
	case "reflog":
		return none || first == "show" || len(operands) == 0 && all(flags, func(w word) bool { return strings.Trim(w.text, "-0123456789") == "" })
	case "worktree", "notes":
		return first == "list" || verb == "notes" && (first == "show" || none)
	case "submodule":
		return none || first == "status"
	case "symbolic-ref":
		return len(operands) == 1 && all(flags, func(w word) bool { return oneOf(w.text, "-q --quiet --short") })
	case "config":
		which, _ := configWrite(args)
		return which == noConfiguration && !none
	}
	return false
}

// listing accepts options that print names. Without one of list, a name among the
// arguments is made, not looked for.
func listing(args []word, plain, list, valued string) bool {
	lists, operands := false, 0
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i].text, "=")
		switch {
		case !isOption(args[i]):
			operands++
		case oneOf(name, list):
			lists = true
		case oneOf(name, valued):
			lists = lists || !oneOf(name, "--sort --format --color --column --abbrev")
			if !joined && oneOf(name, "--points-at --sort --format") {
				i++
			}
		case !oneOf(name, plain):
			return false
		}
	}
	return operands == 0 || lists
}
