//go:build ripgrep

package search_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/tool/search"
	"reasonix/core/tool/tooltest"
)

// These compare with ripgrep, which must be there: go test -tags ripgrep.

// ripgrep runs rg in dir and returns its lines, sorted.
func ripgrep(t testing.TB, dir string, arg ...string) []string {
	t.Helper()
	cmd := exec.Command("rg", append([]string{"--no-messages"}, arg...)...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code > 1 || code < 0 {
		t.Fatalf("rg %v: %v\n%s", arg, err, &errs)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) == 1 && lines[0] == "" {
		lines = nil
	}
	slices.Sort(lines)
	return lines
}

func goSource(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(strings.TrimSpace(string(out)), "src"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// nested is a tree of 20,000 files with ignore files on every level.
func nested(t testing.TB) string {
	t.Helper()
	files := map[string]string{".gitignore": "*.log\nbuild/\n/d03/\n", ".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 20_000 {
		dir := fmt.Sprintf("d%02d/e%02d", i%20, i/20%20)
		ext := []string{"go", "ts", "tsx", "log", "md"}[i/400%5]
		if i%11 == 0 {
			dir += "/build"
		}
		files[fmt.Sprintf("%s/src_%d.%s", dir, i, ext)] = fmt.Sprintf("func item_%d() {}\n%s", i, strings.Repeat("// words\n", 20))
		if i < 400 && i%3 == 0 {
			files[dir+"/.gitignore"] = "!keep_*.log\n*.tsx\n"
			files[dir+"/keep_1.log"] = "func kept() {}\n"
		}
	}
	return tree(t, files)
}

func TestGlobEqualsRipgrep(t *testing.T) {
	for name, dir := range map[string]string{"Go source": goSource(t), "nested": nested(t)} {
		for _, pattern := range []string{"**", "*.go", "**/*_test.go", "net/**/*.go", "d1?/**/*.{go,ts}", "**/testdata/**", "cmd/*/*.go", "src_1[0-4]*", "no_such"} {
			t.Run(name+" "+pattern, func(t *testing.T) {
				// rg takes a glob for more important than the rules, so the rules
				// go first.
				all := ripgrep(t, dir, "--files")
				named := ripgrep(t, dir, "--files", "-g", pattern)
				want := slices.DeleteFunc(named, func(f string) bool {
					_, ok := slices.BinarySearch(all, f)
					return !ok
				})
				got, err := search.Files(dir, pattern)
				if err != nil {
					t.Fatal(err)
				}
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%d of %d files: -want +got\n%.2000s", len(got), len(want), diff)
				}
			})
		}
	}
}

func TestGrepEqualsRipgrep(t *testing.T) {
	for name, dir := range map[string]string{"Go source": goSource(t), "nested": nested(t)} {
		for _, pattern := range []string{`func \(\w+ \*Walker\w*\) `, "roundTripOpt", `(?i)pollfdreadable|errnetclosing\b`, `item_1[0-9]7\(`, "no such thing"} {
			t.Run(name+" "+pattern, func(t *testing.T) {
				want := ripgrep(t, dir, "-n", "--no-heading", "--crlf", pattern)
				got := strings.Split(grep(t, dir, args{"pattern": pattern}), "\n")
				if got[0] == "(no matches)" {
					got = nil
				}
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-want +got\n%.2000s", diff)
				}
			})
		}
	}
}

// BenchmarkAgainstRipgrep takes turns with rg; ratio is our median over rg's,
// whose process is started for each run.
func BenchmarkAgainstRipgrep(b *testing.B) {
	for name, dir := range map[string]string{"GoSource": goSource(b), "Nested": nested(b)} {
		for _, bb := range []struct {
			name, tool string
			in         args
			rg         []string
		}{
			{"Files", "glob", args{"pattern": "**"}, []string{"--files"}},
			{"Glob", "glob", args{"pattern": "**/*.go"}, []string{"--files", "-g", "**/*.go"}},
			{"Grep", "grep", args{"pattern": "no_such_thing"}, []string{"-n", "no_such_thing"}},
		} {
			b.Run(name+"/"+bb.name, func(b *testing.B) { race(b, dir, bb.tool, bb.in, bb.rg) })
		}
	}
}

func race(b *testing.B, dir, name string, in args, rg []string) {
	bound := tooltest.Bind(b, unbound(name), tooltest.Env(b, dir))
	data, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	var ours, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := bound.Execute(context.Background(), data); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, time.Since(start))
		start = time.Now()
		cmd := exec.Command("rg", rg...)
		cmd.Dir = dir
		_ = cmd.Run() // 1 when nothing is found
		theirs = append(theirs, time.Since(start))
		runtime.GC()
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	us, them := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(us)/float64(them), "ratio")
	b.ReportMetric(float64(us.Microseconds())/1000, "ms-ours")
	b.ReportMetric(float64(them.Microseconds())/1000, "ms-rg")
}
