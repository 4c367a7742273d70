package permission

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// guardWords looks for words of a command that name hidden, secret or protected
// paths.
func (h *hearing) guardWords(v *verdict, s *step) {
	if there := h.moved(s); there != nil {
		h.guardWords(v, there)
	}
	h.guardReads(v, s)
	if h.Places.empty() && len(h.edits) == 0 {
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
	h.guardDeep(v, s)
	h.guardNamed(v, s)
	for _, w := range written(s.words) {
		h.guardOperand(v, s, w)
	}
	for _, words := range s.maybe { // sudo cp, busybox rm
		for _, w := range written(words) {
			h.guardOperand(v, s, w)
		}
	}
	for _, w := range s.patched {
		if place, ok := h.protection(absolute(cmp.Or(s.dirs.first(), h.dir), w.text)); ok {
			v.fresh(Rule{}, Builtin, whyProtected(place))
			v.release = append(v.release, place)
		}
	}
}

// guardWord checks the paths that one word may be.
func (h *hearing) guardWord(v *verdict, s *step, w *word) {
	for i := range w.others {
		h.guardWord(v, s, &w.others[i])
	}
	for _, value := range w.values {
		h.guardWord(v, s, &word{text: value})
	}
	home := filepath.ToSlash(h.Home)
	name, ok := w.path(home)
	if !ok && w.dynamic { // --key=$HOME/.ssh/id
		name, ok = h.standing(s, w.text)
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

// standing puts what HOME and PWD stand for into a text in which nothing else is made at
// run time.
func (h *hearing) standing(s *step, text string) (string, bool) {
	home, at := filepath.ToSlash(h.Home), s.dirs.first()
	if home != "" {
		text = strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(text)
	}
	if at != "" && !s.dirs.unknown {
		text = strings.NewReplacer("${PWD}", at, "$PWD", at, "$(pwd)", at, "`pwd`", at).Replace(text)
	}
	return text, !strings.ContainsAny(text, "$`{")
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
