package file_test

import (
	"strings"
	"testing"
)

func between(start, end string) args {
	return args{"path": "f", "start_anchor": start, "end_anchor": end}
}

func TestDeleteRange(t *testing.T) {
	for _, tt := range []struct{ name, file, start, end, want string }{
		{"in the middle", "a\nb\nc\nd\n", "b", "c", "a\nd\n"},
		{"one line", "a\nb\nc\n", "b", "b", "a\nc\n"},
		{"the first", "a\nb\nc\n", "a", "b", "c\n"},
		{"the last", "a\nb\nc\n", "b", "c", "a\n"},
		{"the last, no final line end", "a\r\nb\r\nc", "b", "c", "a"},
		{"in the middle, no final line end", "a\nb\nc", "b", "b", "a\nc"},
		{"all", "a\nb\n", "a", "b", ""},
		{"all, no final line end", "a\nb", "a", "b", ""},
		{"CRLF", "a\r\nb\r\nc\r\n", "b\n", "b\r\n", "a\r\nc\r\n"},
		{"mixed line ends", "a\r\nb\nc\r\nd\n", "b", "c", "a\r\nd\n"},
		{"byte order mark", "\xef\xbb\xbfa\nb\n", "a", "a", "\xef\xbb\xbfb\n"},
		{"a whole line before a part of one", "aa\na\nb\n", "a", "b", "aa\n"},
		{"blanks at the ends", "x\n\tif a {  \n\t}\n", "if a {", "if a {", "x\n\t}\n"},
		{"typography", "x\nit’s\ny\n", "it's", "it's", "x\ny\n"},
		{"a part of a line", "x\nfunc a(b int) {\n}\ny\n", "func a(", "}", "x\ny\n"},
		{"line numbers of read_file", "x\ny\nz\n", "2\ty", "3\tz", "x\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t)
			b.put("f", tt.file)
			b.ok("delete_range", between(tt.start, tt.end))
			b.holds("f", tt.want)
		})
	}
}

func TestDeleteRangeWithoutTheAnchors(t *testing.T) {
	b := open(t)
	b.put("f", "a\nb\nc\nd\n")
	a := between("a", "d")
	a["inclusive"] = false
	out := b.ok("delete_range", a)
	b.holds("f", "a\nd\n")
	if want := "deleted lines 2 to 3 of f\n--- a/f\n+++ b/f\n@@ -1,4 +1,2 @@\n a\n-b\n-c\n d\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	b.refused("delete_range", a, "no line is between")
	b.put("g", "a\nb\nc")
	if out := b.ok("delete_range", args{"path": "g", "start_anchor": "b", "end_anchor": "c"}); !strings.HasPrefix(out, "deleted lines 2 to 3 of g\n") {
		t.Errorf("got %q", out)
	}
}

func TestDeleteRangeRefuses(t *testing.T) {
	b := open(t)
	b.put("f", "a\nx\nb\nx\nlonger line here\n")
	b.read("f")
	b.refused("delete_range", between("b", "a"), "start_anchor is at line 3", "end_anchor at line 1")
	b.refused("delete_range", between("a", "x"), "end_anchor occurs 2 times", "lines 2, 4")
	b.refused("delete_range", between("x", "b"), "start_anchor occurs 2 times")
	b.refused("delete_range", between("longer linen here", "x"), "start_anchor not found", "line 5")
	b.refused("delete_range", between("a\nx", "b"), "several lines")
	b.refused("delete_range", between("a", "\n"), "end_anchor is empty")
	b.put("f", "a\nuser\n")
	b.refused("delete_range", between("a", "user"), "changed on disk")
}
