package permission

import (
	"path"
	"slices"
	"strings"
)

// What a command may start is guessed where its arguments are not understood: that
// counts for deny and ask rules and covers nothing.

// candidates returns the commands that may begin at one of the first n arguments,
// the scripts that these may be, and what they start in turn. Every argument is
// taken once, so that the time is linear.
func (a *analysis) candidates(args []word, n int) [][]word {
	var list [][]word
	taken := 0 // arguments before it are in the list already
	for next := 0; next < len(args); {
		from := next
		next = len(args)
		for i, left := from, n; i < len(args) && left > 0; i++ {
			if isSetting(args[i]) {
				if strings.ContainsAny(args[i].text, " \t\n;|&") {
					list = append(list, a.values(args[i].text)...)
				}
				continue
			}
			left--
			if i < taken {
				continue
			}
			taken = i + 1
			list = append(list, args[i:])
			if strings.ContainsAny(args[i].text, " \t\n;|&") {
				list = append(list, a.guess(args[i].text)...)
			}
			if name := base(args[i].text); next == len(args) && (wraps(name) || isShell(name) || name == "find" || name == "eval") {
				next, n = i+1, 3
			}
		}
	}
	return list
}

// isSetting matches an option or NAME=value.
func isSetting(w word) bool {
	return !w.dynamic && (strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "=") && !strings.ContainsAny(w.text, " \t\n"))
}

// guess returns the commands of what may be a script.
func (a *analysis) guess(text string) [][]word {
	if a.budget == 0 {
		return nil
	}
	a.budget--
	other := &analysis{home: a.home, budget: a.budget, here: nesting{parent: -1, depth: a.here.depth}}
	if other.script(text, dirs{unknown: true}) != "" {
		return nil
	}
	a.budget = other.budget
	var list [][]word
	for _, s := range other.steps {
		if s.kind == PartCommand && len(s.words) > 0 {
			list = append(append(list, s.words), s.maybe...)
		}
	}
	return list
}

// values returns the commands that the value of an option or a setting may be, in
// whichever way it is joined: -Ox, --exec=x, -o ProxyCommand=x.
func (a *analysis) values(text string) [][]word {
	list := a.guess(strings.TrimLeft(text, "!|"))
	for _, shell := range [...]string{"$(shell ", "${shell "} { // of make
		if _, code, ok := strings.Cut(text, shell); ok {
			list = append(list, a.guess(strings.TrimRight(code, ")}"))...)
		}
	}
	for i := 2; i < min(len(text), 5) && text[0] == '-' && letters(text[1:i]); i++ {
		list = append(list, a.guess(text[i:])...) // in a cluster
	}
	for range 3 {
		_, value, found := strings.Cut(text, "=")
		if !found {
			break
		}
		list = append(list, a.guess(strings.TrimLeft(value, "!|"))...)
		text = value
	}
	return list
}

// risky adds what the options of a command start that are there to start something.
func (a *analysis) risky(s *step) {
	risks(s.words, func(k risk) bool {
		w := s.words[k.at]
		joined := strings.Contains(w.text, "=")
		s.maybe = append(s.maybe, a.values(w.text)...)
		if w.dynamic && joined && !w.made {
			s.obscure("what " + w.text + " starts is known at run time only")
		}
		if next := s.words[k.at+1:]; !joined && len(next) > 0 {
			s.maybe = append(append(s.maybe, a.values(next[0].text)...), next)
		}
		return len(s.maybe) < maxCandidates
	})
}

// splits adds what env -S makes of a text.
func (a *analysis) splits(s *step) {
	for i := 1; i < len(s.words); i++ {
		w := s.words[i]
		name, value, has := strings.Cut(w.text, "=")
		switch at := strings.IndexByte(w.text, 'S'); {
		case !isOption(w):
			return
		case strings.HasPrefix(name, "--s") && strings.HasPrefix("--split-string", name):
		case strings.HasPrefix(name, "--") || at < 0 || strings.ContainsAny(w.text[:at], "uC"):
			continue
		default:
			value, has = w.text[at+1:], at+1 < len(w.text)
		}
		rest := s.words[i+1:]
		if !has && len(rest) > 0 {
			w, value, rest = rest[0], rest[0].text, rest[1:]
		}
		if len(rest) > 0 {
			value += " " + joined(rest, "")
		}
		s.restrict(byText, "it makes words of a text")
		if w.dynamic || strings.ContainsAny(value, "\\$") {
			s.obscure("it makes a command of a text")
		}
		s.maybe = append(s.maybe, a.guess("env "+value)...)
		return
	}
}

// keeps records a builtin that gives a program another name, or keeps a command.
func (a *analysis) keeps(s *step) {
	flags := func(letters string) bool {
		return slices.ContainsFunc(s.words[1:], func(w word) bool {
			return w.dynamic || isOption(w) && strings.ContainsAny(w.text, letters)
		})
	}
	switch s.words[0].text {
	case "hash":
		if flags("p") {
			s.obscure("it gives a program another name")
		}
	case "make", "gmake":
		for i, w := range s.words {
			file, joined := strings.CutPrefix(w.text, "-f")
			if name, value, ok := strings.Cut(w.text, "="); ok && oneOf(name, "--file --makefile") {
				file, joined = value, true
			}
			if (joined || oneOf(w.text, "--file --makefile")) && file == "" && i+1 < len(s.words) {
				file = s.words[i+1].text
			}
			if file == "-" || file != "" && streams(file) {
				s.obscure("it runs what it reads")
			}
		}
	case "enable":
		if flags("f") {
			s.obscure("it loads code into the shell")
		}
	case "bind":
		if flags("x") {
			s.obscure("it keeps a command for later")
		}
	case "compgen", "complete", "compopt", "mapfile", "readarray":
		if s.words[0].text[0] == 'c' || flags("C") {
			s.restrict(byText, "it keeps a command for later")
			a.evaluated(s)
		}
	}
}

// evaluated adds what a command makes of arguments that it runs.
func (a *analysis) evaluated(s *step) {
	for _, w := range s.words[1:] {
		s.maybe = append(s.maybe, a.values(w.text)...)
		if w.dynamic || stores(w) {
			s.obscure("it runs a command that is made at run time")
		}
	}
}

// holdsCommand reports whether some program runs the text of a variable, or a file
// that it names.
func holdsCommand(name string) bool {
	switch name {
	case "ENV", "BASH_ENV", "SHELL", "PS0", "PS1", "PS4", "PROMPT_COMMAND", "BROWSER", "LESSOPEN", "LESSCLOSE", "LESS", "MAKE", "MAKEFLAGS", "GNUMAKEFLAGS",
		"CC", "CXX", "CPP", "AR", "AS", "LD", "RUSTC", "RUSTDOC", "LINKER", "BASH_ALIASES", "BASH_CMDS", "FC", "GCCGO", "GOCACHEPROG", "GOAUTH", "PKG_CONFIG", "JAVACMD":
		return true
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY":
		return false
	}
	if !dangerous(name) {
		return false
	}
	upper := strings.ToUpper(name)
	if strings.HasPrefix(upper, "GIT_") || strings.HasPrefix(upper, "BASH_FUNC_") {
		return true
	}
	return slices.ContainsFunc([]string{"_COMMAND", "_ASKPASS", "EDITOR", "PAGER", "VISUAL", "_WRAPPER", "_SHELL", "_CMD", "_EXEC", "_RSH", "_OPTIONS", "_PROG", "_BROWSER"}, func(tail string) bool {
		return strings.HasSuffix(upper, tail)
	})
}

// variable adds what a variable that holds a command makes its readers start.
func (a *analysis) variable(s *step, name string, w word, value string) {
	if !holdsCommand(name) {
		return
	}
	s.maybe = append(s.maybe, a.values(value)...)
	for _, v := range w.values {
		s.maybe = append(s.maybe, a.values(v)...)
	}
	if w.noPath || streams(value) {
		s.obscure("what " + name + " starts is known at run time only")
	}
}

// streams reports whether a name is no file but what a program reads or another
// one writes.
func streams(name string) bool {
	name = path.Clean(name)
	return strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/")
}

// loader reports whether a program starts another as the system's loader does.
func loader(name string) bool {
	return strings.HasPrefix(name, "ld") && strings.Contains(name, ".so")
}
