package symbol_test

import (
	"strings"
	"testing"
)

func TestPythonDecorators(t *testing.T) {
	for _, c := range []cut{
		{"a.py", "func f", "x = (a\n     @ b\n)\n«def f():\n    pass\n»"},
		{"a.py", "func f", "x = (a\n@ b\n@ c)\n«# doc\ndef f():\n    pass\n»"},
		{"a.py", "func f", "x = a \\\n@ b\n«def f():\n    pass\n»"},
		{"a.py", "func f", "x = 1\n«@deco(a\n@ b,\n      # why\n\n      '''\ntext\n''')\ndef f():\n    pass\n»"},
		{"a.py", "func f", "# apart\n\n«@one\n\n# doc\n@two\n\ndef f():\n    pass\n»"},
		{"a.py", "func f", "x = '''\n@a\n'''\n«def f():\n    pass\n»"},
		{"a.py", "func f", "«def f():\n    return 1 + \\\n2\n»x = 1\n"},
	} {
		c.check(t)
	}
}

func TestPythonOnlyStatementOfABlockIsUnsure(t *testing.T) {
	for _, tt := range []struct {
		name, symbol, text string
		unsure             bool
	}{
		{"if", "func f", "if a:\n    # doc\n    @deco\n    def f():\n        pass\n\nx = 1\n", true},
		{"else", "func f", "if a:\n    x = 1\nelse:\n    def f():\n        pass\n", true},
		{"in front of else", "func f", "if a:\n    def f():\n        pass\n\n# no\nelse:\n    x = 1\n", true},
		{"try", "class C", "try:\n    class C:\n        x = 1\nexcept E:\n    pass\n", true},
		{"class", "method C.f", "class C(A,\n        B):\n\n    # all\n    def f(self):\n        pass\n", true},
		{"a condition over two lines", "func f", "if a and \\\n        b:\n    def f():\n        pass\n", true},
		{"a class in a class", "class C.D", "class C:\n    class D:\n        x = 1\n", true},
		{"behind a docstring", "method C.f", "class C:\n    '''Doc\nmore\n    '''\n\n    def f(self):\n        pass\n", false},
		{"behind another block", "method C.f", "class C:\n    if a:\n        x = 1\n    def f(self):\n        pass\n", false},
		{"in front of another", "method C.f", "class C:\n    def f(self):\n        pass\n\n    @deco\n    def g(self):\n        pass\n", false},
		{"at the top", "func f", "def f():\n    pass\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := (cut{"a.py", tt.symbol, tt.text}).find(t, tt.text)
			if want := "it is all its block holds"; tt.unsure != (s.Unsure != "") || tt.unsure && !strings.Contains(s.Unsure, want) {
				t.Errorf("unsure is %q, want it: %v", s.Unsure, tt.unsure)
			}
		})
	}
}
