package diff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reasonix/core/diff"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestUnified(t *testing.T) {
	long := numbered(1, 1000)
	tests := []struct{ name, old, new, want string }{
		{"equal", "a\n", "a\n", ""},
		{"new file", "", "a\nb\n", "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"emptied", "a\n", "", "--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n"},
		{"no final newline", "a\nb", "a\nc", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{
			"far into a file", long, strings.Replace(long, "line 500\n", "changed\n", 1),
			"--- a\n+++ b\n@@ -497,7 +497,7 @@\n line 497\n line 498\n line 499\n-line 500\n+changed\n line 501\n line 502\n line 503\n",
		},
		{"repeated line dropped", "x\nx\nx\n", "x\nx\n", "--- a\n+++ b\n@@ -1,3 +1,2 @@\n-x\n x\n x\n"},
		{"tail shared inside a line", "ab\ncd\n", "xb\ncd\n", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-ab\n+xb\n cd\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, diff.Unified("a", "b", tt.old, tt.new)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestUnifiedAppliesBack(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "\n", "ab\n", "世\n"})
	rapid.Check(t, func(t *rapid.T) {
		old := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "old"), "")
		new := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "new"), "")
		if got := apply(t, old, diff.Unified("a", "b", old, new)); got != new {
			t.Errorf("got %q, want %q", got, new)
		}
	})
}

// apply plays a unified diff of texts that end in a newline.
func apply(t *rapid.T, old, unified string) string {
	src := strings.SplitAfter(old, "\n")
	var out strings.Builder
	next := 0
	for _, line := range strings.SplitAfter(unified, "\n") {
		var from, n int
		switch {
		case line == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line, "@@ -%d,%d", &from, &n); err != nil {
				n = 1
			}
			for keep := max(0, from-1); n > 0 && next < keep; next++ {
				out.WriteString(src[next])
			}
			for ; n == 0 && next < from; next++ {
				out.WriteString(src[next])
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		default:
			if src[next] != line[1:] {
				t.Fatalf("line %d is %q, the diff says %q", next+1, src[next], line)
			}
			if line[0] == ' ' {
				out.WriteString(line[1:])
			}
			next++
		}
	}
	for ; next < len(src); next++ {
		out.WriteString(src[next])
	}
	return out.String()
}

func TestUnifiedIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a, b strings.Builder
	for range 300_000 {
		fmt.Fprintf(&a, "%d\n", r.Uint32())
		fmt.Fprintf(&b, "%d\n", r.Uint32())
	}
	tests := []struct{ name, old, new string }{
		{"everything differs", a.String(), b.String()},
		{"many lines differ", a.String()[:1<<20], b.String()[:1<<20]},
		{"one huge line", strings.Repeat("x", 8<<20), strings.Repeat("x", 8<<20) + "y"},
		{"huge insertion", "", a.String()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			got := diff.Unified("a", "b", tt.old, tt.new)
			if len(got) > 110<<10 || !strings.Contains(got, "... ") {
				t.Errorf("%d bytes without a mark of what was cut", len(got))
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func BenchmarkUnifiedOneLineOfAMegabyte(b *testing.B) {
	old := numbered(1, 80_000)
	new := strings.Replace(old, "line 40000\n", "changed\n", 1)
	b.ReportAllocs()
	for b.Loop() {
		diff.Unified("a", "b", old, new)
	}
}
