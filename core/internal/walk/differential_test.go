package walk_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// git runs git in dir without the machine's own configuration.
func git(t *testing.T, dir, home string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"))
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// haveGit says whether there is a reference to compare with.
func haveGit(t *testing.T) bool {
	t.Helper()
	_, err := exec.LookPath("git")
	if err != nil {
		t.Log("nothing compared:", err)
	}
	return err == nil
}

// TestGR04SameAnswerAsGit compares random trees with git ls-files: nine lie below
// a tenth in each repository, because starting git is what takes the time.
func TestGR04SameAnswerAsGit(t *testing.T) {
	if !haveGit(t) {
		return
	}
	const repositories = 20
	repo, home := t.TempDir(), t.TempDir()
	git(t, repo, home, "init", "-q")
	for seed := range repositories {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 7)), repo: repo, home: home}
		g.clear(t)
		g.tree(t)
		want := splitZ(git(t, repo, home, "ls-files", "-z", "-o", "-c", "--exclude-standard"))
		slices.Sort(want)
		want = slices.Compact(want)
		got := found(t, options{Dir: repo, Hidden: true, Home: home})
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: -git +walk\n%s\nrules:\n%s", seed, diff, g.rules.String())
		}
	}
}

func splitZ(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == 0 })
}

type generator struct {
	*rand.Rand
	repo, home string
	rules      strings.Builder
}

var (
	nameParts = []string{"a", "b", "foo", "bar", "build", "x.o", "keep.log", "a.log", "ab", "A", ".hid", "caf\u00e9", "o o", "a-b", "#x", "!y", "z"}
	odd       = []string{"a*", "b\\", "[c]", "q?", " lead", "trail ", "n\nl", "\xe9"}
	wild      = []string{"*", "**", "?", "*.o", "*.log", "[ab]*", "[!a]*", "[^b]?", "f*o", "*b*", "[[:alpha:]]*", "[a-c]", "a[]b]", "[", "x\\", "\\*", "***", "foo**", "?*", "[[:foo:]]", "b[-a]", "a\\b", "*\\.o", "[\\]a]", "**b", "*a*b*"}
)

func (g *generator) pick(list []string) string { return list[g.IntN(len(list))] }

func (g *generator) name() string {
	if runtime.GOOS == "linux" && g.IntN(12) == 0 {
		return g.pick(odd)
	}
	return g.pick(nameParts)
}

func (g *generator) clear(t *testing.T) {
	t.Helper()
	list, err := os.ReadDir(g.repo)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.Name() != ".git" {
			os.RemoveAll(filepath.Join(g.repo, d.Name()))
		}
	}
	os.Remove(filepath.Join(g.repo, ".git", "index"))
	os.RemoveAll(filepath.Join(g.home, ".config"))
	os.Remove(filepath.Join(g.home, ".gitconfig"))
}

func (g *generator) tree(t *testing.T) {
	t.Helper()
	write(t, filepath.Join(g.repo, ".git", "info", "exclude"), g.patterns("exclude", g.IntN(3)))
	switch g.IntN(3) {
	case 0:
		write(t, filepath.Join(g.home, ".config", "git", "ignore"), g.patterns("user", 2))
	case 1:
		write(t, filepath.Join(g.home, "my ignore"), g.patterns("excludesFile", 2))
		write(t, filepath.Join(g.home, ".gitconfig"), "[user]\n\tname = x\n[Core]\n\texcludesfile = \"~/my ignore\" # mine\n")
	}
	var files []string
	g.fill(t, "", 0, &files)
	for i := range 9 {
		g.fill(t, fmt.Sprint("t", i), 0, &files)
	}
	var tracked []string
	for _, f := range files {
		if g.IntN(6) == 0 {
			tracked = append(tracked, f)
		}
	}
	if len(tracked) > 0 && g.IntN(2) == 0 {
		version := fmt.Sprint("index.version=", 2+g.IntN(3))
		split := fmt.Sprint("core.splitIndex=", g.IntN(6) == 0)
		git(t, g.repo, g.home, append([]string{"-c", version, "-c", split, "add", "-f", "--"}, tracked...)...)
	}
}

func (g *generator) fill(t *testing.T, dir string, depth int, files *[]string) {
	t.Helper()
	if depth == 0 || g.IntN(3) == 0 {
		write(t, filepath.Join(g.repo, dir, ".gitignore"), g.patterns(dir+"/", 1+g.IntN(5)))
	}
	for range 2 + g.IntN(4) {
		p := filepath.Join(dir, g.name())
		full := filepath.Join(g.repo, p)
		if _, err := os.Lstat(full); err == nil {
			continue
		}
		if depth < 4 && g.IntN(3) == 0 {
			g.fill(t, p, depth+1, files)
			continue
		}
		write(t, full, "x\n")
		*files = append(*files, ":(literal)"+filepath.ToSlash(p))
	}
}

func (g *generator) patterns(where string, n int) string {
	var b strings.Builder
	if g.IntN(8) == 0 {
		b.WriteString("\ufeff")
	}
	for range n {
		b.WriteString(g.pattern())
		b.WriteString(g.pick([]string{"\n", "\n", "\n", "\n", "\r\n", " \n", "\n\n", "\\ \n", "\t\n"}))
	}
	fmt.Fprintf(&g.rules, "%s: %q\n", where, b.String())
	return b.String()
}

func (g *generator) pattern() string {
	if g.IntN(15) == 0 {
		return g.pick([]string{"# no", "\\#x", "\\!y", "!", "/", "//", "", "  ", "!/", "/**", "**/", "a//b"})
	}
	n := 1
	for n < 4 && g.IntN(3) == 0 {
		n++
	}
	parts := make([]string, n)
	for i := range parts {
		if g.IntN(2) == 0 {
			parts[i] = g.pick(nameParts)
		} else {
			parts[i] = g.pick(wild)
		}
	}
	s := strings.Join(parts, "/")
	if g.IntN(4) == 0 {
		s = "/" + s
	}
	if g.IntN(4) == 0 {
		s += "/"
	}
	if g.IntN(3) == 0 {
		s = "!" + s
	}
	return s
}
