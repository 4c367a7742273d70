package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"reasonix/core/tool/tooltest"
)

func glob(t testing.TB, dir string, in args, opts ...tooltest.EnvOption) string {
	t.Helper()
	out, err := globErr(t, context.Background(), dir, in, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func globErr(t testing.TB, ctx context.Context, dir string, in args, opts ...tooltest.EnvOption) (string, error) {
	t.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return tooltest.Bind(t, unbound("glob"), tooltest.Env(t, dir, opts...)).Execute(ctx, data)
}

// age sets when a file was changed last, in minutes before now.
func age(t testing.TB, name string, minutes int) {
	t.Helper()
	at := time.Now().Add(-time.Duration(minutes) * time.Minute)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestGlobConforms(t *testing.T) {
	tooltest.Run(t, unbound("glob"),
		tooltest.Args(`{"pattern":"**/*.{txt,md}","path":"sub","include_ignored":true}`),
		tooltest.Setup(func(t testing.TB, dir string) { write(t, filepath.Join(dir, "sub", "a.txt"), "hay\n") }))
}

// Every session pays for what a tool says of itself.
func TestGlobIsTerse(t *testing.T) {
	tl := unbound("glob")
	if got := len(tl.Name()) + len(tl.Description()) + len(tl.Schema()); got > 320 {
		t.Errorf("glob costs %d bytes", got)
	}
}

func TestGlobShowsNewestFirst(t *testing.T) {
	dir := tree(t, map[string]string{"old.go": "", "new.go": "", "sub/mid.go": "", "b.txt": "", "z/same.go": "", "a/same.go": ""})
	for name, minutes := range map[string]int{"old.go": 30, "new.go": 10, "sub/mid.go": 20, "b.txt": 1} {
		age(t, filepath.Join(dir, name), minutes)
	}
	at := time.Unix(1_000_000_000, 0)
	for _, name := range []string{"z/same.go", "a/same.go"} {
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	want(t, glob(t, dir, args{"pattern": "*.go"}), "new.go", "sub/mid.go", "old.go", "a/same.go", "z/same.go")
	want(t, glob(t, dir, args{"pattern": "*.go", "path": "sub"}), "sub/mid.go")
}

func TestGlobBoundsWhatItShows(t *testing.T) {
	files := map[string]string{}
	for i := range 2600 {
		files[fmt.Sprintf("d%d/f%04d", i%7, i)] = ""
	}
	dir := tree(t, files)
	for i := range 600 {
		age(t, filepath.Join(dir, fmt.Sprintf("d%d/f%04d", i%7, i)), 600-i)
	}
	for i := 600; i < 2600; i++ {
		age(t, filepath.Join(dir, fmt.Sprintf("d%d/f%04d", i%7, i)), 1000)
	}
	lines := strings.Split(glob(t, dir, args{"pattern": "**"}), "\n")
	var expected []string
	for i := 599; i >= 100; i-- {
		expected = append(expected, fmt.Sprintf("d%d/f%04d", i%7, i))
	}
	if diff := cmp.Diff(append(expected, "... (2100 more)"), lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	long := tree(t, map[string]string{strings.Repeat("a", 200): "", strings.Repeat("b", 200): "", strings.Repeat("c", 200): ""})
	env := tooltest.Env(t, long)
	env.Settings.OutputCap = 210
	out, err := tooltest.Bind(t, unbound("glob"), env).Execute(t.Context(), json.RawMessage(`{"pattern":"*"}`))
	if err != nil || strings.Count(out, "\n") != 2 || !strings.HasSuffix(out, "\n... (1 more)") {
		t.Errorf("got %q, %v", out, err)
	}
}

// TestGlobEqualsASlowOne compares with a plain walk and plain matching.
func TestGlobEqualsASlowOne(t *testing.T) {
	files := map[string]string{}
	for _, name := range strings.Fields(`a.go b.ts src/a.go src/b.tsx src/deep/er/c.go src/deep/er/c_test.go srcx/a.go
		lib/src/a.go docs/x.md docs/[1].md d/d/d d/e.go src/deep/d.go a/b/a/b.go`) {
		files[name] = ""
	}
	dir := tree(t, files)
	for _, pattern := range []string{
		"*.go", "**/*.go", "**", "*", "**/*", "src/*.go", "src/**", "src/", "src/**/*.go", "src/deep/er/c.go", "src/{a,b}.*", "*.{go,ts,tsx}",
		"{src,lib}/**/*.go", "**/src/*.go", "**/deep/**", "d/**/d", "[ab].*", "docs/\\[1\\].md", "?.go", "a/**/b.go", "none/*.go", "srcx", "/src/*.go", "./src/*.go",
	} {
		var expected []string
		plain := strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
		if pattern == "/src/*.go" {
			pattern = filepath.ToSlash(dir) + pattern
		}
		switch {
		case strings.HasSuffix(plain, "/"):
			plain += "**"
		case !strings.Contains(plain, "/"):
			plain = "**/" + plain
		}
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(dir, name)
			if rel = filepath.ToSlash(rel); err == nil && d.Type().IsRegular() && doublestar.MatchUnvalidated(plain, rel) {
				expected = append(expected, rel)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if expected == nil {
			expected = []string{"(no matches)"}
		}
		got := strings.Split(glob(t, dir, args{"pattern": pattern}), "\n")
		slices.Sort(got)
		slices.Sort(expected)
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", pattern, diff)
		}
	}
}

// TestGR04GlobIgnoreFiles: the same rules as grep, and a way around them.
func TestGR04GlobIgnoreFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		".gitignore": "*.log\nbuild/\n", "a.txt": "", "b.log": "", "build/out.txt": "", "sub/.gitignore": "!keep.log\n", "sub/keep.log": "",
		".github/ci.yml": "", ".hidden": "",
	})
	for pattern, lines := range map[string]string{
		"**": "a.txt sub/keep.log", "*.log": "sub/keep.log", "build/**": "(no matches)", ".github/*": ".github/ci.yml",
		"{.github,sub}/*.{yml,log}": ".github/ci.yml sub/keep.log", "*{.txt,.yml}": "a.txt", ".hidden": ".hidden",
	} {
		got := strings.Split(glob(t, dir, args{"pattern": pattern}), "\n")
		slices.Sort(got)
		if joined := strings.Join(got, " "); joined != lines {
			t.Errorf("%s: got %s, want %s", pattern, joined, lines)
		}
	}
	want(t, glob(t, dir, args{"pattern": "*.txt", "path": "build"}), "build/out.txt")
	got := strings.Split(glob(t, dir, args{"pattern": "**", "include_ignored": true}), "\n")
	if len(got) != 8 {
		t.Errorf("got %q", got)
	}
}

func TestGlobRefuses(t *testing.T) {
	dir := tree(t, map[string]string{"a": "", "secret/x": ""})
	hide := tooltest.Roots(nil, []string{filepath.Join(dir, "secret")})
	for _, tt := range []struct {
		in   args
		want string
	}{
		{args{"pattern": "*", "path": "none"}, "search none: no such file or directory"},
		{args{"pattern": "*", "path": "a"}, "search a: not a directory"},
		{args{"pattern": "*", "path": "secret"}, "read secret: hidden by the configuration"},
		{args{"pattern": "../*"}, "a pattern cannot climb"},
		{args{"pattern": filepath.ToSlash(filepath.Dir(dir)) + "/*"}, "not in the workspace"},
		{args{"pattern": "[a"}, "bad pattern"},
	} {
		if out, err := globErr(t, t.Context(), dir, tt.in, hide); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %q, %v, want %q", tt.in, out, err, tt.want)
		}
	}
	want(t, glob(t, dir, args{"pattern": "**"}, hide), "a")
}

func TestGlobEndsWithItsContext(t *testing.T) {
	root := "/"
	if filepath.VolumeName(t.TempDir()) != "" {
		root = `C:\`
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("cancelled by the user")
	time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	begun := time.Now()
	// A tree small enough to be walked within that time is no failure.
	if _, err := globErr(t, ctx, t.TempDir(), args{"pattern": "**", "path": root, "include_ignored": true}); err != nil && !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("returned after %v", took)
	}
}

func TestGlobNamesAreReopenable(t *testing.T) {
	dir := tree(t, map[string]string{"-rf": "hit", "sp ace": "hit", "!bang": "hit", "\u540d\u524d": "hit"})
	lines := strings.Split(glob(t, dir, args{"pattern": "**"}), "\n")
	if len(lines) != 4 {
		t.Fatalf("got %q", lines)
	}
	for _, name := range lines {
		if out := grep(t, dir, args{"pattern": "hit", "path": name}); out != name+":1:hit" {
			t.Errorf("opening %s again: got %s", name, out)
		}
	}
	want(t, glob(t, dir, args{"pattern": "!bang"}), "!bang")
}
