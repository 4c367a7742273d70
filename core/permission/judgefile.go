package permission

import (
	"path/filepath"
	"slices"
)

// reach is a path that a step may open: as it is named, and with links resolved.
type reach struct{ given, real string }

// reaches returns the paths that name may be in the directories of d; ok is false
// when that is not known.
func (h *hearing) reaches(d dirs, name string) (list []reach, ok bool) {
	name = filepath.ToSlash(name)
	if isAbs(name) {
		return append(h.buffer[:0], h.reach("/", name)), true
	}
	if d.unknown {
		return nil, false
	}
	list = h.buffer[:0]
	for _, dir := range d.names {
		list = append(list, h.reach(dir, name))
	}
	return list, len(list) > 0
}

func (h *hearing) reach(dir, name string) reach {
	given := absolute(dir, name)
	if h.Resolve == nil {
		return reach{given, given}
	}
	return reach{given, h.follow(dir, name)}
}

// names are the two names of a path, or the one.
func (r *reach) names() []string {
	both := [2]string{r.given, r.real}
	if r.given == r.real {
		return both[:1]
	}
	return both[:]
}

// target returns the paths that a redirection opens.
func (h *hearing) target(s *step) (list []reach, ok bool) {
	w := &s.words[0]
	name, ok := w.path(filepath.ToSlash(h.Home))
	if !ok || name == "" || w.dynamic && w.start == 0 {
		return nil, false
	}
	list, ok = h.reaches(s.dirs, name)
	return slices.Clone(list), ok // it outlives the judgement of other words
}

// judgeFile decides about a redirection, as the file tools would about its path.
func (h *hearing) judgeFile(v *verdict, s *step) {
	tool, reading := editTool, s.kind == PartRead
	if reading {
		tool = readTool
	}
	paths, known := h.target(s)
	if known {
		v.Path = paths[0].real
	}
	fallback := h.fallback(h.readOnly || reading && known)
	v.Decision, v.Source = fallback.Decision, fallback.Source
	if !known {
		v.Why = "which file it opens is known at run time only; the sandbox holds it"
	}
	if r, ok := h.opening(s, tool, paths); ok {
		v.Decision, v.Rule, v.Source, v.Why, v.explicit = Allow, r, r.Source, "", true
	}
	h.asked(v, tool, paths, known)
	for _, p := range paths {
		h.guardFile(v, p, reading)
	}
	if !known {
		h.guardUnknown(v, s, reading)
		rules := h.edits
		if reading {
			rules = h.reads
		}
		h.ruled(v, s.dirs, &s.words[0], rules, use{writes: !reading})
	}
	for _, r := range h.Deny {
		if r.speaksOf(tool) && (r.Spec == "" || h.hitsAny(r, paths)) {
			v.raise(Deny, r, r.Source, "")
			v.Rule, v.Source, v.Why, v.explicit, v.Fresh = r, r.Source, "", true, false
			return
		}
		if r.speaksOf(tool) && !known {
			v.raise(Ask, r, r.Source, v.Why)
		}
	}
}

// guardUnknown checks what a redirection may open whose target is not known: what
// the assignments of the script make of it, and what its written part shows.
func (h *hearing) guardUnknown(v *verdict, s *step, reading bool) {
	for _, w := range s.words[0].alternatives() {
		name, ok := w.path(filepath.ToSlash(h.Home))
		if ok && (!w.dynamic || w.start != 0 && !w.glob()) {
			paths, _ := h.mayReach(s.dirs, name)
			for _, p := range paths {
				h.guardFile(v, p, reading)
			}
			if len(paths) == 1 {
				v.Path = paths[0].real
			}
		}
		if reading {
			continue
		}
		if !ok || w.dynamic && w.start == 0 && !w.glob() {
			name = w.pattern
		}
		h.guardShape(v, name, false)
	}
}

// The tools that stand for a redirection.
const (
	editTool = "write_file"
	readTool = "read_file"
)

// opening returns the allow rule for a redirection: one about every command, one
// that says the whole script, or one about the file.
func (h *hearing) opening(s *step, tool string, paths []reach) (Rule, bool) {
	if r, ok := bare(h.allow); ok {
		return r, true
	}
	if h.whole != (Rule{}) && s.limit != byNone {
		return h.whole, true
	}
	for _, r := range h.allow {
		if h.spelled(s, r) {
			return r, true
		}
	}
	for _, r := range h.Allow {
		if familyOf(r.Tool) == noFamily || !r.speaksOf(tool) {
			continue
		}
		if len(paths) > 0 && !slices.ContainsFunc(paths, func(p reach) bool { return r.Spec != "" && !h.matchPath(r, p.real, false) }) {
			return r, true
		}
	}
	return Rule{}, false
}

// asked applies the ask rules about every command and about the file.
func (h *hearing) asked(v *verdict, tool string, paths []reach, known bool) {
	r, hit := bare(h.ask)
	if !hit {
		for _, r = range h.Ask {
			if hit = r.speaksOf(tool) && (r.Spec == "" || h.hitsAny(r, paths)); hit {
				break
			}
			if r.speaksOf(tool) && !known {
				v.raise(Ask, r, r.Source, v.Why)
			}
		}
	}
	if hit {
		v.Decision, v.Rule, v.Source, v.Why, v.explicit = Ask, r, r.Source, "", true
	}
}

func (h *hearing) hitsAny(r Rule, paths []reach) bool {
	return slices.ContainsFunc(paths, func(p reach) bool {
		return h.matchPath(r, p.given, true) || p.real != p.given && h.matchPath(r, p.real, true)
	})
}

// guardFile is what holds for a file without a rule.
func (h *hearing) guardFile(v *verdict, p reach, reading bool) {
	for _, name := range p.names() {
		switch {
		case h.isHidden(name):
			v.raise(Deny, Rule{}, Builtin, whyHidden(name))
		case reading && h.isSecret(name) && !h.namedFile(readTool, p):
			v.fresh(Rule{}, Builtin, whySecret(name))
		case !reading:
			h.guardWritten(v, name, false, false)
		}
	}
	if _, ok := h.protection(p.real); !ok && !reading && h.isOutside(p.real) {
		v.raise(Deny, Rule{}, Builtin, whyOutside(p.real))
	}
}

// guardWritten makes the writing of a protected path a fresh review. whole says
// that all below name goes with it, made that name becomes a directory at most.
func (h *hearing) guardWritten(v *verdict, name string, whole, made bool) {
	places := []string(nil)
	switch place, ok := h.protection(name); {
	case ok && !(made && onlyHolds(name)):
		places = []string{place}
	case whole:
		places = h.protectedBelow(name)
	case !made:
		places = h.protectedHead(name)
	}
	for _, place := range places {
		v.fresh(Rule{}, Builtin, whyProtected(place))
		v.release = append(v.release, place)
	}
}

// namedFile reports whether an allow rule of a file tool names the path.
func (h *hearing) namedFile(tool string, p reach) bool {
	return slices.ContainsFunc(h.Allow, func(r Rule) bool {
		return r.Spec != "" && r.speaksOf(tool) && h.matchPath(r, p.real, false)
	})
}

func compact(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
