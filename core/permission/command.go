package permission

import (
	"slices"
	"strings"
)

// chance says whether a rule hits a command.
type chance int

const (
	impossible chance = iota
	possible          // it depends on words made at run time
	certain
)

// hitBy reports whether a deny or ask rule hits a step or what it may start. fold
// says that the file system finds a program by its name in any case.
func (s *step) hitBy(r Rule, fold bool) chance {
	if fold && len(s.words) > 0 && strings.ToLower(s.words[0].text) != s.words[0].text {
		lower := *s
		lower.words = slices.Clone(s.words)
		lower.words[0].text = strings.ToLower(s.words[0].text)
		return max(s.hitBy(r, false), lower.hitBy(r, false))
	}
	if r.Spec == "" || r.Spec == s.text {
		return certain
	}
	best := matchWords(r, s.git, true)
	if s.git == nil || strings.Contains(r.Spec, " -") {
		best = max(best, matchWords(r, s.words, true))
	}
	for _, words := range s.maybe {
		if best == certain {
			break
		}
		best = max(best, matchWords(r, words, true))
	}
	return best
}

// passes reports whether a deny or ask rule is about a command that a step may start of
// which nobody knows that it starts any.
func (s *step) passes(r Rule) bool {
	return slices.ContainsFunc(s.passed, func(words []word) bool {
		if matchWords(r, words, true) == certain {
			return true
		}
		return slices.ContainsFunc(words[0].values, func(program string) bool {
			return matchWords(r, append([]word{{text: program}}, words[1:]...), true) == certain
		})
	})
}

// coveredBy reports whether an allow rule that is not about every command covers
// a step: the program as written, and the words of the rule one by one.
func (s *step) coveredBy(r Rule) bool {
	switch {
	case s.limit == byNone || len(s.words) == 0 && s.limit != byText:
		return false
	case r.Spec == s.text && (!s.reads || s.known) && !s.unsaid:
		return true
	case s.limit == byText:
		return s.spelledBy(r)
	}
	if rest, ok := s.naming(r); ok {
		r = rest
	} else if s.limit == bySetting {
		return false
	}
	if s.reads && (r.Literal || !strings.Contains(r.Spec, "*")) {
		return false
	}
	return covers(r, s.words) || covers(r, s.git)
}

// covers reports whether an allow rule is about words, and says all that runs a
// program.
func covers(r Rule, words []word) bool {
	return matchWords(r, words, false) == certain && r.spelledOut(words)
}

// spelledBy reports whether a rule names both a wrapper and what it starts, as
// xargs grep:* does and xargs:* does not.
func (s *step) spelledBy(r Rule) bool {
	words, prefix := strings.CutSuffix(r.Spec, ":*")
	fields := strings.Fields(words)
	if !prefix || !s.wrapper || s.opaque || s.limit == byNone || strings.Contains(words, "*") || len(fields) < 2 {
		return false
	}
	last := fields[len(fields)-1]
	return !strings.HasPrefix(last, "-") && !wraps(last) && !isShell(last) && matchWords(r, s.words, false) == certain
}

// matchWords compares a rule with the words of a command. strict is for deny and
// ask: there a program is known by its name wherever it lies, options may stand
// before the verb, and words made at run time make the answer uncertain. Otherwise
// such a word matches nothing but a star.
func matchWords(r Rule, words []word, strict bool) chance {
	if len(words) == 0 {
		return impossible
	}
	prefix, isPrefix := strings.CutSuffix(r.Spec, ":*")
	if r.Literal {
		prefix, isPrefix = r.Spec, false
	}
	if !r.Literal && strings.Contains(prefix, "*") {
		if isPrefix {
			prefix += "*"
		}
		return matchGlob(prefix, words, strict)
	}
	if strict {
		return strictly(prefix, words, !isPrefix, false)
	}
	i := 0
	for want := range strings.FieldsSeq(prefix) {
		if i == len(words) || words[i].dynamic || words[i].text != want {
			return impossible
		}
		i++
	}
	return yes(i > 0 && (isPrefix || i == len(words)))
}

// strictly compares the first words of a command with those of a deny or ask
// rule. whole says that no word may follow, partial that the last word of the rule
// is the beginning of one.
func strictly(spec string, words []word, whole, partial bool) chance {
	best, i := certain, 0
	for spec = strings.TrimSpace(spec); spec != ""; {
		want, rest := field(spec)
		spec = rest
		for i > 0 && want[0] != '-' && i < len(words) && !words[i].mayBe(want) && skippable(words, i) {
			i++
		}
		if i == len(words) {
			return impossible
		}
		got := equal(&words[i], want, i == 0, partial && rest == "")
		if got == impossible && i > 0 {
			got = cluster(words[i:], want)
		}
		if best = min(best, got); best == impossible {
			return impossible
		}
		if i++; i == len(words) && words[i-1].splits {
			return possible // the last word may become all that is missing
		}
	}
	if whole && i != len(words) {
		return impossible
	}
	return best
}

// field takes the first word off a spec.
func field(spec string) (first, rest string) {
	end := strings.IndexAny(spec, " \t\n")
	if end < 0 {
		return spec, ""
	}
	return spec[:end], strings.TrimSpace(spec[end:])
}

// equal compares one word with that of a rule, or with the beginning of it.
func equal(w *word, want string, program, partial bool) chance {
	name := w.text
	switch {
	case w.dynamic:
		return min(possible, yes(w.mayBe(want)))
	case program:
		name, want = base(name), base(want)
	}
	return yes(name == want || partial && strings.HasPrefix(name, want))
}

// skippable reports whether the word i is an option before a verb, or its value.
func skippable(words []word, i int) bool {
	if isOption(words[i]) {
		return true
	}
	return i > 1 && isOption(words[i-1]) && !strings.Contains(words[i-1].text, "=")
}

func isOption(w word) bool { return strings.HasPrefix(w.text, "-") }

// cluster compares short options in any order: -fr, -r -f and -rfv are -rf.
func cluster(words []word, want string) chance {
	if len(want) < 2 || want[0] != '-' || want[1] == '-' || !letters(want[1:]) {
		return impossible
	}
	missing, unsure := want[1:], false
	for _, w := range words {
		if w.dynamic {
			unsure = unsure || w.mayBe(want)
			continue
		}
		if w.text == "--" {
			break
		}
		short := isOption(w) && !strings.HasPrefix(w.text, "--")
		missing = strings.Map(func(c rune) rune {
			if short && strings.ContainsRune(w.text[1:], c) || longOption(w.text) == c {
				return -1
			}
			return c
		}, missing)
	}
	switch {
	case missing == "":
		return certain
	case unsure:
		return possible
	}
	return impossible
}

// longOption is the letter of a long option that deny rules are written about.
func longOption(text string) rune {
	switch text {
	case "--recursive":
		return 'r'
	case "--force":
		return 'f'
	}
	return 0
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) })
}

func yes(ok bool) chance {
	if ok {
		return certain
	}
	return impossible
}
