package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (a *analysis) stmts(list []*syntax.Stmt, d dirs) outcome {
	out := outcome{ok: d, fail: dirs{dead: true}}
	for _, s := range list {
		out = a.stmt(s, out.either())
	}
	return out
}

func (a *analysis) stmt(s *syntax.Stmt, d dirs) outcome {
	d.dead = false
	if a.level == maxLevel {
		a.hidden(s, d, "it is nested too deep")
		return stays(dirs{unknown: true})
	}
	a.level++
	defer func() { a.level-- }()
	fed, stdin := a.here.fed, a.here.stdin
	for _, r := range s.Redirs {
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			a.here.stdin, a.here.fed = a.input(r)
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn:
			a.here.fed, a.here.stdin = false, ""
		default:
		}
	}
	out := a.command(s.Cmd, d)
	a.here.fed, a.here.stdin = fed, stdin
	for _, r := range s.Redirs {
		a.redirect(r, d)
	}
	switch {
	case s.Background || s.Coprocess || s.Disown:
		return stays(d)
	case s.Negated:
		return outcome{ok: out.fail, fail: out.ok}
	}
	return out
}

// command walks one command of any kind.
func (a *analysis) command(cmd syntax.Command, d dirs) outcome {
	switch n := cmd.(type) {
	case nil:
		return stays(d)
	case *syntax.CallExpr:
		return a.call(n, d)
	case *syntax.BinaryCmd:
		return a.binary(n, d)
	case *syntax.Block:
		return a.stmts(n.Stmts, d)
	case *syntax.Subshell:
		a.stmts(n.Stmts, d)
		return stays(d)
	case *syntax.IfClause:
		return a.ifClause(n, d)
	case *syntax.WhileClause, *syntax.ForClause:
		return a.loop(n, d)
	case *syntax.CaseClause:
		return a.caseClause(n, d)
	case *syntax.FuncDecl:
		a.function(n, d)
	case *syntax.TimeClause:
		if n.Stmt != nil {
			return a.stmt(n.Stmt, d)
		}
	case *syntax.CoprocClause:
		a.stmt(n.Stmt, d)
	case *syntax.DeclClause:
		a.declare(n, d)
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		a.inside(n, d)
	default:
		a.never(n, d, "it is not known what it does")
	}
	return stays(d)
}

func (a *analysis) binary(n *syntax.BinaryCmd, d dirs) outcome {
	x := a.stmt(n.X, d)
	switch n.Op {
	case syntax.AndStmt:
		y := a.stmt(n.Y, x.ok)
		return outcome{ok: y.ok, fail: x.fail.or(y.fail)}
	case syntax.OrStmt:
		y := a.stmt(n.Y, x.fail)
		return outcome{ok: x.ok.or(y.ok), fail: y.fail}
	case syntax.Pipe, syntax.PipeAll:
	}
	// Each side of a pipe is a shell of its own; the last is not in every shell.
	y := a.unfed([]*syntax.Stmt{n.Y}, d)
	return stays(d.or(y.either()))
}

func (a *analysis) ifClause(n *syntax.IfClause, d dirs) outcome {
	if len(n.Cond) == 0 { // an else
		return a.stmts(n.Then, d)
	}
	cond := a.stmts(n.Cond, d)
	then, other := a.stmts(n.Then, cond.ok), outcome{ok: cond.fail, fail: dirs{dead: true}}
	if n.Else != nil {
		other = a.ifClause(n.Else, cond.fail)
	}
	return then.or(other)
}

// loop walks a body that runs again where it has ended.
func (a *analysis) loop(n syntax.Command, d dirs) outcome {
	if a.moves(n) {
		d = dirs{unknown: true}
	}
	switch n := n.(type) {
	case *syntax.WhileClause:
		a.stmts(n.Cond, d)
		a.stmts(n.Do, d)
	case *syntax.ForClause:
		a.inside(n.Loop, d)
		if iter, ok := n.Loop.(*syntax.WordIter); ok {
			a.items(iter, d)
		}
		a.stmts(n.Do, d)
	}
	return stays(d)
}

// items records what a loop gives to its variable.
func (a *analysis) items(n *syntax.WordIter, d dirs) {
	if holdsCommand(n.Name.Value) {
		a.hidden(n, d, "it sets "+n.Name.Value)
		return
	}
	if dangerous(n.Name.Value) {
		a.never(n, d, "it sets "+n.Name.Value)
		return
	}
	s := step{kind: PartCommand, text: a.source(n), dirs: d, also: a.words(n.Items), free: true, inert: true}
	if slices.ContainsFunc(s.also, stores) {
		s.free, s.inert = false, false
		s.obscure("it keeps a command in a variable")
	}
	a.add(s)
}

func (a *analysis) caseClause(n *syntax.CaseClause, d dirs) outcome {
	a.inside(n.Word, d)
	out := stays(d)
	for _, item := range n.Items {
		for _, pattern := range item.Patterns {
			a.inside(pattern, d)
		}
		out = out.or(a.stmts(item.Stmts, out.either()))
	}
	return out
}

// function walks the body of a function, which runs wherever it is called.
func (a *analysis) function(n *syntax.FuncDecl, d dirs) {
	a.never(n, d, "it defines a function")
	moves := a.moves(n.Body)
	if a.funcs == nil {
		a.funcs = map[string]bool{}
	}
	if n.Name != nil {
		a.funcs[n.Name.Value] = moves || a.funcs[n.Name.Value]
	}
	if a.moved {
		d = dirs{unknown: true}
	}
	a.stmt(n.Body, d)
}

// moves reports whether n has a command that may change the directory of the
// shell that runs it.
func (a *analysis) moves(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			found = found || slices.ContainsFunc(n.Args, a.moving)
		}
		return !found
	})
	return found
}

// moving reports whether a word may name a command that changes the directory.
func (a *analysis) moving(w *syntax.Word) bool {
	name := a.word(w).text
	switch name {
	case "cd", "pushd", "popd", "eval":
		return true
	}
	return a.funcs[name]
}

// never records something that no pattern can speak of.
func (a *analysis) never(n syntax.Node, d dirs, why string) {
	s := step{kind: PartCommand, text: a.source(n), dirs: d}
	s.restrict(byText, why)
	a.add(s)
}

// inside walks the commands that expansions in n run, and what else an expansion
// can do.
func (a *analysis) inside(n syntax.Node, d dirs) {
	if plainWord(n) {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			a.unfed(n.Stmts, d)
			return false
		case *syntax.ProcSubst:
			a.unfed(n.Stmts, d)
			return false
		case *syntax.ParamExp:
			a.parameter(n, d)
		case *syntax.ArithmExp:
			a.arithmetic(n, n.X, d)
		case *syntax.ArithmCmd:
			a.arithmetic(n, n.X, d)
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				a.arithmetic(n, x, d)
			}
		case *syntax.CStyleLoop:
			for _, x := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
				a.arithmetic(n, x, d)
			}
		case *syntax.BinaryTest:
			a.comparison(n, d)
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				a.arithmeticText(n, d)
			}
		}
		return true
	})
}

// unfed walks commands that read something else than the here-document around
// them.
func (a *analysis) unfed(list []*syntax.Stmt, d dirs) outcome {
	before := a.here
	a.here.fed, a.here.stdin = false, ""
	out := a.stmts(list, d)
	a.here = before
	return out
}

// plainWord reports whether n is a word without any expansion.
func plainWord(n syntax.Node) bool {
	w, ok := n.(*syntax.Word)
	if !ok || w == nil {
		return w == nil && ok
	}
	for _, part := range w.Parts {
		switch part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		default:
			return false
		}
	}
	return true
}

// redirect records the file that a redirection opens. Descriptors, the null
// device and the terminal are no files.
func (a *analysis) redirect(r *syntax.Redirect, d dirs) {
	a.inside(r.Word, d)
	if r.Hdoc != nil {
		a.inside(r.Hdoc, d)
	}
	if r.N != nil && len(r.N.Value) > 2 && dangerous(trimBraces(r.N.Value)) {
		a.never(r, d, "it sets "+trimBraces(r.N.Value))
	}
	kind := PartWrite
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
		return
	case syntax.RdrIn:
		kind = PartRead
	default:
	}
	if len(r.Word.Parts) == 1 {
		if _, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok {
			return
		}
	}
	target := a.word(r.Word)
	if r.Op == syntax.DplOut && descriptor(target.text) || !target.dynamic && device(target.text) {
		return
	}
	if connects(&target) {
		a.never(r, d, "it connects to another host")
	}
	a.add(step{kind: kind, text: a.source(r), dirs: d, words: []word{target}})
}

// connects reports whether the target of a redirection is none of the files but a
// connection that the shell opens.
func connects(w *word) bool {
	text := w.text
	if w.dynamic && w.pattern != "" {
		text = w.pattern
	}
	for _, text := range append(w.values, text) {
		if strings.HasPrefix(text, "/dev/tcp/") || strings.HasPrefix(text, "/dev/udp/") {
			return true
		}
	}
	return false
}

// defines reports whether a script has a function at its top.
func defines(file *syntax.File) bool {
	return slices.ContainsFunc(file.Stmts, func(s *syntax.Stmt) bool {
		_, ok := s.Cmd.(*syntax.FuncDecl)
		return ok
	})
}
