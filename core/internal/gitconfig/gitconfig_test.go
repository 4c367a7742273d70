package gitconfig_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/internal/gitconfig"
)

func TestSettings(t *testing.T) {
	const text = `# a comment
[core]
	hooksPath = .husky/_ ; another
	BARE
[filter "a.B \"c\" ]"] clean = "sh -c \"x #y\"" z
[Old.Sub]
	long = one \
two
	tabs = a\tb\\
	# a comment does not go on \
	after = 1 ; nor this \
	next = 2
[broken
	key = v
`
	want := []gitconfig.Setting{
		{Section: "core", Key: "hookspath", Value: ".husky/_", Set: true},
		{Section: "core", Key: "bare"},
		{Section: "filter", Sub: `a.B "c" ]`, Key: "clean", Value: `sh -c "x #y" z`, Set: true},
		{Section: "old", Sub: "Sub", Key: "long", Value: "one two", Set: true},
		{Section: "old", Sub: "Sub", Key: "tabs", Value: "a\tb\\", Set: true},
		{Section: "old", Sub: "Sub", Key: "after", Value: "1", Set: true},
		{Section: "old", Sub: "Sub", Key: "next", Value: "2", Set: true},
		{Section: "old", Sub: "Sub", Key: "key", Value: "v", Set: true},
	}
	if diff := cmp.Diff(slices.Collect(gitconfig.Settings([]byte(text))), want); diff != "" {
		t.Error(diff)
	}
}

// git itself reads what it wrote as this package does.
func TestSettingsAreGits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	values := map[string]string{
		"core.hookspath": "a b/c#d", "filter.x y.clean": `sh -c 'a "b" \c'`, "include.path": "../é;x", "alias.l": "!f() {\n\techo $1; }; f", "a.b.c.d": " spaces ",
	}
	for name, value := range values {
		if out, err := exec.Command("git", "config", "--file", file, name, value).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for s := range gitconfig.Settings(data) {
		name := strings.ReplaceAll(s.Section+"."+s.Sub+"."+s.Key, "..", ".")
		got[name] = s.Value
	}
	if diff := cmp.Diff(got, values); diff != "" {
		t.Errorf("%s\n%s", diff, data)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte("[a \"b\"]\n\tc = \"d\\\n e\" # f\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		for range gitconfig.Settings(data) {
		}
	})
}
