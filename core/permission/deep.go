package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// deep says what a command reads the content of besides the files that it names: all
// that lies below directories that are among words, and, where here is set, below the
// one it is in. open says that it leaves out names that begin with a dot.
type deep struct {
	words []word
	here  bool
	open  bool
}

// walked is the table of programs that read all that lies below directories.
func walked(words []word) deep {
	if len(words) < 2 || words[0].dynamic {
		return deep{}
	}
	args := words[1:]
	switch name := base(words[0].text); name {
	case "grep", "egrep", "fgrep":
		if flagged("rRd", "--recursive", "--dereference-recursive", "--directories")(args) {
			return searched(args, "ABCmefdD")
		}
	case "rg", "ag", "ack":
		d := searched(args, "ABCmgtTefjMErd")
		d.open = name != "ack" && !flagged("u.g", "--hidden", "--unrestricted", "--glob", "--iglob")(args)
		return d
	case "git":
		switch g := readGit(words); {
		case g.verb() == "grep":
			return searched(g.args(), "ABCmefO")
		case g.verb() == "diff" && slices.ContainsFunc(args, func(w word) bool { return w.text == "--no-index" }):
			return deep{words: g.args()}
		}
	case "diff", "7z", "7za":
		return deep{words: args}
	case "find":
		if !findReads(args) {
			roots := args
			for len(roots) > 0 && oneOf(roots[0].text, "-H -L -P") {
				roots = roots[1:]
			}
			end := slices.IndexFunc(roots, func(w word) bool { return isOption(w) || oneOf(w.text, "( !") })
			return deep{words: roots[:max(0, end)], here: end == 0}
		}
	case "zip":
		if flagged("rR", "--recurse-paths", "--recurse-patterns")(args) {
			return deep{words: args}
		}
	case "tar", "gtar", "bsdtar":
		if !(!isOption(args[0]) && strings.ContainsAny(args[0].text, "xt")) && !flagged("xt", "--extract", "--get", "--list")(args) {
			return deep{words: args}
		}
	case "cp", "install", "scp":
		if flagged("rRa", "--recursive", "--archive")(args) {
			return deep{words: copied(name, args)}
		}
	case "rsync", "ditto", "mv":
		return deep{words: copied(name, args)}
	}
	return deep{}
}

// copied are the arguments but for the last one, which is what they are copied to, where
// no option says another.
func copied(program string, args []word) []word {
	if oneOf(program, "cp mv install") && flagged("t", "--target-directory")(args) {
		return args
	}
	return args[:len(args)-1]
}

// searched is what a search reads: its operands but for the first, which is what it looks
// for where no option says that, or else the directory it is in. The short options of
// valued take a value.
func searched(args []word, valued string) deep {
	given, rest := false, []word(nil)
	for i := 0; i < len(args); i++ {
		w := &args[i]
		switch {
		case !w.dynamic && w.text == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case !isOption(*w) || w.text == "-":
			rest = append(rest, *w)
		case w.text[1] != '-':
			given = given || strings.ContainsAny(w.text[1:], "ef")
			if strings.IndexByte(valued, w.text[len(w.text)-1]) >= 0 {
				i++
			}
		case oneOf(w.text, "--regexp --file"):
			given = true
			i++
		case strings.HasPrefix(w.text, "--regexp=") || strings.HasPrefix(w.text, "--file="):
			given = true
		case oneOf(w.text, "--glob --iglob --type --type-not --include --exclude --exclude-dir --max-count --context --before-context --after-context --max-depth --threads --color --colors --sort --sortr --encoding --replace --ignore-file"):
			i++
		}
	}
	if !given {
		rest = rest[min(1, len(rest)):]
	}
	return deep{words: rest, here: len(rest) == 0}
}

// guardDeep looks for hidden and secret places below what a command reads as a whole.
// That secrets are read is a fresh review; what is hidden a command may well not reach.
func (h *hearing) guardDeep(v *verdict, s *step) {
	if len(h.Places.Hidden)+len(h.Places.Secrets) == 0 {
		return
	}
	h.guardTree(v, s, walked(s.words))
	for _, words := range s.maybe {
		h.guardTree(v, s, walked(words))
	}
}

func (h *hearing) guardTree(v *verdict, s *step, d deep) {
	if d.here {
		h.guardBelow(v, s, &word{text: "."})
	}
	for i := range d.words {
		for _, w := range d.words[i].alternatives() {
			h.guardBelow(v, s, &w)
		}
	}
}

func (h *hearing) guardBelow(v *verdict, s *step, w *word) {
	name, ok := w.path(filepath.ToSlash(h.Home))
	if !ok || name == "" {
		return
	}
	paths, _ := h.mayReach(s.dirs, h.expand(name))
	for _, p := range paths {
		for _, name := range p.names() {
			for _, place := range h.Places.Hidden {
				if place = filepath.ToSlash(place); h.holds(name, place) {
					v.raise(Ask, Rule{}, Builtin, "it may open "+place+", and "+whyHidden(place))
				}
			}
			for _, place := range h.Places.Secrets {
				if place = filepath.ToSlash(place); h.holds(name, place) && !h.namedCommand(s) {
					v.fresh(Rule{}, Builtin, whySecret(place))
				}
			}
		}
	}
}

// hiddenBelow reports whether spec is about names below name alone that begin with a dot,
// or lie in such a directory.
func hiddenBelow(name, spec string) bool {
	below, want := elements(name), elements(spec)
	for i, w := range want {
		known := i < len(below) && !strings.ContainsAny(strings.Join(want[:i+1], ""), "*?[{")
		if !known && strings.HasPrefix(w, ".") && w != "." && w != ".." {
			return true
		}
	}
	return false
}

// mayHold reports whether the absolute name may be a directory with a path below it
// that spec is about. Where only a pattern says so, what has an extension is a file.
func mayHold(name, spec string) bool {
	below, want := elements(name), elements(spec)
	for i, w := range want {
		switch {
		case i == len(below) || below[i] == "": // spec begins with it; the root
			return true
		case strings.ContainsAny(w, "*?[{"): // in a deny rule it crosses directories
			return path.Ext(strings.TrimLeft(path.Base(name), ".")) == ""
		case !mayEqual(below[i], w):
			return false
		}
	}
	return false
}
