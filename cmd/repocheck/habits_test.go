package repocheck_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// A test that sleeps hopes. Inside a synctest bubble sleeping is exact and free,
// and a function called until or within polls a condition of another process
// under a deadline; nothing else may.
func TestTestsDoNotSleep(t *testing.T) {
	for _, f := range sources(t) {
		if !f.test && !strings.HasSuffix(f.pkg, "test") {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncDecl); ok && slices.Contains([]string{"until", "within"}, strings.ToLower(fn.Name.Name)) {
				return false
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if selector(call.Fun) == "time.Sleep" {
				t.Errorf("%s: time.Sleep outside of synctest.Test; wait for the thing itself", f.at(call))
			}
			return selector(call.Fun) != "synctest.Test"
		})
	}
}

// A skipped test is a hole nobody sees; a build tag says the same in the open.
func TestTestsDoNotSkip(t *testing.T) {
	skips := []string{"Skip", "Skipf", "SkipNow"}
	for _, f := range sources(t) {
		ast.Inspect(f.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			recv, name, _ := strings.Cut(selector(call.Fun), ".")
			if slices.Contains([]string{"t", "b", "f", "tb"}, recv) && slices.Contains(skips, name) {
				t.Errorf("%s: %s.%s; use a build tag, or return", f.at(call), recv, name)
			}
			return true
		})
	}
}

// Work left to do is an issue, not a comment.
func TestNoNotesToSelf(t *testing.T) {
	marks := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X:", "HA" + "CK:"}
	for _, f := range sources(t) {
		for _, group := range f.file.Comments {
			for _, c := range group.List {
				for _, mark := range marks {
					if strings.Contains(c.Text, mark) {
						t.Errorf("%s: %s in a comment; open an issue", f.at(c), mark)
					}
				}
			}
		}
	}
}
