package main

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// parseSource returns the files of a package that are not tests.
func parseSource(t *testing.T, dir string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no package %s (%v)", dir, err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// constantsOf are the values of all constants declared in the packages.
func constantsOf(t *testing.T, dirs []string) map[int64]bool {
	values := map[int64]bool{}
	for _, dir := range dirs {
		named := map[string]constant.Value{}
		for _, file := range parseSource(t, dir) {
			ast.Inspect(file, func(n ast.Node) bool {
				decl, ok := n.(*ast.GenDecl)
				if !ok || decl.Tok != token.CONST {
					return true
				}
				for _, spec := range decl.Specs {
					for i, expr := range spec.(*ast.ValueSpec).Values {
						v := evaluate(expr, named)
						named[spec.(*ast.ValueSpec).Names[i].Name] = v
						if n, exact := constant.Int64Val(constant.ToInt(v)); exact {
							values[n] = true
						}
					}
				}
				return true
			})
		}
	}
	return values
}

// evaluate computes what limits are written with; anything else is unknown.
func evaluate(e ast.Expr, named map[string]constant.Value) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.ParenExpr:
		return evaluate(e.X, named)
	case *ast.Ident:
		if v, ok := named[e.Name]; ok {
			return v
		}
	case *ast.SelectorExpr:
		unit := map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute}
		if d, ok := unit[e.Sel.Name]; ok {
			return constant.MakeInt64(int64(d))
		}
	case *ast.BinaryExpr:
		x, y := constant.ToInt(evaluate(e.X, named)), constant.ToInt(evaluate(e.Y, named))
		if x.Kind() != constant.Int || y.Kind() != constant.Int {
			break
		}
		switch e.Op {
		case token.SHL:
			n, _ := constant.Uint64Val(y)
			return constant.Shift(x, token.SHL, uint(n))
		case token.MUL, token.ADD, token.SUB:
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return constant.MakeUnknown()
}

// textsOf are the string literals of the packages; those added up in one
// expression are one text.
func textsOf(t *testing.T, dirs []string) []string {
	var texts []string
	for _, dir := range dirs {
		for _, file := range parseSource(t, dir) {
			ast.Inspect(file, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text, found := literal(e)
				if found {
					texts = append(texts, text)
				}
				return !found
			})
		}
	}
	return texts
}

// literal joins the string literals of a sum; what is no literal is a gap.
func literal(e ast.Expr) (text string, found bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return constant.StringVal(constant.MakeFromLiteral(e.Value, e.Kind, 0)), true
		}
	case *ast.BinaryExpr:
		x, inX := literal(e.X)
		y, inY := literal(e.Y)
		return x + y, inX || inY
	}
	return "", false
}
