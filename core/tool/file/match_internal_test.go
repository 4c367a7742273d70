package file

import (
	"strings"
	"testing"
)

// FuzzFind holds, for texts of any kind, what every edit rests on: changes are in
// order and inside the text, lie where the old text is, and an exact match is
// replaced as it is.
func FuzzFind(f *testing.F) {
	for _, s := range [][3]string{
		{"a\r\nb\r\n", "a\nb", "c\nd"},
		{"x ’y’ \u00a0 \nz", "x 'y'\nz\n", "q"},
		{"\ta\n\t\tb", "    a\n        b", "    c"},
		{"one\ntwo", "1\tone\n2\ttwo\n", "1\tthree"},
		{"a \u00a0b", "a  ", "c"},
		{"\xff\n \n", " \n", "\r"},
		{"foo \u00a0\nbar", "foo  \nbar", "foo\nbar"},
	} {
		f.Add(s[0], s[1], s[2], false)
		f.Add(s[0], s[1], s[2], true)
	}
	f.Fuzz(func(t *testing.T, text, old, new string, all bool) {
		if old == "" || old == new {
			return
		}
		got, ok, err := find(text, old, new, all)
		if err != nil || !ok {
			if strings.Count(text, old) == 1 {
				t.Fatalf("find(%q, %q): an exact match was missed: %v", text, old, err)
			}
			explain(text, old, new)
			return
		}
		from := 0
		var result strings.Builder
		for _, c := range got.changes {
			if c.start < from || c.end < c.start || c.end > len(text) {
				t.Fatalf("find(%q, %q, %q): change %v out of order", text, old, new, c)
			}
			result.WriteString(text[from:c.start] + c.text)
			from = c.end
		}
		result.WriteString(text[from:])
		if got.how == "" && !all && !strings.Contains(new+old, "\n") && result.String() != strings.Replace(text, old, new, 1) {
			t.Fatalf("find(%q, %q, %q): made %q", text, old, new, result.String())
		}
	})
}
