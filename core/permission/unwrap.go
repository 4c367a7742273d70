package permission

import (
	"slices"
	"strings"
)

// options says how a wrapper reads its own options, so that what it starts is
// found. An option in neither list is not understood.
type options struct {
	flags  string // short ones without a value
	values string // short ones with a value, in the next word or behind the letter
	long   []string
	// valued are long ones whose value may be the next word.
	valued []string
	// operands are words before the command that are not part of it.
	operands int
}

// wrapper returns how name reads its options; ok is false for one whose command
// differs from the same words run alone.
func wrapper(name string) (o options, ok bool) {
	switch name {
	case "nohup", "builtin":
		return options{}, true
	case "setsid":
		return options{flags: "cfw", long: []string{"--ctty", "--fork", "--wait"}}, true
	case "exec":
		return options{flags: "cl", values: "a"}, true
	case "command":
		return options{flags: "p"}, true
	case "timeout", "gtimeout":
		return options{flags: "v", values: "ks", long: []string{"--foreground", "--preserve-status", "--verbose"}, valued: []string{"--kill-after", "--signal"}, operands: 1}, true
	case "nice":
		return options{flags: "0123456789", values: "n", valued: []string{"--adjustment"}}, true
	case "ionice":
		return options{flags: "t", values: "cn", long: []string{"--ignore"}, valued: []string{"--class", "--classdata"}}, true
	case "stdbuf":
		return options{values: "ioe", valued: []string{"--input", "--output", "--error"}}, true
	case "time":
		return options{flags: "pv", long: []string{"--portability", "--verbose"}}, true
	case "env":
		return options{flags: "i0v", values: "uC", long: []string{"--ignore-environment", "--null", "--debug"}, valued: []string{"--unset", "--chdir"}}, true
	case "xargs":
		return options{flags: "0rtx", values: "nLPsdIE", long: []string{"--null", "--no-run-if-empty", "--verbose", "--exit"}, valued: []string{"--max-args", "--max-lines", "--max-procs", "--max-chars", "--delimiter", "--replace"}}, true
	}
	return options{}, false
}

// unwrap returns the words that a wrapper runs as a command, none when there are
// none, and the directory that it changes to.
func unwrap(words []word) (inner, dir []word, ok bool) {
	name := words[0].text
	o, ok := wrapper(name)
	if !ok {
		return nil, nil, false
	}
	at, placeholder := 1, ""
	for at < len(words) && len(words[at].text) > 1 && words[at].text[0] == '-' {
		w := words[at]
		at++
		if w.text == "--" {
			break
		}
		n, option, value, ok := o.read(w, words[at:])
		if !ok {
			return nil, nil, false
		}
		at += n
		switch {
		case name == "env" && (option == "C" || option == "--chdir"):
			dir = []word{value}
		case name == "xargs" && (option == "I" || option == "--replace"):
			placeholder = value.text
		}
	}
	for name == "env" && at < len(words) && strings.Contains(words[at].text, "=") {
		if name, _, _ := strings.Cut(words[at].text, "="); words[at].splits || words[at].dynamic && strings.ContainsAny(name, "$`") {
			return nil, nil, false
		}
		at++
	}
	for range o.operands {
		if at == len(words) || words[at].splits {
			return nil, nil, false
		}
		at++
	}
	if at >= len(words) {
		return nil, dir, true
	}
	inner = words[at:]
	if name == "xargs" {
		inner = fedBy(inner, placeholder)
	}
	return inner, dir, true
}

// read takes one option apart: how many more words it has, its letter or name,
// and its value.
func (o *options) read(w word, rest []word) (n int, option string, value word, ok bool) {
	if w.dynamic {
		return 0, "", word{}, false
	}
	if strings.HasPrefix(w.text, "--") {
		name, val, joined := strings.Cut(w.text, "=")
		switch {
		case slices.Contains(o.valued, name) && joined:
			return 0, name, word{text: val}, true
		case slices.Contains(o.valued, name) && len(rest) > 0 && !rest[0].splits:
			return 1, name, rest[0], true
		}
		return 0, name, word{}, slices.Contains(o.long, name)
	}
	for i, c := range w.text[1:] {
		switch {
		case strings.ContainsRune(o.flags, c):
		case !strings.ContainsRune(o.values, c):
			return 0, "", word{}, false
		case i+2 < len(w.text):
			return 0, string(c), word{text: w.text[i+2:]}, true
		case len(rest) == 0 || rest[0].splits:
			return 0, "", word{}, false
		default:
			return 1, string(c), rest[0], true
		}
	}
	return 0, "", word{}, true
}

// fedBy is a command to which xargs adds words: in place of a placeholder, or at
// its end.
func fedBy(words []word, placeholder string) []word {
	if placeholder != "" {
		return replaced(words, placeholder)
	}
	last := words[len(words)-1].to
	return append(slices.Clip(words), word{text: "", from: last, to: last, dynamic: true, splits: true, noPath: true, made: true})
}

// isShell names programs that run scripts of the shell.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish":
		return true
	}
	return false
}

// shell records a shell that is started with a script: as an argument, as a
// here-document, or from where it cannot be seen.
func (a *analysis) shell(s step, asIs bool) outcome {
	text, how := scriptOf(s.words)
	switch {
	case how == scriptFile:
		if fromStream(&s, text) {
			s.obscure("it runs what it reads")
		}
		a.add(s)
	case how == scriptText && asIs && !text.dynamic:
		a.runs(s, text.text)
	case how == scriptRead && a.here.fed:
		s.reads = false
		a.runs(s, a.here.stdin)
	case how == scriptRead:
		s.maybe = a.guess(a.here.stdin)
		s.obscure("it runs what it reads")
		a.add(s)
	default:
		s.restrict(byText, "it runs text as a script")
		for _, w := range s.words[1:] {
			s.maybe = append(s.maybe, a.guess(w.text)...)
		}
		if slices.ContainsFunc(s.words, func(w word) bool { return w.dynamic }) {
			s.obscure("it runs a script that is made at run time")
		}
		a.add(s)
	}
	return stays(s.dirs)
}

// runs records a command that does nothing but run a script, and the script.
func (a *analysis) runs(s step, text string) outcome {
	if a.budget == 0 {
		s.obscure("too many scripts inside scripts")
		a.add(s)
		return stays(s.dirs)
	}
	a.budget--
	limit, why := s.limit, s.why
	if !s.opaque {
		s.free, s.limit = true, byPattern
	}
	before, me := a.here, a.add(s)
	a.here.parent = me
	if limit > a.here.limit {
		a.here.limit, a.here.why = limit, why
	}
	out, unread := a.nested(text, s.dirs)
	a.here = before
	if unread != "" {
		a.steps[me].free = false
		a.steps[me].obscure("its script cannot be read: " + unread)
	}
	return out
}

// scripted is where a shell finds its script.
type scripted int

const (
	scriptUnknown scripted = iota // its options are not understood
	scriptText                    // -c
	scriptFile
	scriptRead // its input
)

// scriptOf returns where a shell finds its script, and the script of -c or the file.
func scriptOf(words []word) (text word, how scripted) {
	command, reads := false, false
	for i := 1; i < len(words); i++ {
		w := words[i]
		option := len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+') && !w.dynamic
		switch {
		case !option && command:
			return w, scriptText
		case w.dynamic:
			return word{}, scriptUnknown
		case !option && (reads || oneOf(w.text, "- /dev/stdin /dev/fd/0 /proc/self/fd/0")):
			return word{}, scriptRead
		case !option:
			return w, scriptFile
		case oneOf(w.text, "--login --norc --noprofile --posix"):
		case w.text[0] == '+' && strings.Trim(w.text[1:], "eux") == "":
		case w.text == "+o" || w.text[0] == '-' && strings.Trim(w.text[1:], "celuxiovs") == "":
			command = command || strings.Contains(w.text, "c")
			reads = reads || strings.Contains(w.text, "s")
			if strings.Contains(w.text, "o") {
				if i++; i == len(words) || !oneOf(words[i].text, "pipefail errexit nounset noglob posix") {
					return word{}, scriptUnknown
				}
			}
		default:
			return word{}, scriptUnknown
		}
	}
	if command {
		return word{}, scriptUnknown
	}
	return word{}, scriptRead
}

// eval records eval, whose script runs in the same shell.
func (a *analysis) eval(s step) outcome {
	text := s.words[1:]
	for len(text) > 0 && (text[0].text == "--" || text[0].text == "eval") {
		text = text[1:]
	}
	if len(text) == 0 {
		a.add(s)
		return stays(s.dirs)
	}
	if slices.ContainsFunc(s.words, func(w word) bool { return w.dynamic }) {
		s.obscure("it runs a script that is made at run time")
		s.maybe = a.guess(joined(text, ""))
		a.add(s)
		return stays(dirs{unknown: true})
	}
	return a.runs(s, joined(text, ""))
}

// later records trap and alias, whose scripts run at some other time and place.
func (a *analysis) later(s step) outcome {
	s.restrict(byText, "it keeps a script for later")
	for _, w := range s.words[1:] {
		_, value, found := strings.Cut(w.text, "=")
		if !found {
			value = w.text
		}
		if w.dynamic {
			s.obscure("it keeps a script that is made at run time")
		}
		s.maybe = append(s.maybe, a.guess(value)...)
	}
	a.add(s)
	return stays(s.dirs)
}
