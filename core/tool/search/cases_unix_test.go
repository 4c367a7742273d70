//go:build unix

package search_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func TestGR02SymlinkCycle(t *testing.T) {
	dir := tree(t, map[string]string{"a/f.go": "needle\n", "g.go": "needle\n"})
	link(t, "..", filepath.Join(dir, "a", "up"))
	link(t, "x", filepath.Join(dir, "x"))
	link(t, "g.go", filepath.Join(dir, "h.go"))
	link(t, "a", filepath.Join(dir, "l"))
	start := time.Now()
	want(t, grep(t, dir, args{"pattern": "needle"}), "a/f.go:1:needle", "g.go:1:needle")
	want(t, grep(t, dir, args{"pattern": "needle", "path": "l"}), "a/f.go:1:needle")
	want(t, grep(t, dir, args{"pattern": "needle", "path": "h.go"}), "g.go:1:needle")
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestGR04IgnoreFiles(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("nobody makes an index:", err)
		return
	}
	dir := tree(t, map[string]string{
		"ignore": "*.log\nbuild/\n.gitignore\n", "a.txt": "x\n", "b.log": "x\n", "tracked.log": "x\n", "build/out.js": "x\n",
		"sub/.gitignore": "!keep.log\n", "sub/keep.log": "x\n", "sub/c.log": "x\n", ".hidden": "x\n",
	})
	link(t, "ignore", filepath.Join(dir, ".gitignore"))
	for _, cmd := range [][]string{{"init", "-q"}, {"add", "-f", "tracked.log"}} {
		git := exec.Command("git", cmd...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", cmd, err, out)
		}
	}
	want(t, grep(t, dir, args{"pattern": "x"}), "a.txt:1:x", "sub/keep.log:1:x", "tracked.log:1:x")
	want(t, grep(t, dir, args{"pattern": "x", "include_ignored": true}),
		".hidden:1:x", "a.txt:1:x", "b.log:1:x", "build/out.js:1:x", "sub/c.log:1:x", "sub/keep.log:1:x", "tracked.log:1:x")
	want(t, grep(t, dir, args{"pattern": "x", "path": "build"}), "build/out.js:1:x")
	want(t, grep(t, dir, args{"pattern": "x", "path": "b.log"}), "b.log:1:x")
}

// TestWhatWasNotReadIsNamed uses a path longer than the system opens: modes do
// not bind a test that runs as root.
func TestWhatWasNotReadIsNamed(t *testing.T) {
	dir := tree(t, map[string]string{"a": "x\n"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 19)
	if err := root.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		if err := root.WriteFile(deep+name+strings.Repeat("f", 250), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(grep(t, dir, args{"pattern": "x"}), "\n")
	if len(lines) != 2 || lines[0] != "a:1:x" || !strings.HasPrefix(lines[1], "... (not searched: ddd") ||
		!strings.HasSuffix(lines[1], " and 2 more)") {
		t.Errorf("got %d lines: %.50q", len(lines), lines)
	}
}

// TestGR02GlobSymlinkCycle and TestGR06GlobOddNames are the same cases for glob.
func TestGR02GlobSymlinkCycle(t *testing.T) {
	dir := tree(t, map[string]string{"a/f.go": ""})
	link(t, "..", filepath.Join(dir, "a", "up"))
	link(t, "x", filepath.Join(dir, "x.go"))
	link(t, "a/f.go", filepath.Join(dir, "g.go"))
	link(t, "a", filepath.Join(dir, "l"))
	start := time.Now()
	want(t, glob(t, dir, args{"pattern": "**/*.go"}), "a/f.go")
	want(t, glob(t, dir, args{"pattern": "**/*.go", "path": "l"}), "a/f.go")
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestGR06GlobOddNames(t *testing.T) {
	dir := tree(t, map[string]string{"a\nb": "hit"})
	want(t, glob(t, dir, args{"pattern": "*"}), `"a\nb"`)
	want(t, grep(t, dir, args{"pattern": "hit", "path": glob(t, dir, args{"pattern": "*"})}), `"a\nb":1:hit`)
}

func TestGlobNamesWhatItCouldNotRead(t *testing.T) {
	dir := tree(t, map[string]string{"a": ""})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.MkdirAll(strings.Repeat(strings.Repeat("d", 200)+"/", 25), 0o755); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(glob(t, dir, args{"pattern": "**"}), "\n")
	if len(lines) != 2 || lines[0] != "a" || !strings.HasPrefix(lines[1], "... (not searched: ddd") {
		t.Errorf("got %.100q", lines)
	}
}
