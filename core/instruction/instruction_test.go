package instruction_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/instruction"
)

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load returns "scope name: text" for each file and "code name" for each note.
func load(dir, home, work string) (files, notes []string) {
	o := instruction.Options{Dir: filepath.Join(dir, work)}
	if home != "" {
		o.Home = filepath.Join(dir, home)
	}
	found := instruction.Load(o)
	for _, f := range found.Files {
		files = append(files, string(f.Scope)+" "+f.Name+": "+f.Text)
	}
	for _, n := range found.Notes {
		notes = append(notes, n.Code+" "+filepath.Base(n.Path))
	}
	return files, notes
}

func check(t *testing.T, what string, want, got []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: -want +got\n%s", what, d)
	}
}

func TestNearestComesLast(t *testing.T) {
	dir := tree(t, map[string]string{
		"AGENTS.md": "above the repository", "home/AGENTS.md": "mine", "home/REASONIX.md": "first mine",
		"repo/.git/HEAD": "x", "repo/AGENTS.md": "top", "repo/CLAUDE.md": "claude", "repo/AGENTS.local.md": "private",
		"repo/a/b/REASONIX.md": "near", "repo/a/other/AGENTS.md": "beside", "repo/a/b/AGENTS.md": " \n",
	})
	files, notes := load(dir, "home", "repo/a/b")
	check(t, "files", []string{
		"user REASONIX.md: first mine", "user AGENTS.md: mine",
		"project AGENTS.md: top", "project CLAUDE.md: claude", "project AGENTS.local.md: private",
		"project a/b/REASONIX.md: near",
	}, files)
	check(t, "notes", nil, notes)
}

func TestWithoutRepositoryOnlyTheWorkspaceCounts(t *testing.T) {
	dir := tree(t, map[string]string{"AGENTS.md": "above", "w/AGENTS.md": "here"})
	files, _ := load(dir, "", "w")
	check(t, "files", []string{"project AGENTS.md: here"}, files)
}

func TestEqualTextIsReadOnce(t *testing.T) {
	dir := tree(t, map[string]string{"AGENTS.md": "same", "CLAUDE.md": "same\n"})
	files, _ := load(dir, "", "")
	check(t, "files", []string{"project CLAUDE.md: same"}, files)
	if r := instruction.Load(instruction.Options{Dir: dir}).Repeated; len(r) != 1 || r[0].Name != "AGENTS.md" {
		t.Errorf("repeated files: %v", r)
	}
}

func TestImports(t *testing.T) {
	deep := map[string]string{"AGENTS.md": "@1.md"}
	for i := 1; i < 8; i++ {
		deep[string(rune('0'+i))+".md"] = "level " + string(rune('0'+i)) + "\n@" + string(rune('1'+i)) + ".md"
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		notes []string
	}{
		{"inline", map[string]string{"AGENTS.md": "a\n@docs/x.md\nb", "docs/x.md": "x\n@y.md", "docs/y.md": "y"}, "a\nx\ny\nb", nil},
		{"in a fence", map[string]string{"AGENTS.md": "```\n@x.md\n```\n~~~~\n@x.md\n~~~\n@x.md\n~~~~", "x.md": "x"}, "```\n@x.md\n```\n~~~~\n@x.md\n~~~\n@x.md\n~~~~", nil},
		{"after a fence", map[string]string{"AGENTS.md": "```go\nx\n```\n@x.md", "x.md": "x"}, "```go\nx\n```\nx", nil},
		{"a person", map[string]string{"AGENTS.md": "@someone\nask a@b.c"}, "@someone\nask a@b.c", nil},
		{"outside", map[string]string{"AGENTS.md": "@../x.md\n@/etc/hostname\n@~/.env"}, "@../x.md\n@/etc/hostname\n@~/.env", []string{"import_outside x.md", "import_outside hostname", "import_outside .env"}},
		{"missing", map[string]string{"AGENTS.md": "@x.md"}, "@x.md", []string{"import_missing x.md"}},
		{"cycle", map[string]string{"AGENTS.md": "a\n@x.md", "x.md": "x\n@AGENTS.md"}, "a\nx\n@AGENTS.md", []string{"import_cycle AGENTS.md"}},
		{"depth", deep, "level 1\nlevel 2\nlevel 3\nlevel 4\nlevel 5\n@6.md", []string{"import_depth 6.md"}},
	} {
		files, notes := load(tree(t, c.files), "", "")
		check(t, c.name, []string{"project AGENTS.md: " + c.want}, files)
		check(t, c.name+": notes", c.notes, notes)
	}
}

func TestALinkDoesNotLeadOutOfTheProject(t *testing.T) {
	dir := tree(t, map[string]string{"secret.md": "secret", "w/AGENTS.md": "@link.md", "home/x": ""})
	for _, link := range []string{"w/link.md", "w/CLAUDE.md", "home/AGENTS.md"} {
		if err := os.Symlink(filepath.Join("..", "secret.md"), filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	files, notes := load(dir, "home", "w")
	// The user's own link is followed: dotfiles are kept that way.
	check(t, "files", []string{"user AGENTS.md: secret"}, files)
	check(t, "notes", []string{"unreadable link.md", "unreadable CLAUDE.md"}, notes)
}

// CF-01 and CF-13: what other systems' editors write.
func TestCF01ByteOrderMarkAndCRLF(t *testing.T) {
	files, _ := load(tree(t, map[string]string{"AGENTS.md": "\xef\xbb\xbfa\r\n@x.md\r\nc\r\n", "x.md": "\xef\xbb\xbfb\r\n"}), "", "")
	check(t, "files", []string{"project AGENTS.md: a\nb\nc"}, files)
}

func TestCF10NearMissesAreNamed(t *testing.T) {
	_, notes := load(tree(t, map[string]string{"AGENT.md": "x"}), "", "")
	check(t, "notes", []string{"near_miss AGENT.md"}, notes)
	_, notes = load(tree(t, map[string]string{"AGENT.md": "x", "AGENTS.md": "y"}), "", "")
	check(t, "beside a right name", nil, notes)
}

func TestWhatIsNoTextOrTooLargeIsSaid(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", instruction.MaxFile/16+10)
	files, notes := load(tree(t, map[string]string{"AGENTS.md": "a\x00b", "CLAUDE.md": long, "REASONIX.md": "\xff\xfe"}), "", "")
	check(t, "notes", []string{"not_text REASONIX.md", "not_text AGENTS.md", "too_large CLAUDE.md"}, notes)
	if len(files) != 1 || len(files[0]) > instruction.MaxFile+100 || !strings.HasSuffix(files[0], "abcde") {
		t.Errorf("the long file is not cut at a line")
	}
}
