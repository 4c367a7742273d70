package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call records a simple command and what it starts.
func (a *analysis) call(n *syntax.CallExpr, d dirs) outcome {
	s := step{kind: PartCommand, text: a.source(n), dirs: d}
	before := ofShell
	if len(n.Args) > 0 {
		before = ofCommand
	}
	for _, assign := range n.Assigns {
		a.assign(&s, assign, before)
		a.insideAssign(assign, d)
	}
	for _, w := range n.Args {
		a.inside(w, d)
		if a.opens(w) {
			s.obscure("it computes a subscript")
		}
	}
	if len(n.Args) == 0 {
		s.inert = s.limit == byPattern
		a.add(s)
		return stays(d)
	}
	s.words = a.words(n.Args)
	if slices.ContainsFunc(n.Args, hasExtGlob) || strings.HasPrefix(s.words[0].text, "=") {
		s.obscure("it is written for a shell that may run a pattern") // as zsh does
	}
	a.feed(&s)
	a.patches(&s)
	return a.simple(s)
}

// patches finds the files in a patch that a command reads from the script.
func (a *analysis) patches(s *step) {
	name := base(s.words[0].text)
	if a.here.stdin == "" || name != "patch" && name != "git" {
		return
	}
	for line := range strings.Lines(a.here.stdin) {
		for _, head := range [...]string{"+++ ", "--- ", "rename to ", "copy to ", "rename from "} {
			name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), head)
			if name, _, _ = strings.Cut(name, "\t"); !ok || name == "/dev/null" {
				continue
			}
			for { // as many of its directories go away as -p says
				s.patched = append(s.patched, word{text: strings.Trim(name, `"`)})
				if _, name, ok = strings.Cut(name, "/"); !ok {
					break
				}
			}
		}
	}
}

func hasExtGlob(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		_, ok := part.(*syntax.ExtGlob)
		return ok
	})
}

// feed makes the code that a command reads a part of its text, where it is written
// in the script.
func (a *analysis) feed(s *step) {
	s.reads = readsCode(s.words)
	if s.reads && a.here.fed {
		s.text, s.known = s.text+"\n"+strings.TrimRight(a.here.stdin, " \t\r\n"), true
	}
}

func (a *analysis) insideAssign(n *syntax.Assign, d dirs) {
	if n.Value != nil {
		a.inside(n.Value, d)
	}
	if n.Array != nil {
		a.inside(n.Array, d)
	}
	if n.Index != nil {
		a.inside(n.Index, d)
	}
}

// simple records a command whose words are known, and what it starts.
func (a *analysis) simple(s step) outcome {
	if s.words[0].dynamic || s.words[0].text == "" {
		s.obscure("its program is known at run time only")
		a.add(s)
		return stays(s.dirs)
	}
	if moves, ok := a.funcs[s.words[0].text]; ok {
		a.add(s)
		if moves {
			return stays(dirs{unknown: true})
		}
		return stays(s.dirs)
	}
	switch name := s.words[0].text; name {
	case "cd", "pushd", "popd":
		a.add(s)
		return a.move(name, s.words[1:], s.dirs)
	case "exit", "return", "break", "continue":
		a.add(s)
		return gone()
	case "export", "declare", "typeset", "local", "readonly", "unset", "read", "mapfile", "readarray", "printf", "getopts", "let", "wait", "test", "[":
		sets(&s)
		a.names(&s)
	case "set", "shopt":
		if slices.ContainsFunc(s.words[1:], exportsAll) {
			s.restrict(byText, "it may export what is set from then on")
		}
	}
	return a.start(s)
}

// sets restricts a builtin that may set a variable or evaluate a name, which runs
// the commands in its subscript.
func sets(s *step) {
	for _, w := range s.words[1:] {
		name, _, _ := strings.Cut(w.text, "=")
		switch {
		case evaluates(w):
			s.obscure("it may run the command in " + w.text)
		case holdsCommand(strings.TrimPrefix(name, "-v")) && oneOf(s.words[0].text, "read mapfile readarray printf getopts"):
			s.obscure("it sets " + strings.TrimPrefix(name, "-v"))
		case dangerous(strings.TrimPrefix(name, "-v")):
			s.restrict(byText, "it may set "+name)
		}
	}
	if s.words[0].text == "let" {
		s.restrict(byText, "it computes with a variable")
	}
}

// exportsAll reports whether an argument of set makes every variable that is set one
// of the environment.
func exportsAll(w word) bool {
	return w.text == "allexport" || len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' && strings.Contains(w.text, "a")
}

// opens reports whether a word is {NAME[subscript]} before a redirection, which sets
// that variable.
func (a *analysis) opens(w *syntax.Word) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || lit.Value[0] != '{' {
		return false
	}
	end := int(w.End().Offset())
	return end < len(a.here.src) && strings.IndexByte("<>", a.here.src[end]) >= 0 && strings.Contains(a.source(w), "[")
}

// move is the outcome of cd, pushd and popd.
func (a *analysis) move(name string, args []word, d dirs) outcome {
	lost := outcome{ok: dirs{unknown: true}, fail: d}
	for len(args) > 0 && name == "cd" && !args[0].dynamic && (args[0].text == "-L" || args[0].text == "-P" || args[0].text == "-e") {
		args = args[1:]
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	switch {
	case name == "cd" && len(args) == 0 && a.home != "":
		return outcome{ok: d.enter(a.home), fail: d}
	case name == "popd" || len(args) != 1:
		return lost
	}
	for _, v := range args[0].values {
		lost.ok.names = append(lost.ok.names, d.enter(v).names...)
	}
	lost.ok.names = lost.ok.names[:min(len(lost.ok.names), maxDirs)]
	to, ok := args[0].path(a.home)
	if !ok || args[0].dynamic && args[0].start == 0 || strings.HasPrefix(to, "-") || strings.HasPrefix(to, "+") {
		return lost
	}
	return outcome{ok: d.enter(to), fail: d}
}

// input is what a here-document or a here-string gives to a command to read; known
// is false when it is made at run time.
func (a *analysis) input(r *syntax.Redirect) (text string, known bool) {
	if r.Hdoc == nil {
		w := a.word(r.Word)
		return w.text, !w.dynamic
	}
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		} else {
			b.WriteString(a.source(part))
		}
	}
	return b.String(), plainWord(r.Hdoc)
}

// base returns the last element of a program's path.
func base(program string) string {
	return strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
}

// descriptor reports whether the target of ">&" is no file.
func descriptor(text string) bool {
	return text != "" && strings.Trim(text, "0123456789-") == ""
}

// device reports whether name is no file that keeps what is written.
func device(name string) bool {
	switch name {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full":
		return true
	}
	fd, ok := strings.CutPrefix(name, "/dev/fd/")
	return ok && descriptor(fd)
}

// trimBraces is the variable that {name}> sets.
func trimBraces(s string) string { return strings.Trim(s, "{}") }
