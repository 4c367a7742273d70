package slash_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/slash"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// loaded is a command as a test compares it: Text is what it becomes with the
// arguments "x y".
type loaded struct{ Name, Hint, Help, Text string }

func load(t *testing.T, dirs ...slash.Dir) ([]loaded, []string) {
	t.Helper()
	list, problems := slash.Load(dirs...)
	var got []loaded
	for _, c := range list {
		text, err := c.Text(context.Background(), "x y")
		if err != nil || c.Kind != slash.KindText {
			t.Errorf("/%s is %s: %v", c.Name, c.Kind, err)
		}
		got = append(got, loaded{c.Name, c.Hint, c.Help, text})
	}
	var named []string
	for _, p := range problems {
		rel, err := filepath.Rel(dirs[0].Path, filepath.FromSlash(p.Path))
		if err != nil {
			t.Fatal(err)
		}
		named = append(named, filepath.ToSlash(rel)+": "+p.Text)
	}
	return got, named
}

func TestFilesBecomeCommands(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"review.md":          "---\ndescription: Review the staged diff\nargument-hint: [focus-area]\n---\nReview. Focus on $ARGUMENTS.\n",
		"git/commit.md":      "# Commit it\n\nCommit as $1 ($$2).\n",
		"git/deep/er.MD":     "---\n---\n\n\nDeep $2\n\n",
		"colon.md":           "---\ndescription: a: b\nallowed-tools:\n  - Bash\n  - Read\n# note\n---\nx",
		"bom.md":             "\ufeff---\r\ndescription: with a mark\r\n---\r\none\r\ntwo\r\n",
		"quoted.md":          "---\ndescription: \"a \\u001b[31mred\\n line\"\nargument-hint: '<a> <b>'\n---\nq",
		"rule.md":            "text first\n---\nthen a line\n---\n",
		"long.md":            "---\ndescription: " + strings.Repeat("é", 500) + "\n---\nx",
		"two_words-and-2.md": "x",
		"notes.txt":          "no command",
		".hidden.md":         "no command",
		".git/x.md":          "no command",
	} {
		write(t, dir, name, text)
	}
	got, problems := load(t, slash.Dir{Path: dir, Source: slash.SourceProject})
	want := []loaded{
		{"bom", "", "with a mark", "one\ntwo\n\nArguments: x y"},
		{"colon", "", "a: b", "x\n\nArguments: x y"},
		{"git:commit", "", "Commit it", "# Commit it\n\nCommit as x ($2)."},
		{"git:deep:er", "", "Deep $2", "Deep y"},
		{"long", "", strings.Repeat("é", 200) + "...", "x\n\nArguments: x y"},
		{"quoted", "<a> <b>", "a [31mred line", "q\n\nArguments: x y"},
		{"review", "[focus-area]", "Review the staged diff", "Review. Focus on x y."},
		{"rule", "", "text first", "text first\n---\nthen a line\n---\n\nArguments: x y"},
		{"two_words-and-2", "", "x", "x\n\nArguments: x y"},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if problems != nil {
		t.Errorf("problems: %q", problems)
	}
}

func TestWhatIsNoCommandIsSkippedAndNamed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.md":                        "fine",
		"open.md":                        "---\ndescription: never closed\n\ntext: x\n",
		"nokey.md":                       "---\nthis is no key\n---\ntext\n",
		"empty.md":                       "---\ndescription: nothing else\n---\n\n",
		"latin.md":                       "caf\xe9",
		"wide.md":                        "\xff\xfea\x00b\x00",
		"big.md":                         strings.Repeat("x", slash.MaxFile+1),
		"Upper.md":                       "x",
		"two words.md":                   "x",
		"-dash.md":                       "x",
		"9lives.md":                      "x",
		"日本.md":                          "x",
		"dot.ted.md":                     "x",
		"dir.md/inner.md":                "x",
		"a/b/c/d/e/f/g/h/deep.md":        "x",
		"a/b/c/d/e/f/g/h/i/too-deep.md":  "x",
		strings.Repeat("n", 130) + ".md": "x",
		"Sub/inner.md":                   "x",
	} {
		write(t, dir, name, text)
	}
	list, problems := load(t, slash.Dir{Path: dir, Source: slash.SourceProject})
	if diff := cmp.Diff(list, []loaded{{"a:b:c:d:e:f:g:h:deep", "", "x", "x\n\nArguments: x y"}, {"good", "", "fine", "fine\n\nArguments: x y"}}); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	const illegal = "its name is no name of a command: a-z, 0-9, _ and - only, a letter first"
	want := []string{
		"-dash.md: " + illegal,
		"9lives.md: " + illegal,
		"Sub/inner.md: " + illegal,
		"Upper.md: " + illegal,
		"a/b/c/d/e/f/g/h/i: it is more than 8 directories deep",
		"big.md: it is larger than 256 KB",
		"dir.md: it is a directory",
		"dot.ted.md: " + illegal,
		"empty.md: there is no text in it for the model",
		"latin.md: it is not UTF-8 text",
		strings.Repeat("n", 130) + ".md: " + illegal,
		"nokey.md: line 2 is not `key: value`: \"this is no key\"",
		"open.md: the block of keys that begins in line 1 has no closing ---",
		"two words.md: " + illegal,
		"wide.md: it is not UTF-8 text",
		"日本.md: " + illegal,
	}
	if diff := cmp.Diff(problems, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

func TestProjectWinsOverUserAndBuiltinsOverBoth(t *testing.T) {
	project, user := t.TempDir(), t.TempDir()
	write(t, project, "fix.md", "the project's")
	write(t, user, "fix.md", "the user's")
	write(t, user, "own.md", "own")
	write(t, user, "quit.md", "mine")
	list, problems := slash.Load(
		slash.Dir{Path: project, Source: slash.SourceProject, Within: filepath.Dir(project)},
		slash.Dir{Path: filepath.Join(user, "none"), Source: slash.SourceUser},
		slash.Dir{Path: user, Source: slash.SourceUser},
	)
	if len(problems) > 0 {
		t.Error(problems)
	}
	set := slash.NewSet(slash.Builtins(), list)
	c, _, _, _ := set.Lookup("/fix")
	if text, err := c.Text(context.Background(), ""); text != "the project's" || err != nil {
		t.Errorf("/fix is %q, %v", text, err)
	}
	want := []slash.Shadow{
		{Name: "fix", Source: slash.SourceUser, By: slash.SourceProject},
		{Name: "quit", Source: slash.SourceUser, By: slash.SourceBuiltin},
	}
	if diff := cmp.Diff(set.Shadowed(), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

func TestADirectoryThatIsAFileIsNamed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "commands", "no directory")
	list, problems := slash.Load(slash.Dir{Path: filepath.Join(dir, "commands"), Source: slash.SourceUser})
	if len(list) != 0 || len(problems) != 1 || !strings.HasPrefix(problems[0].String(), filepath.ToSlash(dir)+"/commands is skipped: it cannot be read: ") {
		t.Errorf("%v, %v", list, problems)
	}
}

// TestArgumentsWithoutAPlaceAreNotLost: they stand behind the text, once, and only when
// there are some.
func TestArgumentsWithoutAPlaceAreNotLost(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "c.md", "for $$5")
	list, _ := slash.Load(slash.Dir{Path: dir, Source: slash.SourceUser})
	for args, want := range map[string]string{"": "for $5", "a $1  b": "for $5\n\nArguments: a $1 b"} {
		if got, err := list[0].Text(context.Background(), args); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", args, got, err, want)
		}
	}
}
