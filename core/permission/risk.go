package permission

import (
	"slices"
	"strings"
)

// risk is a word of a command that does more than the command is for: which, and
// what it does. The zero risk is none.
type risk struct {
	at  int // in the words; 0 is none
	why string
}

// effectsIn returns the effects of the options of a command, and where its
// arguments begin: behind the verb of git.
func effectsIn(words []word) (e effects, from int) {
	program := base(words[0].text)
	if program != "git" {
		return effectsOf(program, ""), 1
	}
	g := readGit(words)
	return gitEffects(g.verb()), len(words) - len(g.args())
}

// risks calls yield for the words of a command that run a program, or that may
// become one at run time.
func risks(words []word, yield func(risk) bool) {
	if len(words) < 2 || words[0].dynamic {
		return
	}
	program := base(words[0].text)
	e, from := effectsIn(words)
	if program == "git" && startsAlways(words[max(1, from-1)].text) && !yield(risk{max(1, from-1), startsAnother}) {
		return
	}
	ended := false
	for i := from; i < len(words); i++ {
		w := words[i]
		ended = ended || !w.dynamic && w.text == "--" && program != "go"
		if i == 1 && strings.HasSuffix(program, "tar") && !isOption(w) {
			w.text = "-" + w.text // tar xzf
		}
		why := e.risk(program, &w, ended)
		if why == "" && valueRuns(program, words[i-1].text, &w) {
			why = words[i-1].text + " starts a program or writes a file with " + w.text
		}
		if why == "" && program == "git" && !isOption(w) && words[from-1].text == "merge-index" {
			why = startsAnother
		}
		if why != "" && !yield(risk{i, why}) {
			return
		}
	}
}

// risk says what is wrong with one argument. ended says that no option follows.
func (e *effects) risk(program string, w *word, ended bool) string {
	for i := range w.others {
		if why := e.risk(program, &w.others[i], ended); why != "" {
			return why
		}
	}
	switch {
	case harmlessProperty(program, w):
	case !ended && (e.among(e.runs, w) || e.among(e.marks, w)) || e.besides(program, w.text):
		name, _, _ := strings.Cut(w.text, "=")
		return name + " starts a program or writes a file, so only a rule covers it that spells it out"
	case w.made && e.remotes && len(w.others) == 0 && !strings.ContainsAny(w.pattern[:max(0, strings.IndexAny(w.pattern, "*?["))], "/:."):
		return w.text + " may become a remote that a program serves"
	case w.made && e.runs != "" && mayBegin(w, "-") && len(w.others) == 0:
		return w.text + " may become an option that starts a program"
	case slices.ContainsFunc(w.values, func(v string) bool { return e.runsAny(program, v) }):
		return w.text + " becomes an option that starts a program"
	}
	return ""
}

// runsAny reports whether one of the words in a value runs something.
func (e *effects) runsAny(program, value string) bool {
	before := ""
	for text := range strings.FieldsSeq(value) {
		w := word{text: text}
		switch {
		case harmlessProperty(program, &w):
		case e.among(e.runs, &w), e.among(e.marks, &w), e.besides(program, text), valueRuns(program, before, &w):
			return true
		}
		before = text
	}
	return false
}

// remoteHelper reports whether a remote is one that a program serves (ext::sh -c).
func remoteHelper(text string) bool {
	name, _, found := strings.Cut(text, "::")
	return found && name != "" && !strings.ContainsAny(name, "/:.[{")
}

// spelledOut reports whether a rule of an allow list that matches words says each of
// them that runs a program.
func (r Rule) spelledOut(words []word) bool {
	prefix, isPrefix := strings.CutSuffix(r.Spec, ":*")
	if !isPrefix && (r.Literal || !strings.Contains(r.Spec, "*")) {
		return true
	}
	fields := strings.Fields(prefix)
	starred := strings.Contains(prefix, "*")
	ok := true
	risks(words, func(k risk) bool {
		if !starred {
			ok = k.at < len(fields)
			return ok
		}
		name, _, _ := strings.Cut(words[k.at].text, "=")
		ok = slices.ContainsFunc(fields, func(field string) bool {
			said, _, _ := strings.Cut(field, "=")
			return said == name
		})
		return ok
	})
	return ok
}

// firstRisk is the first word of a command that runs a program.
func firstRisk(words []word) (first risk) {
	risks(words, func(k risk) bool {
		first = k
		return false
	})
	return first
}
