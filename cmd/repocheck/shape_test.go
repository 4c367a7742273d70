package repocheck_test

import (
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// topLevel is fixed by the product's owner; names that begin with a dot are free.
var topLevel = strings.Fields(`go.mod go.sum Makefile README.md README.zh-CN.md LICENSE
	reasonix.example.toml cmd commands core integrations sandbox completions docs`)

// ignored are what the build leaves behind (.gitignore).
var ignored = []string{"bin", "dist"}

func TestTopLevelIsFixed(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) && !slices.Contains(ignored, name) {
			t.Errorf("%s does not belong at the top level (docs/architecture.md section 1)", name)
		}
	}
}

// Every package says in three lines or more what it is, what it refuses to do and
// who calls it.
func TestEveryPackageHasADoc(t *testing.T) {
	lines := map[string]int{}
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		n := 0
		if f.file.Doc != nil {
			n = strings.Count(strings.TrimSpace(f.file.Doc.Text()), "\n") + 1
		}
		lines[f.pkg] = max(lines[f.pkg], n)
	}
	for pkg, n := range lines {
		if n < 3 {
			t.Errorf("%s: the package doc has %d lines, want at least 3", pkg, n)
		}
	}
}

// Registration is the only permitted init: it runs at every start, also when the
// binary re-executes itself.
func TestInitOnlyRegisters(t *testing.T) {
	registers := []string{"tool.RegisterBuiltin", "provider.Register"}
	for _, f := range sources(t) {
		for _, decl := range f.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name != "init" {
				continue
			}
			for _, stmt := range fn.Body.List {
				expr, _ := stmt.(*ast.ExprStmt)
				if expr == nil || !slices.Contains(registers, called(expr.X)) {
					t.Errorf("%s: init may only call %s", f.at(stmt), strings.Join(registers, " or "))
				}
			}
		}
	}
}

// A pattern compiled at package level costs every start; sync.OnceValue costs the
// first use.
func TestPackageVariablesAreCheap(t *testing.T) {
	dear := []string{"regexp.MustCompile", "regexp.Compile", "regexp.MustCompilePOSIX", "time.LoadLocation"}
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, decl := range f.file.Decls {
			vars, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(vars, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && slices.Contains(dear, called(call)) {
					t.Errorf("%s: %s at package level; wrap it in sync.OnceValue", f.at(n), called(call))
				}
				_, lazy := n.(*ast.FuncLit)
				return !lazy
			})
		}
	}
}

// called returns "pkg.Name" when e is a call of it.
func called(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok {
		return selector(call.Fun)
	}
	return ""
}
