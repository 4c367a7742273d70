package file_test

import (
	"strings"
	"testing"

	"reasonix/core/internal/textenc"
)

func TestDeleteSymbol(t *testing.T) {
	const goFile = "package p\n\n// A is.\nfunc A() {\n}\n\ntype T struct{}\n\nfunc (t *T) A() {\n}\n"
	for _, tt := range []struct {
		name, file, text string
		call             args
		want             string
	}{
		{"a function of Go", "a.go", goFile, args{"name": "A", "kind": "func"}, "package p\n\ntype T struct{}\n\nfunc (t *T) A() {\n}\n"},
		{"a method, at the end", "a.go", goFile, args{"name": "A", "parent": "*T"}, "package p\n\n// A is.\nfunc A() {\n}\n\ntype T struct{}\n"},
		{"a method by its full name", "a.go", goFile, args{"name": "(*T).A"}, "package p\n\n// A is.\nfunc A() {\n}\n\ntype T struct{}\n"},
		{"a word of another language", "a.go", goFile, args{"name": "T", "kind": "class"}, "package p\n\n// A is.\nfunc A() {\n}\n\nfunc (t *T) A() {\n}\n"},
		{"blank lines on one side", "a.go", "package p\n\nvar a = 1\nvar b = 2\n\nvar c = 3\n", args{"name": "b"}, "package p\n\nvar a = 1\n\nvar c = 3\n"},
		{"two blank lines", "a.py", "x = 1\n\n\ndef f():\n    pass\n\n\ndef g():\n    pass\n", args{"name": "f"}, "x = 1\n\n\ndef g():\n    pass\n"},
		{"a method of two, CRLF", "a.py", "class A:\r\n    def f(self):\r\n        pass\r\n\r\n    def g(self):\r\n        pass\r\n", args{"name": "A.f"}, "class A:\r\n    def g(self):\r\n        pass\r\n"},
		{"no final line end", "a.js", "let a = 1\n\nfunction f() {\n}", args{"name": "f()"}, "let a = 1"},
		{"all there is", "a.js", "\xef\xbb\xbffunction f() {\n}\n\n", args{"name": "f"}, "\xef\xbb\xbf"},
		{"behind an opening brace", "A.java", "class A {\n    void f() {}\n\n    void g() {}\n}\n", args{"name": "f"}, "class A {\n    void g() {}\n}\n"},
		{"in front of a closing one", "A.java", "class A {\n    void f() {}\n\n    void g() {}\n}\n", args{"name": "g"}, "class A {\n    void f() {}\n}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t)
			b.put(tt.file, tt.text)
			tt.call["path"] = tt.file
			out := b.ok("delete_symbol", tt.call)
			b.holds(tt.file, tt.want)
			if len(b.diffs) != 1 || !strings.Contains(out, b.diffs[0].Unified) {
				t.Errorf("the result lacks the diff: %q", out)
			}
		})
	}
}

func TestDeleteSymbolSaysWhatItDid(t *testing.T) {
	b := open(t)
	b.put("a.py", "x = 1\n\ndef f():\n    pass\n\ny = 2\n")
	if got, want := b.ok("delete_symbol", args{"path": "a.py", "name": "f"}), "deleted lines 3 to 5 of a.py: func f at line 3\n--- a/a.py\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b.put("b.py", encoded(t, textenc.GB18030, "# 这是一个文件的注释\n\ndef f(): # 返回\n    pass\n\ndef g(): # 结果\n    pass\n"))
	b.ok("delete_symbol", args{"path": "b.py", "name": "f"})
	b.holds("b.py", encoded(t, textenc.GB18030, "# 这是一个文件的注释\n\ndef g(): # 结果\n    pass\n"))
}

func TestDeleteSymbolRefuses(t *testing.T) {
	b := open(t)
	b.put("a.go", "package p\n\nfunc init() {}\n\nfunc init() {}\n\ntype A struct{}\n\nfunc (A) f() {}\n\ntype B struct{}\n\nfunc (B) f() {}\n\nvar x, y = 1, 2\n")
	b.put("bad.go", "package p\n\nfunc {\n")
	b.put("bad.js", "function f() {\n")
	b.put("a.txt", "x\n")
	for _, tt := range []struct {
		call  args
		words []string
	}{
		{args{"path": "a.go", "name": "f"}, []string{"2 symbols", "method A.f at line 9", "method B.f at line 13", "kind or parent", "Nothing was written"}},
		{args{"path": "a.go", "name": "init"}, []string{"func init at line 3", "func init at line 5", "delete_range"}},
		{args{"path": "a.go", "name": "x"}, []string{"var x at line 15", "together", "edit_file"}},
		{args{"path": "a.go", "name": "g"}, []string{"no such symbol", "Nearest:", "method A.f at line 9"}},
		{args{"path": "a.go", "name": "f", "parent": "C"}, []string{"no such symbol"}},
		{args{"path": "a.go", "name": "A", "kind": "func"}, []string{"no such symbol"}},
		{args{"path": "bad.go", "name": "f"}, []string{"does not parse, at 3:6", "delete_range"}},
		{args{"path": "bad.js", "name": "f"}, []string{"the { at line 1 has no partner"}},
		{args{"path": "a.txt", "name": "f"}, []string{"language not known", ".txt", "delete_range"}},
		{args{"path": "none.go", "name": "f"}, []string{"no such file"}},
	} {
		b.refused("delete_symbol", tt.call, tt.words...)
	}
	b.read("a.go")
	b.put("a.go", "package p\n\nfunc f() {}\n")
	b.refused("delete_symbol", args{"path": "a.go", "name": "f"}, "changed on disk")
}
