package symbol

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// goFile is a Go source and where its nodes stand in it.
type goFile struct {
	text string
	file *token.File
	list []Symbol
}

func listGo(text string) ([]Symbol, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the Go source does not parse, at %w", err)
	}
	g := &goFile{text: text, file: set.File(tree.FileStart)}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.function(d)
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				g.group(d)
			}
		}
	}
	return g.list, nil
}

func (g *goFile) at(p token.Pos) int { return g.file.Offset(p) }

func (g *goFile) function(d *ast.FuncDecl) {
	s := Symbol{Name: d.Name.Name, Kind: "func"}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		s.Kind, s.Parent = "method", receiver(d.Recv.List[0].Type)
	}
	g.add(s, d.Name, d.Doc, d, nil)
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// group takes a const, var or type declaration apart. The last of a group goes
// with the group.
func (g *goFile) group(d *ast.GenDecl) {
	numbered := d.Tok == token.CONST && usesIota(d)
	for i, spec := range d.Specs {
		doc, comment, names := parts(spec)
		node := ast.Node(spec)
		if len(d.Specs) == 1 {
			doc, node = firstDoc(d.Doc, doc), d
		}
		for _, name := range names {
			s := Symbol{Name: name.Name, Kind: d.Tok.String()}
			switch {
			case len(names) > 1:
				s.Unsure = "it is declared together with other names"
			case d.Tok == token.CONST && i+1 < len(d.Specs) && repeats(d.Specs[i+1]) && !repeats(spec):
				s.Unsure = "the constants after it repeat its value"
			case numbered && i+1 < len(d.Specs):
				s.Unsure = "constants after it are numbered by iota"
			}
			g.add(s, name, doc, node, comment)
		}
	}
}

func parts(spec ast.Spec) (doc, comment *ast.CommentGroup, names []*ast.Ident) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Doc, s.Comment, []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Doc, s.Comment, s.Names
	}
	return nil, nil, nil
}

func firstDoc(a, b *ast.CommentGroup) *ast.CommentGroup {
	if a != nil {
		return a
	}
	return b
}

// repeats reports whether a constant takes its value from the one before it.
func repeats(spec ast.Spec) bool {
	v, ok := spec.(*ast.ValueSpec)
	return ok && len(v.Values) == 0 && v.Type == nil
}

// usesIota reports whether a value in the group counts the constants before it.
func usesIota(d *ast.GenDecl) bool {
	found := false
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for _, value := range v.Values {
			ast.Inspect(value, func(n ast.Node) bool {
				name, ok := n.(*ast.Ident)
				found = found || ok && name.Name == "iota"
				return !found
			})
		}
	}
	return found
}

func (g *goFile) add(s Symbol, name *ast.Ident, doc *ast.CommentGroup, node ast.Node, comment *ast.CommentGroup) {
	start, end := g.at(node.Pos()), g.at(node.End())
	if doc != nil && g.at(doc.Pos()) < start {
		start = g.at(doc.Pos())
	}
	if comment != nil && g.at(comment.Pos()) >= end {
		end = g.commentEnd(g.at(comment.Pos()))
	}
	s.Line = lineAt(g.text, g.at(name.Pos()))
	g.list = append(g.list, wholeLines(g.text, s, start, end, "//"))
}

// commentEnd looks for the end in the text, because a comment's own length does
// not count carriage returns.
func (g *goFile) commentEnd(start int) int {
	if strings.HasPrefix(g.text[start:], "/*") {
		if n := strings.Index(g.text[start+2:], "*/"); n >= 0 {
			return start + 2 + n + 2
		}
	}
	return len(strings.TrimRight(g.text[:lineEnd(g.text, start)], "\r\n"))
}

// wholeLines gives s the lines from start to end. A comment that begins with mark
// may follow on the last of them, a semicolon too.
func wholeLines(text string, s Symbol, start, end int, mark string) Symbol {
	s.Start, s.End = lineStart(text, start), lineEnd(text, end)
	if end > 0 && text[end-1] == '\n' {
		s.End = end
	}
	rest := strings.TrimSpace(text[end:max(end, s.End)])
	rest = strings.TrimSpace(strings.TrimPrefix(rest, ";"))
	closed := strings.HasPrefix(rest, "/*") && mark == "//" && strings.Index(rest[2:], "*/") == len(rest)-4
	if !blank(text[s.Start:start]) || rest != "" && !strings.HasPrefix(rest, mark) && !closed {
		if s.Unsure == "" {
			s.Unsure = sharesLine
		}
	}
	return s
}
