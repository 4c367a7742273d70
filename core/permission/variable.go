package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variables are what a script gives to its variables, anywhere and in any order:
// before that a variable has what the environment says.
type variables struct {
	values map[string][]string
	made   map[string]bool // in a way that is not followed
	lost   map[string]bool // and that is no glob
	all    bool            // any variable may be given anything
	// integer says that some variable computes what it is given.
	integer bool
}

// maxValues is how many values a word may have that are followed.
const maxValues = 8

// learn finds what a script gives to variables. A value may use another one, so it
// looks more than once.
func (a *analysis) learn(text string, file *syntax.File) {
	if a.vars.all || !strings.ContainsAny(text, "$`") {
		return
	}
	var givers []syntax.Node
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign, *syntax.ForClause:
			givers = append(givers, n)
		case *syntax.ParamExp:
			if n.Exp != nil {
				givers = append(givers, n)
			}
		case *syntax.CallExpr:
			a.notice(n) // says the same each time
		}
		return true
	})
	defer a.extendAll(givers)
	for range 3 {
		if !a.learnsFrom(givers) {
			return
		}
	}
	a.vars.all = a.vars.all || len(a.vars.values)+len(a.vars.made) > 0 && a.learnsFrom(givers)
}

// learnsFrom looks once more at what gives something to variables, and reports whether
// there was more to find.
func (a *analysis) learnsFrom(givers []syntax.Node) bool {
	count := func() int {
		n := len(a.vars.made)
		for _, list := range a.vars.values {
			n += len(list)
		}
		return n
	}
	before := count()
	for _, n := range givers {
		a.notice(n)
	}
	return count() != before
}

// notice learns from one node.
func (a *analysis) notice(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Assign:
		a.given(n)
	case *syntax.ForClause:
		iter, ok := n.Loop.(*syntax.WordIter)
		if !ok {
			return
		}
		if !iter.InPos.IsValid() {
			a.give(iter.Name.Value, nil)
		}
		for _, item := range iter.Items {
			a.give(iter.Name.Value, item)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && n.Param != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			a.give(n.Param.Value, n.Exp.Word)
		}
	case *syntax.CallExpr:
		if len(n.Args) == 0 {
			return
		}
		a.vars.all = a.vars.all || a.givesAny(n.Args)
	}
}

// givesAny reports whether a command may give any text to any variable.
func (a *analysis) givesAny(args []*syntax.Word) bool {
	const builtins = "read mapfile readarray getopts eval source . let"
	program, rest := a.word(args[0]), args[1:]
	switch {
	case program.dynamic, oneOf(program.text, builtins+" declare typeset"):
		return true
	case program.text == "command", program.text == "builtin":
		return slices.ContainsFunc(rest, func(w *syntax.Word) bool { return oneOf(a.word(w).text, builtins+" printf") })
	case program.text == "printf" && len(rest) > 0:
		first := a.word(rest[0])
		return first.dynamic && !strings.HasPrefix(first.text, "%") || strings.HasPrefix(first.text, "-v")
	}
	return false
}

// given learns from one assignment.
func (a *analysis) given(n *syntax.Assign) {
	switch {
	case n.Name == nil:
		a.vars.integer = a.vars.integer || a.declares(n, 'i')
		a.vars.all = a.vars.all || a.declares(n, 'n') // one variable is another then
	case n.Append || n.Index != nil:
		a.give(n.Name.Value, nil)
	case n.Array != nil:
		for _, elem := range n.Array.Elems {
			a.give(n.Name.Value, elem.Value)
		}
	case n.Value != nil:
		a.give(n.Name.Value, n.Value)
	}
}

// give adds a value of a variable; nil is one that is not followed.
func (a *analysis) give(name string, value *syntax.Word) {
	if a.vars.made == nil {
		a.vars.made, a.vars.lost, a.vars.values = map[string]bool{}, map[string]bool{}, map[string][]string{}
	}
	list, ok := []string(nil), false
	if value != nil {
		list, ok = a.fold(value.Parts)
	}
	for _, text := range list {
		if !slices.Contains(a.vars.values[name], text) {
			a.vars.values[name] = append(a.vars.values[name], text)
		}
	}
	if !ok || len(a.vars.values[name]) > maxValues {
		a.vars.made[name] = true
		a.vars.lost[name] = a.vars.lost[name] || value == nil || !plainWord(value) || len(a.vars.values[name]) > maxValues
	}
}

// extendAll adds what assignments with += make of the values that are known, in their
// order and each once: in a loop it may be more.
func (a *analysis) extendAll(givers []syntax.Node) {
	for _, n := range givers {
		if n, ok := n.(*syntax.Assign); ok && n.Append && n.Name != nil && n.Index == nil && n.Value != nil {
			a.extend(n.Name.Value, n.Value)
		}
	}
}

// extend adds what the known values of a variable are with more behind them, as far as
// that is followed.
func (a *analysis) extend(name string, more *syntax.Word) {
	tails, _ := a.fold(more.Parts)
	for _, head := range a.vars.values[name] {
		for _, tail := range tails {
			if whole := head + tail; len(a.vars.values[name]) < maxValues && !slices.Contains(a.vars.values[name], whole) {
				a.vars.values[name] = append(a.vars.values[name], whole)
			}
		}
	}
}

// listed reports whether the values of parts are all that they may be, with globs
// among them.
func (a *analysis) listed(parts []syntax.WordPart) bool {
	return !slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		switch p := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			return false
		case *syntax.DblQuoted:
			return !a.listed(p.Parts)
		case *syntax.ParamExp:
			name := simpleName(p)
			return len(a.vars.values[name]) == 0 || a.vars.lost[name] || a.vars.all
		}
		return true
	})
}

// trace returns what a word may be by the assignments of the script, and whether
// it is made in a way that is not followed.
func (a *analysis) trace(w *syntax.Word) (values []string, made bool) {
	if expands(w.Parts) {
		values, _ = a.fold(w.Parts)
	}
	return values, a.makes(w.Parts)
}

// expands reports whether a variable is among the parts of a word.
func expands(parts []syntax.WordPart) bool {
	return slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		switch p := part.(type) {
		case *syntax.ParamExp:
			return true
		case *syntax.DblQuoted:
			return expands(p.Parts)
		}
		return false
	})
}

// fold returns the texts that parts of a word may be. ok is false when it may be
// others, too.
func (a *analysis) fold(parts []syntax.WordPart) (texts []string, ok bool) {
	texts, ok = []string{""}, true
	for i, part := range parts {
		var next []string
		var complete bool
		if next, complete = a.foldPart(part, i == 0); len(next) == 0 || len(next)*len(texts) > maxValues {
			return nil, false
		}
		ok = ok && complete
		var longer []string
		for _, head := range texts {
			for _, tail := range next {
				longer = append(longer, head+tail)
			}
		}
		texts = longer
	}
	return texts, ok
}

func (a *analysis) foldPart(part syntax.WordPart, first bool) (texts []string, ok bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		var b strings.Builder
		glob, brace := unescape(&b, p.Value)
		text := b.String()
		if brace {
			return nil, false
		}
		if rest, home := strings.CutPrefix(text, "~"); first && home && (rest == "" || rest[0] == '/') {
			text = a.home + rest
		}
		return []string{text}, !glob
	case *syntax.SglQuoted:
		if !p.Dollar {
			return []string{p.Value}, true
		}
		text, ok := ansiC(p.Value)
		return []string{text}, ok
	case *syntax.DblQuoted:
		var list []syntax.WordPart
		for _, inner := range p.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				var b strings.Builder
				unescapeQuoted(&b, lit.Value)
				inner = &syntax.SglQuoted{Value: b.String()}
			}
			list = append(list, inner)
		}
		return a.fold(list)
	case *syntax.ParamExp:
		name := simpleName(p)
		switch {
		case name == "HOME" && a.home != "":
			return []string{a.home}, true
		case name == "PWD":
			return []string{"."}, true
		}
		return a.vars.values[name], !a.vars.made[name] && !a.vars.all
	}
	return nil, false
}

// simpleName is the variable of $NAME, "" for an expansion that does more.
func simpleName(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 || p.NestedParam != nil || p.Flags != nil {
		return ""
	}
	return p.Param.Value
}

// makes reports whether the script itself may give any text to a word. What it
// does not set is what the environment says.
func (a *analysis) makes(parts []syntax.WordPart) bool {
	return slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		switch p := part.(type) {
		case *syntax.Lit:
			var b strings.Builder
			glob, brace := unescape(&b, p.Value)
			return glob || brace
		case *syntax.SglQuoted:
			return false
		case *syntax.DblQuoted:
			return slices.ContainsFunc(p.Parts, func(inner syntax.WordPart) bool {
				_, lit := inner.(*syntax.Lit)
				return !lit && a.makes([]syntax.WordPart{inner})
			})
		case *syntax.ParamExp:
			return a.makesName(p)
		case *syntax.ProcSubst, *syntax.ArithmExp:
			return false
		}
		return true
	})
}

func (a *analysis) makesName(p *syntax.ParamExp) bool {
	if p.Length && p.Param != nil {
		return false
	}
	switch name := simpleName(p); name {
	case "?", "#", "$", "!", "-", "HOME", "PWD", "OLDPWD", "PPID", "UID", "RANDOM", "LINENO", "SECONDS":
		return false
	case "", "@", "*", "_", "OPTARG", "REPLY":
		return true
	default:
		return a.vars.all || a.vars.made[name] || digits(name) || strings.HasPrefix(name, "BASH")
	}
}
