package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dangerous reports whether setting a variable changes which program runs, or what
// a program runs besides. It is about one that is set on its own, which a program sees
// where the environment has one of that name.
func dangerous(name string) bool { return matters(name) && !harmless(name) }

// matters is dangerous with harmless names among those of its families.
func matters(name string) bool {
	switch name {
	case "IFS", "ENV", "SHELL", "SHELLOPTS", "BASHOPTS", "PS4", "PS1", "PROMPT_COMMAND", "HOME", "PWD", "OLDPWD", "ZDOTDIR",
		"CC", "CXX", "CPP", "AR", "AS", "LD", "FC", "GCCGO", "MAKE", "MAKEFILES", "LINKER",
		"BROWSER", "LESS", "LESSOPEN", "LESSCLOSE", "TERMINFO", "BASH_ENV", "BASH_LOADABLES_PATH",
		"GOROOT", "GOBIN", "GOENV", "GOPROXY", "GOTOOLCHAIN", "GOCACHEPROG", "GOAUTH", "GOWORK", "GOCACHE", "GOMODCACHE", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS", "GOEXPERIMENT",
		"PKG_CONFIG", "VIRTUAL_ENV", "WGETRC", "JAVACMD", "path", "cdpath", "fpath", "module_path":
		return true
	}
	upper := strings.ToUpper(name)
	for _, head := range [...]string{
		"LD_", "DYLD_", "GIT_", "CARGO_", "RUST", "NPM_", "NODE_", "YARN_", "PIP_", "PYTHON", "PYTEST_", "RUBY", "GEM_", "BUNDLE_", "PERL", "PHP", "LUA_", "JAVA_", "JDK_", "_JAVA_", "MAVEN_", "GRADLE_", "DOTNET_", "CMAKE_", "CTEST_",
		"BASH_FUNC_", "MALLOC_", "XDG_", "DOCKER_", "KUBE", "TF_", "GH_", "CURL_", "OPENSSL_", "SSL_", "SSH_", "GNUPG", "RSYNC_",
	} {
		if strings.HasPrefix(upper, head) {
			return true
		}
	}
	for _, tail := range [...]string{
		"PATH", "_OPTIONS", "_OPTS", "_ADDOPTS", "FLAGS", "_COMMAND", "_PRELOAD", "_ASKPASS", "EDITOR", "PAGER", "VISUAL", "_BROWSER", "_WRAPPER", "_SHELL", "_PROXY", "_CMD", "_EXEC", "_RSH", "_PROG", "_CONFIG_FILE", "_CONFIG_DIR", "_TOOLCHAIN",
	} {
		if strings.HasSuffix(upper, tail) {
			return true
		}
	}
	return false
}

// assign records an assignment: alone, in a declaration, or before a command, for
// which it counts by what before says.
func (a *analysis) assign(s *step, n *syntax.Assign, before scope) {
	name := ""
	if n.Name != nil {
		name = n.Name.Value
	}
	a.subscript(s, n.Index)
	switch {
	case name == "BASH_ALIASES" || name == "BASH_CMDS":
		s.obscure("it gives a program another name")
	case name == "HOME" || name == "PWD" || name == "OLDPWD" || name == "CDPATH":
		s.obscure("it moves " + name)
	case before == ofShell && dangerous(name), before == ofEnvironment && !harmless(name):
		s.restrict(byText, "it sets "+name)
	}
	values := []*syntax.Word{n.Value}
	if n.Array != nil {
		for _, elem := range n.Array.Elems {
			a.subscript(s, elem.Index)
			values = append(values, elem.Value)
		}
	}
	for _, value := range values {
		w := word{}
		if value != nil {
			w = a.word(value)
			s.also = append(s.also, w)
		}
		if before == ofCommand {
			s.sets(name, w)
		}
		if value == nil {
			continue
		}
		if a.vars.integer {
			a.subscript(s, value)
		}
		switch {
		case holdsCommand(name):
			a.variable(s, name, w, w.text)
		case before == ofCommand && !harmless(name):
			a.held(s, name, w)
		}
		if stores(w) {
			s.obscure("it keeps a command in a variable")
		}
	}
}

// scope is who sees a variable that is set.
type scope int

const (
	ofShell       scope = iota // the shell, and programs where they see it already
	ofEnvironment              // every program from now on
	ofCommand                  // one command
)

// subscript restricts a step that computes a subscript, in which a command may stand.
func (a *analysis) subscript(s *step, x syntax.ArithmExpr) {
	switch {
	case x == nil || isNumber(x):
	case a.computesCode(x):
		s.obscure("it computes with a text that holds a command")
	default:
		s.restrict(byText, "it computes with a variable")
	}
}

// stores reports whether a value holds a command that a later expansion would run.
func stores(w word) bool {
	text := w.text
	if w.dynamic {
		text = w.pattern
	}
	return holdsCode(text) || slices.ContainsFunc(w.values, holdsCode)
}

func holdsCode(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`")
}

// evaluates reports whether a word that is computed with holds a command, which a
// subscript in it runs, or may become one.
func evaluates(w word) bool {
	return stores(w) || w.dynamic && strings.Contains(w.pattern, "$") && strings.Contains(w.pattern, "(")
}

// evaluatesAny is evaluates for all the words in n.
func (a *analysis) evaluatesAny(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Word:
			found = found || !plainWord(n) && evaluates(a.word(n)) || plainWord(n) && stores(a.word(n))
		}
		return !found
	})
	return found
}

// declare records export, local and their kin.
func (a *analysis) declare(n *syntax.DeclClause, d dirs) {
	s := step{kind: PartCommand, text: a.source(n), dirs: d, words: []word{{text: n.Variant.Value}}, inert: true}
	before := ofShell
	if a.exports(n) {
		before = ofEnvironment
	}
	for _, arg := range n.Args {
		a.inside(arg, d)
		switch {
		case arg.Name != nil:
			a.assign(&s, arg, before)
		case arg.Value != nil:
			w := a.word(arg.Value)
			if evaluates(w) || w.dynamic && a.carriesCode() {
				s.obscure("it may run the command in " + w.text)
			}
			s.inert = s.inert && !w.dynamic && len(w.text) > 1 && w.text[0] == '-' && strings.Trim(w.text[1:], "xragApF") == ""
			if !s.inert {
				s.restrict(byText, "it declares what is known at run time only")
			}
		}
		s.words = append(s.words, word{text: a.source(arg), dynamic: true, splits: true})
	}
	s.inert = s.inert && s.limit == byPattern
	a.add(s)
}

// parameter looks at what an expansion does besides giving a value.
func (a *analysis) parameter(n *syntax.ParamExp, d dirs) {
	name := ""
	if n.Param != nil {
		name = n.Param.Value
	}
	switch {
	case n.Exp != nil && n.Exp.Op == syntax.OtherParamOps:
		a.hidden(n, d, "it expands a variable as a script")
	case n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && holdsCommand(name):
		a.hidden(n, d, "it sets "+name)
	case n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && dangerous(name):
		a.never(n, d, "it sets "+name)
	case n.Excl && n.Names == 0 && a.carriesCode():
		a.hidden(n, d, "it evaluates a name that may hold a command")
	case n.Excl && n.Names == 0:
		a.never(n, d, "it evaluates a name")
	case n.Index != nil:
		a.arithmetic(n, n.Index, d)
	case n.Slice != nil:
		a.arithmetic(n, n.Slice.Offset, d)
		a.arithmetic(n, n.Slice.Length, d)
	}
	if n.NestedParam != nil || n.Flags != nil {
		a.hidden(n, d, "it expands a variable as a script")
	}
}

// hidden records an expansion that may run anything.
func (a *analysis) hidden(n syntax.Node, d dirs, why string) {
	s := step{kind: PartCommand, text: a.source(n), dirs: d}
	s.obscure(why)
	a.add(s)
}

// arithmetic records a computation with variables, whose values are expressions
// and may run commands in turn.
func (a *analysis) arithmetic(n syntax.Node, x syntax.ArithmExpr, d dirs) {
	switch {
	case x == nil || isNumber(x):
	case a.computesCode(x):
		a.hidden(n, d, "it computes with a text that holds a command")
	default:
		a.never(n, d, "it computes with a variable")
	}
}

// comparison records a comparison of numbers that are not written down.
func (a *analysis) comparison(n *syntax.BinaryTest, d dirs) {
	switch n.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
	default:
		return
	}
	for _, side := range []syntax.TestExpr{n.X, n.Y} {
		if w, ok := side.(*syntax.Word); !ok || !isNumber(w) {
			a.arithmeticText(n, d)
			return
		}
	}
}

// arithmeticText records a test that computes with what is written or kept in n.
func (a *analysis) arithmeticText(n syntax.Node, d dirs) {
	if a.computesCode(n) {
		a.hidden(n, d, "it computes with a text that holds a command")
		return
	}
	a.never(n, d, "it computes with a variable")
}

// isNumber reports whether an expression has no variable in it.
func isNumber(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		if len(x.Parts) == 1 {
			if p, ok := x.Parts[0].(*syntax.ParamExp); ok && p.Param != nil {
				return p.Length || oneOf(p.Param.Value, "? # $ !") && p.Exp == nil && p.Slice == nil && p.Index == nil
			}
		}
		return digits(x.Lit()) || x.Lit() == "@" || x.Lit() == "*"
	case *syntax.BinaryArithm:
		return isNumber(x.X) && isNumber(x.Y)
	case *syntax.UnaryArithm:
		return isNumber(x.X)
	case *syntax.ParenArithm:
		return isNumber(x.X)
	}
	return false
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
