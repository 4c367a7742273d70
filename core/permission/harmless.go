package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// harmlessNames are the variables of which no program takes code, a file or another
// program: what may be set before a command that a rule covers or that only reads.
// Besides, there is LC_ with anything behind it.
const harmlessNames = "LANG TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI " +
	"GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GO111MODULE CGO_ENABLED GOMAXPROCS GOGC GOMEMLIMIT GOTRACEBACK RUST_BACKTRACE " +
	"PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONFAULTHANDLER " +
	"NODE_ENV RAILS_ENV RACK_ENV MIX_ENV SOURCE_DATE_EPOCH DEBIAN_FRONTEND GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS " +
	"GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE"

// harmless reports whether a variable may be set before any command.
func harmless(name string) bool {
	return strings.HasPrefix(name, "LC_") || oneOf(name, harmlessNames)
}

// setBefore is a variable that is set before a command: NAME=value.
type setBefore struct {
	text    string
	dynamic bool
	// free says that no rule needs to name it.
	free bool
}

// sets records that a variable is set before a command. Only a rule that names it
// covers the command, unless it is harmless.
func (s *step) sets(name string, value word) {
	free := harmless(name) && (strings.HasPrefix(name, "GIT_") || !value.madeOf(name) && value.isPlain())
	s.set = append(s.set, setBefore{text: name + "=" + value.text, dynamic: value.dynamic, free: free})
	if !free {
		s.restrict(bySetting, "it sets "+name+" for the command, and only a rule covers it that names that")
	}
}

// isPlain reports whether all that a value may be is no more than a word to every
// program that may take it for something else. What the script does not make is what
// the environment says.
func (w *word) isPlain() bool {
	return (w.dynamic || isPlain(w.text)) && !slices.ContainsFunc(w.values, func(v string) bool { return !isPlain(v) })
}

func isPlain(value string) bool {
	return !strings.ContainsFunc(value, func(c rune) bool {
		return (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) && (c < '0' || '9' < c) && !strings.ContainsRune("_.,:/@+=-", c)
	})
}

// naming takes the variables that a rule names off its spec. ok says that these are
// set before the step, and all others that are set are harmless.
func (s *step) naming(r Rule) (rest Rule, ok bool) {
	if len(s.set) == 0 || r.Literal {
		return r, false
	}
	var named []string
	rest = r
	for {
		first, more := field(strings.TrimSpace(rest.Spec))
		if !isSetting(word{text: first}) || strings.HasPrefix(first, "-") || strings.Contains(first, "*") {
			break
		}
		named, rest.Spec = append(named, first), more
	}
	return rest, s.setsOnly(named)
}

// setsOnly reports whether the variables of named are set before the step, and none
// besides that counts.
func (s *step) setsOnly(named []string) bool {
	isSet := func(text string) bool {
		return slices.ContainsFunc(s.set, func(v setBefore) bool { return !v.dynamic && v.text == text })
	}
	return len(s.set) > 0 && !slices.ContainsFunc(named, func(n string) bool { return !isSet(n) }) &&
		!slices.ContainsFunc(s.set, func(v setBefore) bool { return !v.free && (v.dynamic || !slices.Contains(named, v.text)) })
}

// namedBy reports whether nothing but what is set keeps a rule from covering a step,
// and that it names.
func (s *step) namedBy(r Rule) bool {
	_, ok := s.naming(r)
	return ok && s.limit == bySetting
}

// settings are the words of a rule that look like NAME=value.
func (r Rule) settings() (list []string) {
	for said := range strings.FieldsSeq(strings.TrimSuffix(r.Spec, ":*")) {
		if strings.Contains(said, "=") && !strings.HasPrefix(said, "-") {
			list = append(list, said)
		}
	}
	return list
}

// exports reports whether a declaration gives its variables to programs.
func (a *analysis) exports(n *syntax.DeclClause) bool {
	return n.Variant.Value == "export" || slices.ContainsFunc(n.Args, func(arg *syntax.Assign) bool { return a.declares(arg, 'x') })
}

// declares reports whether an argument of a declaration is, or may be, an option with
// letter.
func (a *analysis) declares(arg *syntax.Assign, letter byte) bool {
	if arg.Name != nil || arg.Value == nil {
		return false
	}
	w := a.word(arg.Value)
	return w.dynamic || strings.HasPrefix(w.text, "-") && strings.IndexByte(w.text, letter) > 0
}

// held adds what the value of a variable may start, for deny and ask rules. A value
// that the script makes in a way that is not followed may start anything.
func (a *analysis) held(s *step, name string, w word) {
	s.maybe = append(s.maybe, slices.DeleteFunc(a.values(w.text), func(words []word) bool { return words[0].dynamic })...)
	for _, value := range w.values {
		s.maybe = append(s.maybe, a.values(value)...)
	}
	if w.madeOf(name) {
		s.obscure("what " + name + " holds is known at run time only")
	}
}

// madeOf reports whether the script makes the value of a variable in a way that is not
// followed, and of more than what the variable was.
func (w *word) madeOf(name string) bool {
	if !w.made {
		return false
	}
	return strings.ContainsAny(strings.NewReplacer("${"+name+"}", "", "$"+name, "").Replace(w.text), "$`")
}
