package walk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/internal/walk"
)

type options = walk.Options

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree writes empty files; "name=text" gives one a content.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

// found is what a walk visits, sorted.
func found(t *testing.T, opt walk.Options) []string {
	t.Helper()
	var mu sync.Mutex
	var all []string
	err := walk.New(opt).Run(context.Background(), func(_ int, f walk.File) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, f.Rel())
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func TestWhatIsVisited(t *testing.T) {
	gitDir := ".git/HEAD=ref: refs/heads/main\n"
	tests := []struct {
		name  string
		files []string
		sub   string
		opt   walk.Options
		want  []string
	}{
		{"hidden names are left out", []string{"a", ".h", ".d/x"}, "", options{}, []string{"a"}},
		{"hidden on purpose, never .git", []string{"a", ".h", ".d/x", gitDir}, "", options{Hidden: true}, []string{".d/x", ".h", "a"}},
		{"ignored", []string{"a", "o/x", ".gitignore=o/\n", gitDir}, "", options{}, []string{"a"}},
		{"ignored on purpose", []string{"a", "o/x", ".gitignore=o/\n", gitDir}, "", options{Ignored: true}, []string{"a", "o/x"}},
		{"rules count outside a repository", []string{"a", "o/x", ".gitignore=o/\n"}, "", options{}, []string{"a"}},
		{"nested re-include", []string{"a.log", "d/keep.log", "d/b.log", ".gitignore=*.log\n", "d/.gitignore=!keep.log\n", gitDir}, "", options{}, []string{"d/keep.log"}},
		{"rules above the directory", []string{"d/a.log", "d/a", ".gitignore=*.log\n", gitDir}, "d", options{}, []string{"a"}},
		{"an ignored directory asked for by name", []string{"d/a.log", "d/a", ".gitignore=d/\n*.log\n", gitDir}, "d", options{}, []string{"a"}},
		{"a nested repository has its own rules", []string{".gitignore=*.log\n", gitDir, "n/a.log", "n/" + gitDir}, "", options{}, []string{"n/a.log"}},
		{"an empty .git is no repository", []string{".gitignore=*.log\n", gitDir, "n/a.log", "n/.git/x"}, "", options{}, nil},
		{"case does not matter where git says so", []string{".gitignore=*.LOG\nBuild\n", gitDir, ".git/config=[core]\n\tignorecase = true\n", "a.log", "build/x", "c"}, "", options{}, []string{"c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, tt.files...)
			tt.opt.Dir, tt.opt.Top = filepath.Join(dir, tt.sub), dir
			if diff := cmp.Diff(tt.want, found(t, tt.opt)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestGR04TrackedInWorktree covers a .git file and a worktree's own index.
func TestGR04TrackedInWorktree(t *testing.T) {
	if !haveGit(t) {
		return
	}
	dir, home := tree(t, "a.log", "b", "r/.gitignore=*.log\n", "r/t.log", "r/u.log"), t.TempDir()
	main, side := filepath.Join(dir, "r"), filepath.Join(dir, "side")
	git(t, main, home, "init", "-q")
	git(t, main, home, "add", "-f", "t.log", ".gitignore")
	git(t, main, home, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "x")
	git(t, main, home, "worktree", "add", "-q", side)
	write(t, filepath.Join(side, "new.log"), "")
	write(t, filepath.Join(main, ".git", "info", "exclude"), "b\n")
	write(t, filepath.Join(side, "b"), "")
	for _, d := range []string{main, side} {
		if diff := cmp.Diff([]string{"t.log"}, found(t, options{Dir: d})); diff != "" {
			t.Errorf("%s: -want +got\n%s", d, diff)
		}
	}
}

func TestLimitKeepsEverythingUpToIt(t *testing.T) {
	var files []string
	for i := range 30 {
		for j := range 20 {
			files = append(files, fmt.Sprintf("d%02d/f%02d", i, j), fmt.Sprintf("d%02d.txt", i))
		}
	}
	w := walk.New(options{Dir: tree(t, files...), Workers: 4})
	var mu sync.Mutex
	var got []string
	err := w.Run(context.Background(), func(_ int, f walk.File) {
		mu.Lock()
		defer mu.Unlock()
		if f.Rel() == "d10/f05" {
			w.Limit(f.Rel())
		}
		if !w.Beyond(f.Rel()) {
			got = append(got, f.Rel())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	want := slices.Compact(files)
	want = want[:slices.Index(want, "d10/f05")+1]
	slices.Sort(got)
	got = slices.DeleteFunc(got, w.Beyond)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCancelEndsTheWalk(t *testing.T) {
	var files []string
	for i := range 500 {
		files = append(files, fmt.Sprintf("d%d/f", i))
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	visits := 0
	w := walk.New(options{Dir: tree(t, files...), Workers: 1})
	err := w.Run(ctx, func(int, walk.File) { visits++; cancel(cause) })
	if !errors.Is(err, cause) || visits != 1 {
		t.Fatalf("got %v after %d visits", err, visits)
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "boom") {
			t.Errorf("got %v", p)
		}
	}()
	_ = walk.New(options{Dir: tree(t, "a", "b")}).Run(context.Background(), func(int, walk.File) { panic("boom") })
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"+strings.Repeat("\x00", 60)+"\x00\x01a\x00"+strings.Repeat("\x00", 10)), false)
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+strings.Repeat("\x00", 62)+"\x00a\x00link\x00\x00\x00\x14"+strings.Repeat("x", 40)), false)
	f.Fuzz(func(t *testing.T, data []byte, sha256 bool) {
		for _, name := range walk.IndexNames(data, sha256) {
			if strings.Contains(name, "\x00") {
				t.Errorf("a name with a zero: %q", name)
			}
		}
	})
}

func FuzzIgnorePattern(f *testing.F) {
	for _, s := range []string{"*a*b*c*", "**/a/**/b", "[[:alpha:]-z]", "a\\", "foo**/bar", "[", "!/x/"} {
		f.Add(s, "foo/bar/baz.c")
	}
	f.Fuzz(func(t *testing.T, rule, name string) {
		if len(rule) > 200 || len(name) > 1000 {
			return
		}
		start := time.Now()
		walk.Ignored(rule, name)
		if time.Since(start) > time.Second {
			t.Fatalf("%q against %q took %v", rule, name, time.Since(start))
		}
	})
}

func TestOnlyNarrowsTheWalk(t *testing.T) {
	dir := tree(t, "a", "s", "src/x", "src/deep/y", "src/deep/er/z", "src/deeper/no", "lib/src/deep/no", ".gitignore=er/\n")
	for only, want := range map[string][]string{
		"src/deep": {"src/deep/y"}, "src": {"src/deep/y", "src/deeper/no", "src/x"}, "a": nil, "none/x": nil,
	} {
		if diff := cmp.Diff(want, found(t, options{Dir: dir, Only: only})); diff != "" {
			t.Errorf("%s: -want +got\n%s", only, diff)
		}
	}
}
