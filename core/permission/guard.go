package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// guardWords looks for words of a command that name hidden, secret or protected
// paths.
func (h *hearing) guardWords(v *verdict, s *step) {
	if h.Places.empty() {
		return
	}
	for i := range s.words {
		if w := &s.words[i]; i > 0 || w.dynamic || strings.Contains(w.text, "/") {
			h.guardWord(v, s, w)
		}
	}
	for i := range s.also {
		h.guardWord(v, s, &s.also[i])
	}
	for _, w := range written(s.words) {
		h.guardOperand(v, s, w)
	}
}

// guardWord checks the paths that one word may be.
func (h *hearing) guardWord(v *verdict, s *step, w *word) {
	for i := range w.others {
		h.guardWord(v, s, &w.others[i])
	}
	home := filepath.ToSlash(h.Home)
	name, ok := w.path(home)
	if !ok && w.dynamic && home != "" { // --key=$HOME/.ssh/id
		name = strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(w.text)
		ok = !strings.ContainsAny(name, "$`{")
	}
	if !ok || name == "" {
		return
	}
	if !isOption(*w) || strings.ContainsAny(name, "/\\.") {
		h.guardName(v, s, w, name)
	}
	if at := strings.IndexByte(name, '='); at >= 0 {
		h.guardName(v, s, w, h.expand(strings.TrimLeft(name[at+1:], "@<")))
	}
	if rest := strings.TrimLeft(name, "@<"); rest != name {
		h.guardName(v, s, w, h.expand(rest))
	}
	if rest, ok := strings.CutPrefix(name, "file://"); ok {
		h.guardName(v, s, w, rest)
	}
	if len(name) > 2 && name[0] == '-' && name[1] != '-' { // -I/dir, -d@file
		h.guardName(v, s, w, h.expand(strings.TrimLeft(name[2:], "@=")))
	}
}

// guardName checks one path. A glob is checked against every place it may reach.
func (h *hearing) guardName(v *verdict, s *step, w *word, name string) {
	if name == "" || (h.Resolve == nil || opensNone(s, name)) && !h.near(s.dirs, name) {
		return
	}
	paths, ok := h.reaches(s.dirs, name)
	if !ok {
		return
	}
	glob := w.dynamic && strings.ContainsAny(name, "*?[")
	for _, p := range paths {
		for _, name := range p.names() {
			if glob {
				h.guardGlob(v, name)
				continue
			}
			switch {
			case h.isHidden(name):
				v.raise(Deny, Rule{}, Builtin, whyHidden(name))
			case h.isSecret(name) && !h.namedFile(readTool, p) && !h.namedCommand(s):
				v.fresh(Rule{}, Builtin, whySecret(name))
			}
		}
	}
}

// opensNone reports whether a plain name is no file to its command, so that where a
// link of this name leads does not count: a verb, a number, a text.
func opensNone(s *step, name string) bool {
	if strings.ContainsAny(name, "/\\~") || strings.HasPrefix(name, ".") || len(s.words) == 0 {
		return false
	}
	return digits(name) || oneOf(s.words[0].text, "git go npm pnpm yarn cargo make docker kubectl gh echo printf cd pushd")
}

// near reports whether a plain name in one of the directories of d may be a hidden
// or secret path. It may say so of one that is not.
func (h *hearing) near(d dirs, name string) bool {
	if isAbs(name) || strings.ContainsAny(name, "*?[") || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") || strings.Contains(name, "//") {
		return true
	}
	for _, dir := range d.names {
		for _, places := range [...][]string{h.Places.Hidden, h.Places.Secrets} {
			for _, place := range places {
				place = filepath.ToSlash(place)
				rest, ok := h.below(dir, place)
				if ok && h.starts(name, rest) || dir == "/" || h.within(place, dir) {
					return true
				}
			}
		}
	}
	return false
}

// starts reports whether name is head or lies in it.
func (h *hearing) starts(name, head string) bool {
	return len(name) >= len(head) && h.same(name[:len(head)], head)
}

// guardGlob checks what a glob may match. A hidden file among others is asked
// about, as the glob may mean the others.
func (h *hearing) guardGlob(v *verdict, pattern string) {
	for _, place := range h.Places.Hidden {
		if place = filepath.ToSlash(place); globReaches(pattern, place) {
			v.raise(Ask, Rule{}, Builtin, "it may open "+place+", and "+whyHidden(place))
		}
	}
	for _, place := range h.Places.Secrets {
		if globReaches(pattern, filepath.ToSlash(place)) {
			v.fresh(Rule{}, Builtin, whySecret(filepath.ToSlash(place)))
		}
	}
}

// globReaches reports whether pattern may match place or something below it.
func globReaches(pattern, place string) bool {
	for place != "" {
		want, rest, _ := strings.Cut(strings.TrimPrefix(place, "/"), "/")
		glob, more, left := strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
		if ok, err := path.Match(glob, want); err == nil && !ok && !strings.Contains(glob, "**") {
			return false
		}
		if strings.HasPrefix(want, ".") && strings.HasPrefix(glob, "*") {
			return false
		}
		place, pattern = rest, more
		if !left {
			return place == ""
		}
	}
	return true
}

// namedCommand reports whether an allow rule says just this command.
func (h *hearing) namedCommand(s *step) bool {
	return slices.ContainsFunc(h.allow, func(r Rule) bool {
		return r.Spec != "" && (r.Spec == s.text || !strings.Contains(r.Spec, "*") && s.coveredBy(r))
	})
}

// guardOperand checks a path that a command writes.
func (h *hearing) guardOperand(v *verdict, s *step, o operand) {
	name, ok := o.word.path(filepath.ToSlash(h.Home))
	if !ok || name == "" {
		return
	}
	paths, _ := h.reaches(s.dirs, h.expand(name))
	for _, p := range paths {
		for _, name := range p.names() {
			h.guardWritten(v, strings.TrimSuffix(name, "/*"), o.whole)
		}
		for _, r := range h.Deny {
			if r.Spec != "" && r.speaksOf(editTool) && h.hitsAny(r, []reach{p}) {
				v.raise(Deny, r, r.Source, "")
			}
		}
		for _, r := range h.Ask {
			if r.Spec != "" && r.speaksOf(editTool) && h.hitsAny(r, []reach{p}) {
				v.raise(Ask, r, r.Source, "")
			}
		}
	}
}

// operand is a word that a command writes to. whole says that what lies below goes
// with it.
type operand struct {
	word
	whole bool
}

// written returns the words that well-known commands write to.
func written(words []word) []operand {
	if len(words) < 2 || !writer(base(words[0].text)) {
		return nil
	}
	var list []operand
	operands, flags := split(words[1:])
	all := func(whole bool, from int) {
		for _, w := range operands[min(from, len(operands)):] {
			list = append(list, operand{w, whole})
		}
	}
	switch base(words[0].text) {
	case "rm", "rmdir", "unlink", "shred", "mv":
		all(true, 0)
		if base(words[0].text) == "mv" {
			list = append(list, into(operands, flags)...)
		}
	case "touch", "mkdir", "tee", "truncate", "mkfifo", "mknod":
		all(false, 0)
	case "chmod", "chown", "chgrp":
		all(true, 1)
	case "cp", "ln", "install", "rsync", "link":
		list = into(operands, flags)
	case "dd":
		for _, w := range operands {
			if name, ok := strings.CutPrefix(w.text, "of="); ok {
				list = append(list, operand{word: word{text: name, dynamic: w.dynamic, noPath: w.noPath}})
			}
		}
	case "sed", "perl", "ruby", "gsed":
		if slices.ContainsFunc(flags, inPlace) {
			all(false, 0)
		}
	}
	return list
}

// writer reports whether written knows a program.
func writer(name string) bool {
	switch name {
	case "rm", "rmdir", "unlink", "shred", "mv", "touch", "mkdir", "tee", "truncate", "mkfifo", "mknod", "chmod", "chown", "chgrp",
		"cp", "ln", "install", "rsync", "link", "dd", "sed", "gsed", "perl", "ruby":
		return true
	}
	return false
}

func inPlace(w word) bool {
	return strings.HasPrefix(w.text, "--in-place") || isOption(w) && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "i")
}

// into returns what cp and its kin write: the last operand, and in it the names of
// the others.
func into(operands, flags []word) []operand {
	var to word
	switch at := slices.IndexFunc(flags, func(w word) bool { return strings.HasPrefix(w.text, "--target-directory=") }); {
	case at >= 0:
		to = word{text: strings.TrimPrefix(flags[at].text, "--target-directory=") + "/"}
	case slices.ContainsFunc(flags, func(w word) bool { return w.text == "-t" }) && len(operands) > 0:
		to, operands = operands[0], operands[1:]
		to.text += "/"
	case len(operands) > 0:
		to, operands = operands[len(operands)-1], operands[:len(operands)-1]
	default:
		return nil
	}
	list := []operand{{word: to}}
	for _, from := range operands {
		if !from.dynamic && (len(operands) > 1 || isDirectory(to.text)) {
			in := to
			in.text, in.rest = path.Join(to.text, path.Base(from.text)), path.Join("/", to.rest, path.Base(from.text))
			list = append(list, operand{word: in})
		}
	}
	return list
}

// isDirectory reports whether a name looks like that of a directory.
func isDirectory(name string) bool {
	last := path.Base(name)
	return strings.HasSuffix(name, "/") || strings.HasPrefix(last, ".") && !strings.Contains(strings.TrimLeft(last, "."), ".")
}

// split tells operands from options.
func split(args []word) (operands, flags []word) {
	for i, w := range args {
		if !w.dynamic && w.text == "--" {
			return append(operands, args[i+1:]...), flags
		}
		if isOption(w) && w.text != "-" {
			flags = append(flags, w)
		} else {
			operands = append(operands, w)
		}
	}
	return operands, flags
}
