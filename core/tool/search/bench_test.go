package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/internal/walk"
	"reasonix/core/tool/tooltest"
)

// BenchmarkGrep searches a tree of 20,000 files in 400 directories, or what
// REASONIX_BENCH_TREE names.
func BenchmarkGrep(b *testing.B) {
	dir := benchTree(b)
	bound := tooltest.Bind(b, unbound("grep"), tooltest.Env(b, dir))
	for _, bb := range []struct {
		name string
		in   args
	}{
		{"RareLiteral", args{"pattern": "xyzzy_needle"}},
		{"Regexp", args{"pattern": `func \(\w+ \*\w+\) Close\(\) (int|bool)`}},
		{"InnerLiteral", args{"pattern": `[A-Z]\w+Err[a-z]+Q\b`}},
		{"Fold", args{"pattern": "roundtripoptq", "ignore_case": true}},
		{"AnyOf", args{"pattern": "PollFDq|roundTripOptq|zzyzx|quuux"}},
		{"NoLiteral", args{"pattern": `[a-z]+\d+[A-Z]{3}\d[a-z]`}},
		{"ManyHits", args{"pattern": "func"}},
	} {
		in, err := json.Marshal(bb.in)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bound.Execute(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("ListFiles", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := walk.New(walk.Options{Dir: dir}).Run(context.Background(), func(int, walk.File) {}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchTree(b *testing.B) string {
	b.Helper()
	if dir := os.Getenv("REASONIX_BENCH_TREE"); dir != "" {
		return dir
	}
	files := map[string]string{}
	for i := range 20_000 {
		var body strings.Builder
		for j := range 30 {
			fmt.Fprintf(&body, "func item_%d_%d(x int) int { return x + %d } // filler words here\n", i, j, j)
		}
		if i%500 == 7 {
			fmt.Fprintf(&body, "needle_%d_xyz here\n", i)
		}
		files[fmt.Sprintf("d%02d/e%02d/src_%d.txt", i%20, i/20%20, i)] = body.String()
	}
	return filepath.Clean(tree(b, files))
}
