package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unknownTarget is why nobody can tell which file is written.
const unknownTarget = "which file it writes is known at run time only; the sandbox holds it"

// guardOperand checks a path that a command writes: as strictly as a redirection to
// it.
func (h *hearing) guardOperand(v *verdict, s *step, o operand) {
	if !o.dynamic && (o.text == "" || o.text == "-" || device(o.text) || remote(o.text)) {
		return
	}
	h.ruled(v, s.dirs, &o.word, h.edits, use{writes: true, whole: o.whole || o.leads})
	if o.named {
		return
	}
	for _, w := range o.word.alternatives() {
		o.word = w
		name, ok := w.path(filepath.ToSlash(h.Home))
		if !ok || w.dynamic && w.start == 0 && !w.glob() {
			h.guardShape(v, w.pattern, o.whole)
			v.doubt()
			continue
		}
		paths, known := h.mayReach(s.dirs, h.expand(name))
		for _, p := range paths {
			h.guardOne(v, o, p, w.dynamic && w.glob() || !known)
		}
		if !known || w.dynamic && w.start == 0 {
			h.guardShape(v, name, o.whole)
			v.doubt()
		}
	}
}

// guardOne checks one path that an operand may be.
func (h *hearing) guardOne(v *verdict, o operand, p reach, unsure bool) {
	for _, name := range p.names() {
		switch name = strings.TrimSuffix(name, "/*"); {
		case h.isHidden(name):
			v.raise(Deny, Rule{}, Builtin, whyHidden(name))
		default:
			h.guardWritten(v, name, o.whole || o.into && !h.holds(name, h.root()), o.made)
		}
	}
	// Outside of the writable directories a program's writing is the sandbox's
	// matter: it stops it, and a person may let that one command out.
	if _, ok := h.protection(p.real); !ok && !unsure && !o.leads && h.isOutside(p.real) && v.Decision == Ask && v.Why == "" && v.Rule == (Rule{}) {
		v.Why = whyOutside(p.real)
	}
}

// doubt says of a question that nothing else explains that its target is unknown.
func (v *verdict) doubt() {
	if v.Decision == Ask && v.Why == "" && v.Rule == (Rule{}) {
		v.Why = unknownTarget
	}
}

// alternatives are what a word may be by braces and by assignments, or the word.
func (w *word) alternatives() []word {
	switch {
	case len(w.others) > 0:
		var list []word
		for i := range w.others {
			list = append(list, w.others[i].alternatives()...)
		}
		return list
	case len(w.values) == 0:
		return []word{*w}
	}
	var list []word
	for _, v := range w.values {
		list = append(list, word{text: v, dynamic: strings.ContainsAny(v, "*?[")})
	}
	if w.made {
		list = append(list, word{text: w.text, dynamic: true, noPath: true, pattern: w.pattern})
	}
	return list
}

// glob reports whether a word is known but for the names that a pattern matches.
func (w *word) glob() bool { return !w.noPath && strings.ContainsAny(w.text, "*?[") }

// remote reports whether a target is on another host, as for scp.
func remote(name string) bool {
	host, _, ok := strings.Cut(name, ":")
	return ok && len(host) > 1 && !strings.Contains(host, "/")
}

// mayReach is reaches, and where the directory is not known, from where it may be.
func (h *hearing) mayReach(d dirs, name string) (list []reach, known bool) {
	list, known = h.reaches(d, name)
	if !known {
		for _, dir := range d.names {
			list = append(list, h.reach(dir, filepath.ToSlash(name)))
		}
	}
	return slices.Clone(list), known
}

// guardShape makes the writing of a path a fresh review of which only a part is
// known, where that part is one of a protected path: $X/.envrc, .git/$X, and .envrc in
// a directory that nobody knows. whole says that all below goes with it.
func (h *hearing) guardShape(v *verdict, pattern string, whole bool) {
	elements := strings.Split(path.Clean("/"+pattern), "/")[1:]
	for _, name := range h.Places.Names {
		if h.shaped(elements, name, whole) {
			v.fresh(Rule{}, Builtin, whyMayBe(name))
		}
	}
	for _, place := range h.Places.Protected {
		place = filepath.ToSlash(place)
		if last := path.Base(place); strings.HasPrefix(last, ".") && h.shaped(elements, last, whole) {
			v.fresh(Rule{}, Builtin, whyMayBe(place))
			v.release = append(v.release, place)
		}
	}
}

func whyMayBe(name string) string {
	return "it may write " + name + ", which can run or allow things later, so it is asked every time"
}

// shaped reports whether the elements of a path may be those of name, one of which at
// least is written. What is behind them does not matter, and what is before them
// where it is not known.
func (h *hearing) shaped(elements []string, name string, whole bool) bool {
	want := strings.Split(name, "/")
	for from := range elements {
		for skip := range want {
			if skip > 0 && from > 0 && !strings.ContainsAny(elements[from-1], "*?[") {
				break // what is before it is known, and another
			}
			if h.matches(elements[from:], want[skip:], whole) {
				return true
			}
		}
	}
	return false
}

// matches reports whether elements begin with want, or with the beginning of it
// before what is not known. An element that is a pattern counts where its first two
// characters are written, or the element before it is one of want.
func (h *hearing) matches(elements, want []string, whole bool) bool {
	said := 0
	for i, name := range want {
		if i == len(elements) {
			return whole && said > 0
		}
		switch e := elements[i]; {
		case h.same(e, name):
			said++
		case e == "*":
			return said > 0
		case strings.ContainsAny(e, "*?[") && strings.IndexAny(e, "*?[") >= max(1, 2-said):
			if ok, err := path.Match(e, name); err != nil || !ok {
				return false
			}
			said++
		default:
			return false
		}
	}
	return said > 0
}
