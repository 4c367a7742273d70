package file_test

import (
	"strings"
	"testing"
)

func BenchmarkRead2000Lines(b *testing.B) {
	w := open(b)
	w.put("f", strings.Repeat("\treturn fmt.Errorf(\"x\")\n", 2000))
	b.ReportAllocs()
	for b.Loop() {
		w.read("f")
	}
}

func BenchmarkEditIn1MB(b *testing.B) {
	w := open(b)
	w.put("f", strings.Repeat("some line of text, not so long\n", 16_000)+"needle 0\n"+strings.Repeat("some line of text, not so long\n", 16_000))
	b.ReportAllocs()
	words := [2]string{"needle 0", "needle 1"}
	for i := 0; b.Loop(); i++ {
		w.edit("f", words[i%2], words[1-i%2])
	}
}

func BenchmarkMissIn1MB(b *testing.B) {
	w := open(b)
	w.put("f", strings.Repeat("some line of text, not so long\n", 32_000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.call("edit_file", args{"path": "f", "old_string": "an other line\nof text", "new_string": "x"}); err == nil {
			b.Fatal("found")
		}
	}
}
