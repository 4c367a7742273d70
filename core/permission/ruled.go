package permission

import (
	"path"
	"path/filepath"
	"strings"
)

// use is how a command uses a path. whole says that what lies below a directory
// goes with it, walks that it is read, and open that names with a dot in front are left
// out.
type use struct{ writes, whole, walks, open bool }

// ruling is a deny or an ask rule about files.
type ruling struct {
	Rule
	denies bool
}

// rulings are the rules with a pattern that speak of tool.
func (p *Policy) rulings(tool string) (list []ruling) {
	for i, rules := range [...][]Rule{p.Deny, p.Ask} {
		for _, r := range rules {
			if r.Spec != "" && r.speaksOf(tool) {
				list = append(list, ruling{r, i == 0})
			}
		}
	}
	return list
}

// guardReads applies the rules about reading to the words of a command that may
// name files.
func (h *hearing) guardReads(v *verdict, s *step) {
	if len(h.reads) == 0 {
		return
	}
	how := use{whole: searches(s.words)}
	for i := range s.words {
		w := &s.words[i]
		if i == 0 && !w.dynamic && !strings.Contains(w.text, "/") || i > 0 && s.verbal(i) {
			continue
		}
		h.readWord(v, s, w, how)
	}
	for i := range s.also {
		h.readWord(v, s, &s.also[i], how)
	}
	h.readTree(v, s, walked(s.words))
	for _, words := range s.maybe { // sudo tar
		h.readTree(v, s, walked(words))
	}
}

// readTree applies the rules to all that a command reads below directories.
func (h *hearing) readTree(v *verdict, s *step, d deep) {
	how := use{whole: true, walks: true, open: d.open}
	if d.here {
		h.ruled(v, s.dirs, &word{text: "."}, h.reads, how)
	}
	for i := range d.words {
		h.readWord(v, s, &d.words[i], how)
	}
}

// readWord applies the rules to a word and to what it holds behind an option.
func (h *hearing) readWord(v *verdict, s *step, w *word, how use) {
	if !isOption(*w) {
		h.ruled(v, s.dirs, w, h.reads, how)
	}
	if w.dynamic {
		if text, ok := h.standing(s, w.text); ok {
			w = &word{text: text}
			h.ruled(v, s.dirs, w, h.reads, how)
		}
	}
	if w.dynamic && w.noPath {
		return
	}
	git := len(s.words) > 0 && base(s.words[0].text) == "git"
	for _, text := range behind(w.text) {
		one := word{text: h.expand(text), dynamic: w.dynamic}
		h.ruled(v, s.dirs, &one, h.reads, how)
		if git { // a path in a commit starts at the top
			h.ruled(v, dirs{names: []string{h.root()}}, &one, h.reads, how)
		}
	}
}

// behind are the paths that a word holds behind something else: --key=x, @x,
// HEAD:x, -Ix.
func behind(text string) (list []string) {
	for i := 0; i < len(text) && len(list) < maxValues; i++ {
		if strings.IndexByte("=:@<", text[i]) >= 0 && i+1 < len(text) {
			list = append(list, strings.TrimPrefix(text[i+1:], "//"))
		}
	}
	if len(text) > 2 && text[0] == '-' && text[1] != '-' {
		list = append(list, text[2:])
	}
	if rest, ok := strings.CutPrefix(text, "file://"); ok {
		list = append(list, rest)
	}
	return list
}

// verbal reports whether the word i is a verb or a text, and no file: the test of
// go test.
func (s *step) verbal(i int) bool {
	w := &s.words[i]
	if w.dynamic || strings.ContainsAny(w.text, "/\\~.:=") {
		return false
	}
	switch base(s.words[0].text) {
	case "echo", "printf", "go", "npm", "pnpm", "yarn", "bun", "cargo", "make", "docker", "kubectl", "gh":
		return true
	case "git":
		g := readGit(s.words)
		verb := len(s.words) - len(g.args()) - 1
		return i == verb || i > verb && oneOf(g.verb(), "branch checkout switch merge rebase push pull fetch remote tag stash config commit worktree cherry-pick revert reset")
	}
	return digits(w.text)
}

// searches reports whether a command reads or takes all that lies below a
// directory that it names.
func searches(words []word) bool {
	if len(words) == 0 {
		return false
	}
	switch base(words[0].text) {
	case "cp", "mv", "rsync", "scp", "tar", "zip", "7z", "rg", "ag", "ack", "diff", "find":
		return true
	case "grep", "egrep", "fgrep":
		return flagged("rRd", "--recursive", "--dereference-recursive", "--directories")(words[1:])
	}
	return false
}

// ruled applies rules about files to a word that names what a command opens. One
// that may be a denied path is a fresh review.
func (h *hearing) ruled(v *verdict, at dirs, w *word, rules []ruling, how use) {
	if len(rules) == 0 {
		return
	}
	for i := range w.others {
		h.ruled(v, at, &w.others[i], rules, how)
	}
	if len(w.others) > 0 {
		return
	}
	for _, value := range w.values {
		h.ruledName(v, at, value, rules, how)
	}
	if len(w.values) > 0 && w.listed {
		return
	}
	name, ok := w.path(filepath.ToSlash(h.Home))
	if ok {
		ok = name == "" || h.ruledName(v, at, h.expand(filepath.ToSlash(name)), rules, how)
	}
	if ok || !how.writes {
		return
	}
	for _, r := range rules {
		if r.denies {
			h.doubt(v, r.Rule, unknownTarget)
		} else {
			v.raise(Ask, r.Rule, r.Source, unknownTarget)
		}
	}
}

// ruledName applies rules to one path. It reports whether it is known where that
// is.
func (h *hearing) ruledName(v *verdict, at dirs, name string, rules []ruling, how use) bool {
	paths, ok := h.mayReach(at, name)
	for _, p := range paths {
		for _, r := range rules {
			switch hit := h.hitsAny(r.Rule, []reach{p}); {
			case hit && r.denies:
				v.raise(Deny, r.Rule, r.Source, "")
			case hit:
				v.raise(Ask, r.Rule, r.Source, "")
			case !h.mayMatch(r.Rule, p, how):
			case r.denies:
				h.doubt(v, r.Rule, name+" may reach what a rule denies")
			default:
				v.raise(Ask, r.Rule, r.Source, name+" may reach what a rule is about")
			}
		}
	}
	return ok
}

// mayMatch reports whether a path is a glob that may match what a rule is about,
// or a directory that is written as a whole and in which that lies.
func (h *hearing) mayMatch(r Rule, p reach, how use) bool {
	spec := absolute(h.root(), strings.TrimPrefix(h.expand(filepath.ToSlash(r.Spec)), "./"))
	for _, name := range p.names() {
		if h.FoldCase {
			name, spec = strings.ToLower(name), strings.ToLower(spec)
		}
		if strings.ContainsAny(name, "*?[") {
			if globsMeet(elements(name), elements(spec), how.whole) {
				return true
			}
			continue
		}
		head := spec
		if i := strings.IndexAny(spec, "*?[{"); i >= 0 {
			head = path.Dir(spec[:i] + "x")
		}
		if how.walks && mayHold(name, spec) && !(how.open && hiddenBelow(name, spec)) {
			return true
		}
		if how.writes && how.whole && (h.holds(name, head) || head == name) {
			return true
		}
	}
	return false
}

func elements(name string) []string { return strings.Split(strings.Trim(name, "/"), "/") }

// globsMeet reports whether there may be a path that both globs match; whole is
// whether one below what the first matches counts. It may say so where there is
// none.
func globsMeet(name, spec []string, whole bool) bool {
	for len(name) > 0 && len(spec) > 0 {
		switch {
		case spec[0] == "**" && len(spec) == 1, name[0] == "**":
			return true
		case spec[0] == "**":
			for i := range name {
				if globsMeet(name[i:], spec[1:], false) {
					return true
				}
			}
			return false
		case !mayEqual(name[0], spec[0]):
			return false
		}
		name, spec = name[1:], spec[1:]
	}
	return len(name) == 0 && (len(spec) == 0 || whole)
}

// mayEqual reports whether two elements of globs may match the same name.
func mayEqual(a, b string) bool {
	headA, tailA, globA := ends(a)
	headB, tailB, globB := ends(b)
	switch {
	case !globA && !globB:
		return a == b
	case globA && headA == "" && strings.HasPrefix(headB, "."):
		return false // no glob of a shell matches a leading dot
	case !globA:
		return len(a) >= len(headB)+len(tailB) && strings.HasPrefix(a, headB) && strings.HasSuffix(a, tailB)
	case !globB:
		return len(b) >= len(headA)+len(tailA) && strings.HasPrefix(b, headA) && strings.HasSuffix(b, tailA)
	}
	return (strings.HasPrefix(headA, headB) || strings.HasPrefix(headB, headA)) && (strings.HasSuffix(tailA, tailB) || strings.HasSuffix(tailB, tailA))
}

// ends returns what an element begins and ends with that is no pattern.
func ends(s string) (head, tail string, glob bool) {
	i := strings.IndexAny(s, "*?[{")
	if i < 0 {
		return s, s, false
	}
	return s[:i], s[strings.LastIndexAny(s, "*?]}")+1:], true
}
