package file_test

import (
	"strings"
	"testing"

	"reasonix/core/internal/textenc"
)

func edits(pairs ...string) []args {
	var list []args
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, args{"old_string": pairs[i], "new_string": pairs[i+1]})
	}
	return list
}

func TestMultiEditAppliesInOrder(t *testing.T) {
	b := open(t)
	b.put("f", "a\nb\nc\n")
	b.read("f")
	out := b.ok("multi_edit", args{"path": "f", "edits": edits("a", "b1\nb2", "b2\nb", "x", "c", "d")})
	b.holds("f", "b1\nx\nd\n")
	if want := "edited f, 3 edits:\n1. at line 1\n2. at line 2\n3. at line 3"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if len(b.diffs) != 1 || b.diffs[0].Unified != "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n-b\n-c\n+b1\n+x\n+d\n" {
		t.Errorf("got diffs %+v, want one of the whole change", b.diffs)
	}
	b.ok("write_file", args{"path": "f", "content": "its own edits do not block it\n"})
}

func TestMultiEditIsAllOrNothing(t *testing.T) {
	b := open(t)
	b.put("f", "a\nb\nb\n")
	b.read("f")
	for _, tt := range []struct {
		name  string
		edits []args
		words []string
	}{
		{"the second is not found", edits("a", "x", "nowhere", "y", "b", "z"), []string{"edit 2 of 3", "old_string not found", "None of the edits"}},
		{"the last is ambiguous", edits("a", "x\nx", "b", "y"), []string{"edit 2 of 2", "2 times", "lines 3, 4", "counted after the edits before"}},
		{"an empty text", edits("a", "x", "", "y"), []string{"edit 2 of 2", "old_string is empty"}},
		{"the same text", edits("a", "x", "b", "b"), []string{"edit 2 of 2", "are the same"}},
		{"the second finds what the first took", edits("a\nb", "x", "a", "y"), []string{"edit 2 of 2", "not found"}},
		{"they undo each other", edits("a", "x", "x", "a"), []string{"undo each other"}},
		{"none", []args{}, []string{"edits is empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.refused("multi_edit", args{"path": "f", "edits": tt.edits}, tt.words...)
			if len(b.diffs) != 0 {
				t.Errorf("refused, with diffs %+v", b.diffs)
			}
		})
	}
	b.put("f", "a\nuser\n")
	b.refused("multi_edit", args{"path": "f", "edits": edits("a", "x")}, "changed on disk", "+user")
	b.put("bin", "a\x00b")
	b.refused("multi_edit", args{"path": "bin", "edits": edits("a", "x")}, "binary")
	b.refused("multi_edit", args{"path": "../f", "edits": edits("a", "x")}, "outside the workspace")
}

func TestMultiEditHasTheRulesOfEditFile(t *testing.T) {
	b := open(t)
	b.put("f", "\xef\xbb\xbfit’s\r\nb\r\nb\r\nlast")
	out := b.ok("multi_edit", args{"path": "f", "edits": []args{
		{"old_string": "it's\nb", "new_string": "it's\nB"},
		{"old_string": "b", "new_string": "B", "replace_all": true},
		{"old_string": "last\n", "new_string": "end\n"},
	}})
	b.holds("f", "\xef\xbb\xbfit’s\r\nB\r\nB\r\nend")
	if !strings.Contains(out, "1. at line 2 (not an exact match: typographic") && !strings.Contains(out, "1. at line 1 (not an exact match: typographic") {
		t.Errorf("the loose match is not told: %q", out)
	}
	b.put("g", encoded(t, textenc.Latin1, "für\nGröße\n"))
	b.refused("multi_edit", args{"path": "g", "edits": edits("für", "fur", "Größe", "€")}, "edit 2 of 2", "€", "U+20AC")
	b.ok("multi_edit", args{"path": "g", "edits": edits("für", "grün", "Größe", "Höhe")})
	b.holds("g", encoded(t, textenc.Latin1, "grün\nHöhe\n"))
}
