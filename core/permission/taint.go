package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What a shell computes with is an expression again, whose subscripts run the commands
// in them. A text that holds one gets into a variable by many ways (read, for, set,
// the arguments of a function, a here-string), so where a script has such a text
// anywhere, a computation with what is not followed may run it.

// texts are the literal texts of a script and of the scripts in it.
type texts struct {
	files []*syntax.File
	seen  int // files looked through
	code  bool
	// dollar and paren are whether a word ends in "$", or begins with "(": together
	// they are a command.
	dollar, paren bool
}

// carriesCode reports whether a text in the script is a command to an expression.
func (a *analysis) carriesCode() bool {
	t := &a.texts
	for ; t.seen < len(t.files) && !t.code; t.seen++ {
		syntax.Walk(t.files[t.seen], func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Lit:
				t.look(n.Value)
			case *syntax.SglQuoted:
				t.look(n.Value)
				if text, ok := ansiC(n.Value); n.Dollar && ok {
					t.look(text)
				}
			}
			return !t.code
		})
	}
	return t.code || t.dollar && t.paren
}

// look looks at one literal text. What stands in it as an escape may become the
// character later.
func (t *texts) look(raw string) {
	if strings.Contains(raw, `\`) {
		for escape := range strings.FieldsSeq(`\x24 \x60 \044 \44 \0044 \140 \0140 \u24 \u0024 \u60 \u0060 \U`) {
			t.code = t.code || strings.Contains(raw, escape)
		}
		raw = strings.ReplaceAll(raw, `\`, "")
	}
	t.code = t.code || holdsCode(raw)
	if !strings.ContainsAny(raw, "$(") {
		return
	}
	for word := range strings.FieldsSeq(raw) {
		t.dollar = t.dollar || strings.HasSuffix(word, "$")
		t.paren = t.paren || strings.HasPrefix(word, "(")
	}
}

// computesCode reports whether a computation may run a command: one that is written
// in it, or one that a variable may hold.
func (a *analysis) computesCode(n syntax.Node) bool {
	return a.evaluatesAny(n) || !a.computesNumbers(n) && a.carriesCode()
}

// computesNumbers reports whether every variable in a computation is a number, or what
// the environment says.
func (a *analysis) computesNumbers(n syntax.Node) bool {
	ok := true
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			if name := n.Lit(); name != "" {
				ok = ok && (digits(name) || a.isNumeric(name))
				return false
			}
		case *syntax.ParamExp:
			ok = ok && (n.Length && n.Param != nil || a.isNumeric(simpleName(n)))
			return false
		case *syntax.CmdSubst, *syntax.ProcSubst:
			ok = false
		}
		return ok
	})
	return ok
}

// isNumeric reports whether a variable holds a number, or what the environment says.
func (a *analysis) isNumeric(name string) bool {
	if a.vars.all || a.vars.made[name] || a.makesName(&syntax.ParamExp{Param: &syntax.Lit{Value: name}}) {
		return false
	}
	for _, value := range a.vars.values[name] {
		if !digits(value) {
			return false
		}
	}
	return true
}

// names restricts a builtin that evaluates the name of a variable, where that may be a
// text with a command in its subscript.
func (a *analysis) names(s *step) {
	program, args := s.words[0].text, s.words[1:]
	for i := range args {
		w := &args[i]
		if !w.dynamic {
			continue
		}
		behind := func(option string) bool {
			return strings.HasPrefix(w.text, option) || i > 0 && args[i-1].mayBe(option)
		}
		may := true
		switch program {
		case "test", "[":
			may = behind("-v") || behind("-R") || w.splits && len(args) < 3
		case "printf":
			may = behind("-v") || i == 0 && w.splits
		case "wait":
			may = behind("-p") || w.splits
		}
		if may && a.carriesCode() {
			s.obscure("it may run the command in " + w.text)
		}
	}
}
