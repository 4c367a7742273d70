package repocheck_test

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"

	"reasonix/core/i18n"
)

// whose are the codes without a sentence of ours: the text is somebody else's.
var whose = map[string]string{
	"warning": "of the configuration, in English as every error of a command",
}

// A notice that only speaks English reaches people who chose another language. Every
// code that the source writes out has a sentence, with as many arguments as come with it.
func TestEveryNoticeIsTranslated(t *testing.T) {
	checked := 0
	for _, f := range sources(t) {
		if f.test || strings.HasSuffix(f.pkg, "test") {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			code, args, ok := noticeIn(n)
			if !ok || whose[code] != "" {
				return true
			}
			checked++
			if i18n.Notice(i18n.English, code, make([]string, max(args, 0)), "\x00") == "\x00" && args >= 0 {
				t.Errorf("%s: the notice %s with %d arguments has no sentence in core/i18n/notices.go", f.at(n), code, args)
			}
			if _, known := i18n.Lookup(i18n.English, "notice."+code); !known {
				t.Errorf("%s: the notice %s is not in core/i18n/notices.go", f.at(n), code)
			}
			return true
		})
	}
	if checked < 30 {
		t.Errorf("only %d notices were found; does this test still know one when it sees it?", checked)
	}
}

// noticeIn is a notice as n writes it out: an event.Notice, or a call of a method warn
// with a code, its arguments and a text. args is -1 when they cannot be counted here.
func noticeIn(n ast.Node) (code string, args int, ok bool) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if selector(n.Type) != "event.Notice" {
			return "", 0, false
		}
		for _, e := range n.Elts {
			kv, _ := e.(*ast.KeyValueExpr)
			if kv == nil {
				return "", 0, false
			}
			switch key, _ := kv.Key.(*ast.Ident); key.Name {
			case "Code":
				code, ok = literal(kv.Value)
			case "Args":
				args = count(kv.Value)
			}
		}
		return code, args, ok
	case *ast.CallExpr:
		if sel, _ := n.Fun.(*ast.SelectorExpr); sel == nil || sel.Sel.Name != "warn" || len(n.Args) != 3 {
			return "", 0, false
		}
		code, ok = literal(n.Args[0])
		return code, count(n.Args[1]), ok
	}
	return "", 0, false
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// count is how many elements a list that is written out has, -1 for another expression.
func count(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return len(e.Elts)
	case *ast.Ident:
		if e.Name == "nil" {
			return 0
		}
	}
	return -1
}
