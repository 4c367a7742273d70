package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script is what a shell command consists of.
type script struct {
	commands []command
	unread   string // why it could not be taken apart; empty when it was
}

// command is one simple command, or something else a script does that a rule
// about a command does not speak of.
type command struct {
	text  string // as written
	words []word
	never string // why no rule with a pattern may allow it; empty when one may
	inner []command
}

// word is one argument after quotes are removed.
type word struct {
	text    string
	dynamic bool // the text is known at run time only
}

// Limits of what is taken apart; beyond them a script counts as unread.
const (
	maxScript  = 64 << 10 // bytes
	maxNesting = 4        // scripts inside scripts (bash -c '...'), in depth
	maxNested  = 32       // and in all
)

// analyse takes a script apart. It never fails: what cannot be read is said.
func analyse(text string) script {
	budget := maxNested
	return analyseAt(text, 0, &budget)
}

func analyseAt(text string, depth int, budget *int) script {
	if len(text) > maxScript || depth > maxNesting {
		return script{unread: "it is too long or nested too deep"}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return script{unread: err.Error()}
	}
	a := analysis{src: text, depth: depth, budget: budget}
	syntax.Walk(file, a.visit)
	return script{commands: a.commands, unread: a.unread}
}

// plain reads a command that every shell takes for the same words.
func plain(text string) script {
	if strings.ContainsAny(text, "`$(){}[]@&;|<>'\"%#!*?~^\\\r\n") {
		return script{unread: "it is more than one plain PowerShell command"}
	}
	c := command{text: strings.TrimSpace(text)}
	for w := range strings.FieldsSeq(text) {
		c.words = append(c.words, word{text: w})
	}
	if len(c.words) == 0 {
		return script{}
	}
	budget := 0 // the text of another script is not plain
	a := analysis{src: text, budget: &budget}
	a.unwrap(&c)
	return script{commands: []command{c}, unread: a.unread}
}

type analysis struct {
	src      string
	depth    int
	budget   *int           // nested scripts that may still be read
	seen     map[*word]bool // first words of the commands that wrappers start
	commands []command
	unread   string
}

func (a *analysis) visit(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.CallExpr:
		a.call(n)
	case *syntax.DeclClause:
		c := command{text: a.source(n), words: []word{{text: n.Variant.Value}}}
		for _, arg := range n.Args {
			c.words = append(c.words, word{text: a.source(arg), dynamic: true})
		}
		a.commands = append(a.commands, c)
	case *syntax.FuncDecl:
		a.never(n, "it defines a function")
	case *syntax.Redirect:
		if writes(n) {
			a.never(n, "it writes a file by redirection")
		}
	}
	return true
}

func (a *analysis) never(n syntax.Node, why string) {
	a.commands = append(a.commands, command{text: a.source(n), never: why})
}

func (a *analysis) call(n *syntax.CallExpr) {
	c := command{text: a.source(n)}
	if len(n.Assigns) > 0 {
		c.never = "it sets a variable"
	}
	for _, w := range n.Args {
		c.words = append(c.words, a.word(w))
	}
	if len(c.words) > 0 {
		a.unwrap(&c)
	}
	a.commands = append(a.commands, c)
}

// source returns n as written.
func (a *analysis) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(a.src) {
		return ""
	}
	return strings.TrimSpace(a.src[from:to])
}

// writes reports whether a redirection makes or changes a file. Descriptors and
// the null device are no files.
func writes(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
		return false
	case syntax.DplOut:
		lit := r.Word.Lit()
		return strings.Trim(lit, "0123456789-") != "" || lit == ""
	default:
		return r.Word.Lit() != "/dev/null"
	}
}

// word removes the quotes from w.
func (a *analysis) word(w *syntax.Word) word {
	var out word
	var text strings.Builder
	for _, part := range w.Parts {
		a.part(&text, part, &out)
	}
	out.text = text.String()
	return out
}

func (a *analysis) part(text *strings.Builder, part syntax.WordPart, out *word) {
	switch p := part.(type) {
	case *syntax.Lit:
		if unescape(text, p.Value) {
			out.dynamic = true
		}
	case *syntax.SglQuoted:
		if p.Dollar {
			ansiC(text, p.Value)
		} else {
			text.WriteString(p.Value)
		}
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				unescapeQuoted(text, lit.Value)
				continue
			}
			a.part(text, inner, out)
		}
	default:
		text.WriteString(a.source(part))
		out.dynamic = true
	}
}
