package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// typeDoc is a struct type as its source documents it.
type typeDoc struct {
	name, doc string
	method    string // op or payload: which closed set it belongs to
	tagged    bool   // it has JSON members
	fields    []fieldDoc
}

type fieldDoc struct{ name, kind, doc string }

// typeDocs are the exported struct types of a package, in source order.
type typeDocs struct {
	list   []typeDoc
	byName map[string]typeDoc
}

// parseTypes reads the package in root/dir, files in the order of their names.
func parseTypes(root, dir string) (typeDocs, error) {
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return typeDocs{}, fmt.Errorf("read package %s: %w", dir, err)
	}
	var list []typeDoc
	methods := map[string]string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, dir, e.Name()), nil, parser.ParseComments)
		if err != nil {
			return typeDocs{}, fmt.Errorf("parse package %s: %w", dir, err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				list = append(list, structs(d)...)
			case *ast.FuncDecl:
				if d.Recv != nil {
					methods[types.ExprString(d.Recv.List[0].Type)+"."+d.Name.Name] = d.Name.Name
				}
			}
		}
	}
	docs := typeDocs{list: list, byName: map[string]typeDoc{}}
	for i := range docs.list {
		t := &docs.list[i]
		for _, m := range []string{"op", "payload"} {
			if methods[t.name+"."+m] != "" {
				t.method = m
			}
		}
		docs.byName[t.name] = *t
	}
	return docs, nil
}

func structs(d *ast.GenDecl) []typeDoc {
	var list []typeDoc
	for _, spec := range d.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok || !ts.Name.IsExported() {
			continue
		}
		st, ok := ts.Type.(*ast.StructType)
		if !ok {
			continue
		}
		doc := ts.Doc
		if doc == nil {
			doc = d.Doc
		}
		t := typeDoc{name: ts.Name.Name, doc: strings.TrimSpace(doc.Text())}
		for _, f := range st.Fields.List {
			fields, tagged := describe(f)
			t.fields = append(t.fields, fields...)
			t.tagged = t.tagged || tagged
		}
		list = append(list, t)
	}
	return list
}

// describe returns the exported names of one field line under the names that JSON
// gives them.
func describe(f *ast.Field) (fields []fieldDoc, tagged bool) {
	var jsonName string
	if f.Tag != nil {
		tag, _ := strconv.Unquote(f.Tag.Value)
		jsonName, _, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	}
	doc := f.Comment.Text()
	if doc == "" {
		doc = f.Doc.Text()
	}
	for _, name := range f.Names {
		if !name.IsExported() {
			continue
		}
		shown := name.Name
		if jsonName != "" {
			shown = jsonName
		}
		fields = append(fields, fieldDoc{shown, types.ExprString(f.Type), strings.Join(strings.Fields(doc), " ")})
	}
	return fields, jsonName != ""
}
