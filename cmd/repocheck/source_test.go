package repocheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	module = "reasonix/"
	root   = "../.."
)

// source is one Go file of the module, whatever system it is for.
type source struct {
	path string // slash-separated, from the root
	pkg  string // its directory
	test bool   // a _test.go file
	set  *token.FileSet
	file *ast.File
}

var parsed = sync.OnceValues(func() ([]source, error) {
	var all []source
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		file, err := parser.ParseFile(set, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, source{rel, path.Dir(rel), strings.HasSuffix(rel, "_test.go"), set, file})
		return nil
	})
	return all, err
})

// sources returns every Go file of the module, parsed once.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s source) imports() []string {
	var paths []string
	for _, spec := range s.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// at formats the position of n for an error message.
func (s source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.set.Position(n.Pos()).Line)
}

func cutModule(imp string) (string, bool) { return strings.CutPrefix(imp, module) }

func matchAny(list, pkg string) bool {
	for _, pattern := range strings.Fields(list) {
		if match(pattern, pkg) {
			return true
		}
	}
	return false
}

// match reports whether pkg is pattern; "p/..." means everything under p, not p
// itself.
func match(pattern, pkg string) bool {
	if base, deep := strings.CutSuffix(pattern, "..."); deep {
		return strings.HasPrefix(pkg, base)
	}
	return pkg == pattern
}

// selector returns "pkg.Name" for such an expression, else "".
func selector(e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		return x.Name + "." + sel.Sel.Name
	}
	return ""
}
