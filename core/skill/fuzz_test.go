package skill_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"reasonix/core/skill"
)

// Whatever a file holds, it is a skill that can be shown on one line of the index
// and run, or it is a problem.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"---\nname: a\ndescription: d\nallowed-tools: Bash(a, b) [x\n---\nbody $ARGUMENTS", "---\n", "x", "---\nname: \u202e\n---\nx",
		"---\ndescription: |\n  a\n  b\nallowed-tools:\n- x (\n---\n\nx",
	} {
		f.Add(text)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "SKILL.md")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := skill.Check(path)
		if err != nil || len(found.Skills)+len(found.Problems) != 1 {
			t.Fatalf("found %+v, %v", found, err)
		}
		for _, s := range found.Skills {
			s.Lint()
			index := found.Skills.Index()
			if skill.ValidName(s.Name) != nil || skill.Normal(s.Name) != s.Name || !utf8.ValidString(s.Prompt("x")) ||
				strings.ContainsAny(s.Description, "\r\n") || strings.Count(index, "\n") > 2 {
				t.Errorf("%q is %+v, index %q", text, s, index)
			}
		}
	})
}
