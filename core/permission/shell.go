package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script is what a shell command does, step by step as it is written.
type script struct {
	steps  []step
	unread string // why it could not be taken apart; empty when it was
}

// step is one simple command, or one file that a redirection opens.
type step struct {
	kind string // as Part.Kind
	text string // as written
	dirs dirs   // where it may run
	// also are words that come to a command by way of a variable.
	also []word
	// words are a command's name and arguments, or a redirection's target.
	words []word
	limit limit
	why   string // of the limit, or why it cannot be analysed
	// set are the variables that are set for it.
	set []setBefore
	// unsaid says that what is set is no part of its text.
	unsaid bool
	// opaque says that it is known at run time only what it does.
	opaque bool
	// free says that it only starts other steps, which are judged by themselves.
	free bool
	// wrapper says that it starts the command among its words, and that nothing else
	// keeps a rule from covering it.
	wrapper bool
	// inert says that it does nothing: it sets a variable of the shell.
	inert bool
	// reads says that it runs what it reads from its standard input, and known that
	// this is part of text.
	reads, known bool
	// parent is the step that starts this one, -1 for none.
	parent int
	// patched are the files that a patch names which it reads from the script.
	patched []word
	// git are the words of a git command without the options before its verb; nil
	// when it has none.
	git []word
	// maybe are commands that it may start. They count for deny and ask rules.
	maybe [][]word
	// passed are commands among its arguments that it may start if it is a program
	// that starts others.
	passed [][]word
}

// limit is which allow rules may cover a step.
type limit int

const (
	byPattern limit = iota // any that matches its words
	bySetting              // one that also names the variables that are set before it
	byText                 // one that says the very same text
	byNone                 // only one about every command
)

// Kinds of a Part.
const (
	PartCommand = "command" // a simple command
	PartWrite   = "write"   // a file that a redirection writes
	PartRead    = "read"    // a file that a redirection reads
)

// restrict keeps the tightest limit and the first reason.
func (s *step) restrict(l limit, why string) {
	s.limit = max(s.limit, l)
	if s.why == "" {
		s.why = why
	}
}

// obscure makes a step one that cannot be analysed.
func (s *step) obscure(why string) {
	if !s.opaque {
		s.opaque, s.limit, s.why = true, byNone, why
	}
}

// Limits of what is taken apart; beyond them a script counts as unread.
const (
	maxScript  = 64 << 10 // bytes
	maxNesting = 4        // scripts inside scripts (bash -c '...'), in depth
	maxNested  = 32       // and in all
	maxWrapped = 64       // commands that start commands, in depth
	maxLevel   = 128      // commands inside commands of one script, in depth
)

// analyse takes a script apart that starts in dir. It never fails: what cannot be
// read is said.
func analyse(text, dir, home string) script {
	at := dirs{names: []string{dir}}
	if dir == "" {
		at = dirs{names: []string{"/"}, unknown: false}
	}
	a := &analysis{home: home, budget: maxNested, here: nesting{parent: -1}, steps: make([]step, 0, 1+strings.Count(text, " ")/3)}
	if unread := a.script(text, at); unread != "" {
		return script{steps: a.steps, unread: unread}
	}
	return script{steps: a.steps}
}

// plain reads a command that every shell takes for the same words.
func plain(text, dir, home string) script {
	if strings.ContainsAny(text, "`$(){}[]@&;|<>'\"%#!*?~^\\\r\n") {
		return script{unread: "it is more than one plain PowerShell command"}
	}
	s := step{kind: PartCommand, text: strings.TrimSpace(text), dirs: dirs{names: []string{dir}}, parent: -1}
	for w := range strings.FieldsSeq(text) {
		s.words = append(s.words, word{text: w})
	}
	if len(s.words) == 0 {
		return script{}
	}
	a := &analysis{home: home, here: nesting{parent: -1}} // the text of another script is not plain: no budget
	a.simple(s)
	return script{steps: a.steps}
}

// analysis is the state of taking one script apart.
type analysis struct {
	home   string
	budget int // nested scripts that may still be read
	steps  []step
	level  int // commands around the one that is read
	here   nesting
	moved  bool // whether the script changes the directory anywhere; it is found out when a function is defined
	vars   variables
	texts  texts
	funcs  map[string]bool // functions that the script defines: whether they change the directory
}

// nesting is where in scripts inside scripts the analysis is.
type nesting struct {
	src     string
	depth   int
	parent  int    // the step that starts what is read now
	stdin   string // what the command reads, when it is written in the script
	fed     bool   // whether it is
	wrapped int    // wrappers around it
	limit   limit  // of every step
	why     string
}

// script reads text as a script of its own and returns why it cannot.
func (a *analysis) script(text string, d dirs) (unread string) {
	_, unread = a.nested(text, d)
	return unread
}

func (a *analysis) nested(text string, d dirs) (outcome, string) {
	if len(text) > maxScript || a.here.depth > maxNesting {
		return stays(d), "it is too long or nested too deep"
	}
	if strings.ContainsAny(text, "\x00\r") {
		return stays(d), "it holds a character that shells take in different ways"
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(strings.IndexByte(text, '#') >= 0)).Parse(strings.NewReader(text), "")
	if err != nil {
		return stays(d), err.Error()
	}
	if why := differs(text, file); why != "" {
		return stays(d), why
	}
	before := a.here
	a.here.src, a.here.stdin, a.here.fed = text, "", false
	a.here.depth++
	a.texts.files = append(a.texts.files, file)
	a.learn(text, file)
	a.moved = a.moved || defines(file) && a.moves(file)
	out := a.stmts(file.Stmts, d)
	a.here = before
	return out, ""
}

// add records a step and returns its number.
func (a *analysis) add(s step) int {
	s.parent = a.here.parent
	if a.here.limit != byPattern {
		s.wrapper, s.unsaid = false, true
		s.restrict(a.here.limit, a.here.why)
	}
	if s.kind == PartCommand && s.dirs.unknown && !s.inert {
		s.obscure("the directory it runs in is known at run time only")
	}
	a.steps = append(a.steps, s)
	return len(a.steps) - 1
}

// source returns n as written.
func (a *analysis) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(a.here.src) {
		return ""
	}
	return strings.TrimSpace(a.here.src[from:to])
}
