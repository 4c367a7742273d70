package file_test

import (
	"strings"
	"testing"

	"reasonix/core/internal/textenc"
)

func encoded(t testing.TB, e textenc.Encoding, text string) string {
	t.Helper()
	data, err := e.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return e.BOM() + string(data)
}

func TestED01CRLFFileLFOldText(t *testing.T) {
	b := open(t)
	b.put("f", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n")
	b.read("f")
	b.edit("f", "3\n4", "three\nand\nfour")
	b.holds("f", "1\r\n2\r\nthree\r\nand\r\nfour\r\n5\r\n6\r\n")
}

func TestED03NoDoubledCR(t *testing.T) {
	b := open(t)
	b.put("f", "1\r\n2\r\n3\r\n")
	b.read("f")
	b.edit("f", "2\r\n3", "two\r\nthree\r\n")
	b.holds("f", "1\r\ntwo\r\nthree\r\n\r\n")
	b.ok("write_file", args{"path": "f", "content": "a\r\nb\r\n"})
	b.holds("f", "a\r\nb\r\n")
	b.ok("write_file", args{"path": "f", "content": "a\nc\n"})
	b.holds("f", "a\r\nc\r\n")
	b.ok("write_file", args{"path": "g", "content": "a\r\nb\r\n"})
	b.holds("g", "a\r\nb\r\n")
}

func TestED04BOM(t *testing.T) {
	b := open(t)
	b.put("f", "\xef\xbb\xbffirst\nsecond\n")
	if got := b.read("f"); got != "1\tfirst\n2\tsecond\n" {
		t.Errorf("read shows %q", got)
	}
	b.edit("f", "first", "1st")
	b.holds("f", "\xef\xbb\xbf1st\nsecond\n")
	b.edit("f", "\uFEFF1st", "one")
	b.holds("f", "\xef\xbb\xbfone\nsecond\n")
	b.ok("write_file", args{"path": "f", "content": "\uFEFFnew\n"})
	b.holds("f", "\xef\xbb\xbfnew\n")
}

func TestED05LegacyEncoding(t *testing.T) {
	const text = "// 计算两个数字的和\nfunc add() int {\n\treturn 1 // 返回结果\n}\n"
	for _, e := range []textenc.Encoding{textenc.GB18030, textenc.UTF16LEBOM, textenc.UTF16BEBOM, textenc.UTF16LE} {
		t.Run(e.String(), func(t *testing.T) {
			b := open(t)
			b.put("f", encoded(t, e, text))
			if got := b.read("f"); !strings.Contains(got, "计算两个数字的和") || !strings.Contains(got, "[encoding "+e.String()+"]") {
				t.Errorf("read shows %q", got)
			}
			b.edit("f", "return 1", "return 2")
			b.edit("f", "返回结果", "返回😀")
			want := strings.NewReplacer("return 1", "return 2", "返回结果", "返回😀").Replace(text)
			b.holds("f", encoded(t, e, want))
		})
	}
	t.Run("a character the encoding lacks", func(t *testing.T) {
		b := open(t)
		b.put("f", encoded(t, textenc.Latin1, "Größe = 1\nfür = 2\n"))
		b.read("f")
		b.refused("edit_file", args{"path": "f", "old_string": "Größe", "new_string": "Größe 😀"}, "😀", "U+1F600", "Latin-1", "Nothing was written")
		b.refused("write_file", args{"path": "f", "content": "5 €\n"}, "€", "U+20AC")
		b.edit("f", "Größe", "Höhe")
		b.holds("f", encoded(t, textenc.Latin1, "Höhe = 1\nfür = 2\n"))
		b.ok("write_file", args{"path": "f", "content": "Fuß\n"})
		b.holds("f", encoded(t, textenc.Latin1, "Fuß\n"))
	})
}

func TestED11TypographicBytesAreKept(t *testing.T) {
	b := open(t)
	const text = "‘it’s’ “so” — a\u00a0b\nre := `['’]`\n"
	b.ok("write_file", args{"path": "f", "content": text})
	b.holds("f", text)
	b.edit("f", "`['’]`", "`[’'‘]`")
	b.holds("f", "‘it’s’ “so” — a\u00a0b\nre := `[’'‘]`\n")
	b.edit("f", "'it's' \"so\" - a b", "'it's' \"so\" - a c!")
	b.holds("f", "‘it’s’ “so” — a\u00a0c!\nre := `[’'‘]`\n")
	b.refused("edit_file", args{"path": "f", "old_string": "“so”—a", "new_string": "x"}, "line 1", "U+2014", "U+0020 SPACE")
}

func TestED12InvisibleMismatch(t *testing.T) {
	b := open(t)
	b.put("f", "x\nlet\u00a0a = 1;\ny\n")
	b.read("f")
	out := b.edit("f", "let a = 1;", "let a = 2;")
	b.holds("f", "x\nlet\u00a0a = 2;\ny\n")
	if !strings.Contains(out, "not an exact match") || !strings.Contains(out, "+let\u00a0a = 2;") {
		t.Errorf("result hides the loose match: %q", out)
	}
	b.put("g", "let\u200ba = 1;\n")
	b.refused("edit_file", args{"path": "g", "old_string": "leta = 1;", "new_string": "b"}, "column 4", "U+200B ZERO WIDTH SPACE")
}

func TestED15SeveralMatches(t *testing.T) {
	b := open(t)
	b.put("f", "a\nx = 1\nb\nx = 1\nx = 1\n")
	b.read("f")
	a := args{"path": "f", "old_string": "x = 1", "new_string": "x = 2"}
	b.refused("edit_file", a, "3 times", "lines 2, 4, 5", "Nothing was written", "replace_all")
	a["replace_all"] = true
	if out := b.ok("edit_file", a); !strings.Contains(out, "3 places, lines 2 to 5") {
		t.Errorf("result %q", out)
	}
	b.holds("f", "a\nx = 2\nb\nx = 2\nx = 2\n")
	b.put("g", "p  \r\nq\r\np\t\r\nq\r\n")
	b.refused("edit_file", args{"path": "g", "old_string": "p\nq", "new_string": "r"}, "2 times", "lines 1, 3")
}

func TestED16FinalNewline(t *testing.T) {
	tests := []struct{ name, file, old, new, want string }{
		{"none, last line edited", "a\nb", "b", "c", "a\nc"},
		{"none, old text has one", "a\nb", "b\n", "c\n", "a\nc"},
		{"none, several lines", "a\r\nb", "a\nb\n", "c\nd\n", "c\r\nd"},
		{"one, last line edited", "a\nb\n", "b", "c", "a\nc\n"},
		{"one, new text forgets it", "a\r\nb\r\n", "b\n", "c", "a\r\nc\r\n"},
		{"one, dropped on purpose", "a\nb\n", "b\n", "b", "a\nb"},
		{"none, added on purpose", "a\nb", "b", "b\n", "a\nb\n"},
		{"last line deleted", "a\nb\n", "b\n", "", "a\n"},
		{"all deleted", "a\n", "a\n", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t)
			b.put("f", tt.file)
			b.edit("f", tt.old, tt.new)
			b.holds("f", tt.want)
		})
	}
	b := open(t)
	b.ok("write_file", args{"path": "f", "content": ""})
	b.holds("f", "")
	b.put("g", "a\n")
	b.read("g")
	b.ok("write_file", args{"path": "g", "content": ""})
	b.holds("g", "")
}

func TestED17CopiedLineNumbers(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"both", "2\ttwo\n3\tthree\n", "2\tTWO\n3\tnew\n4\tthree\n", "one\nTWO\nnew\nthree\nfour\n"},
		{"old only", "2\ttwo\n3\tthree", "TWO\nthree", "one\nTWO\nthree\nfour\n"},
		{"padded, with an arrow", "    2→two\n    3→three", "    2→2\n    3→3", "one\n2\n3\nfour\n"},
		{"first line begun in the middle", "wo\n3\tthree", "WO\n3\tthree", "one\ntWO\nthree\nfour\n"},
		{"one line", "4\tfour", "4\t4", "one\ntwo\nthree\n4\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t)
			b.put("f", "one\ntwo\nthree\nfour\n")
			b.read("f")
			b.edit("f", tt.old, tt.new)
			b.holds("f", tt.want)
		})
	}
	t.Run("a file that has such lines", func(t *testing.T) {
		b := open(t)
		b.put("f", "1\ta\n2\tb\n")
		b.edit("f", "2\tb", "3\tc")
		b.holds("f", "1\ta\n3\tc\n")
	})
	t.Run("numbers that do not count up are text", func(t *testing.T) {
		b := open(t)
		b.put("f", "a\nb\n")
		b.refused("edit_file", args{"path": "f", "old_string": "7\ta\n3\tb", "new_string": "x"}, "not found")
	})
}

func TestED20LongExactText(t *testing.T) {
	b := open(t)
	line := strings.Repeat("中文 `code` and text, ", 90)
	b.put("f", "# Title\n\n"+line+"\n\nend\n")
	if !strings.Contains(b.read("f"), "3\t"+line+"\n") {
		t.Error("the line is not shown whole")
	}
	b.edit("f", line, line+"more")
	b.holds("f", "# Title\n\n"+line+"more\n\nend\n")
}

func TestED21TabsAndIndentation(t *testing.T) {
	t.Run("Makefile, spaces for tabs", func(t *testing.T) {
		b := open(t)
		b.put("Makefile", "all:\n\tcc -o a a.c\n\tstrip a\n")
		b.edit("Makefile", "        cc -o a a.c\n        strip a", "        cc -O2 -o a a.c\n        strip a\n        ls")
		b.holds("Makefile", "all:\n\tcc -O2 -o a a.c\n\tstrip a\n\tls\n")
	})
	t.Run("nested, CRLF, first line", func(t *testing.T) {
		b := open(t)
		b.put("f", "\tif a {\r\n\t\tb()\r\n\t}\r\n")
		b.edit("f", "    if a {\n        b()\n    }", "    if a {\n        c()\n        b()\n    }")
		b.holds("f", "\tif a {\r\n\t\tc()\r\n\t\tb()\r\n\t}\r\n")
	})
	t.Run("two places by two widths", func(t *testing.T) {
		b := open(t)
		b.put("f", "x\n\ta\ny\n\t\ta\n")
		b.refused("edit_file", args{"path": "f", "old_string": "        a", "new_string": "        b"}, "2 times", "lines 2, 4")
	})
	const python = "def f():\n    if a:\n        return 1\n    return 2\n"
	t.Run("Python, block at another depth", func(t *testing.T) {
		b := open(t)
		b.put("f.py", python)
		b.refused("edit_file", args{"path": "f.py", "old_string": "if a:\n    return 1\nreturn 2", "new_string": "if b:\n    return 3"},
			"not found", "line 3", "indentation: the file has 8 spaces, old_string has 4 spaces")
		b.refused("edit_file", args{"path": "f.py", "old_string": "    return 1", "new_string": "    x = 1\n    return x"}, "indented deeper", "line 3")
		b.refused("edit_file", args{"path": "f.py", "old_string": "\tif a:\n\t\treturn 1", "new_string": "\tpass"}, "not found", "TAB", "indentation: the file has 8 spaces, old_string has 2 tabs")
	})
	t.Run("trailing blanks differ", func(t *testing.T) {
		b := open(t)
		b.put("f", "a  \nb\t\nc\n")
		b.edit("f", "a\nb\nc", "a\nB\nc")
		b.holds("f", "a  \nB\t\nc\n")
		b.edit("f", "B   \nc", "b   \nc")
		b.holds("f", "a  \nb\t\nc\n")
	})
}

func TestED22EveryEditAnswersForItself(t *testing.T) {
	b := open(t)
	b.put("f", "a\nb\nc\n")
	b.read("f")
	b.edit("f", "a", "A")
	b.refused("edit_file", args{"path": "f", "old_string": "nowhere", "new_string": "x"}, "f: old_string not found", "Nothing was written")
	b.edit("f", "c", "C")
	b.holds("f", "A\nb\nC\n")
	b.refused("edit_file", args{"path": "f", "old_string": "a\nb", "new_string": "A\nb"}, "there already, at line 1")
}

func TestED23NeverBothOldAndNew(t *testing.T) {
	b := open(t)
	const text = "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 1\n}\n"
	b.put("f.go", text)
	b.read("f.go")
	for _, old := range []string{
		"func a() {\n\treturn 2\n}",         // a wrong line in the middle
		"func a() {\n\n\treturn 1\n}",       // a line too many
		"func a() {\n}",                     // a line left out
		"func a() {\n\treturn 1\n}\nfunc b", // a blank line left out
	} {
		b.refused("edit_file", args{"path": "f.go", "old_string": old, "new_string": "func c() {}"}, "not found")
	}
	b.holds("f.go", text)
}

func TestEditRefusesWhatCannotBeMeant(t *testing.T) {
	b := open(t)
	b.put("f", "a\n")
	b.put("bin", "a\x00b\x01")
	b.put("sub/name.go", "x")
	b.refused("edit_file", args{"path": "f", "old_string": "a", "new_string": "a"}, "are the same")
	b.refused("edit_file", args{"path": "f", "old_string": "", "new_string": "a"}, "old_string is empty")
	b.refused("edit_file", args{"path": "bin", "old_string": "a", "new_string": "b"}, "binary file", "4 bytes")
	b.refused("edit_file", args{"path": "sub", "old_string": "a", "new_string": "b"}, "is a directory")
	b.refused("edit_file", args{"path": "name.go", "old_string": "a", "new_string": "b"}, "no such file", "sub/name.go")
	b.refused("edit_file", args{"path": "../x", "old_string": "a", "new_string": "b"}, "outside the workspace")
	b.refused("edit_file", args{"path": "f", "old_string": "completely other words", "new_string": "b"}, "Nothing in its 1 lines")
}

func TestEditResultCarriesADiff(t *testing.T) {
	b := open(t)
	b.put("d/f", "a\r\nb\r\n")
	if got, want := b.edit("d/f", "b", "c"), "edited d/f at line 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(b.diffs) != 1 || b.diffs[0].Unified != "--- a/d/f\n+++ b/d/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n" || !strings.HasSuffix(b.diffs[0].Path, "/d/f") {
		t.Errorf("got %+v", b.diffs)
	}
}
