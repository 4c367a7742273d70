package skill_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/skill"
)

// An estate is a workspace, a home directory and what is between them, below a
// temporary directory.
type estate struct {
	t   *testing.T
	dir string
}

func newEstate(t *testing.T, files map[string]string) estate {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := estate{t: t, dir: dir}
	for _, name := range []string{"w", "u", "u/.reasonix"} {
		e.mkdir(name)
	}
	for name, text := range files {
		e.write(name, text)
	}
	return e
}

func (e estate) at(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

func (e estate) mkdir(name string) {
	e.t.Helper()
	if err := os.MkdirAll(e.at(name), 0o755); err != nil {
		e.t.Fatal(err)
	}
}

func (e estate) write(name, text string) {
	e.t.Helper()
	e.mkdir(filepath.ToSlash(filepath.Dir(filepath.FromSlash(name))))
	if err := os.WriteFile(e.at(name), []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

func (e estate) options() skill.Options {
	return skill.Options{Workspace: e.at("w"), Home: e.at("u/.reasonix"), UserHome: e.at("u")}
}

// short is a path below the estate.
func (e estate) short(path string) string {
	return strings.ReplaceAll(filepath.ToSlash(path), filepath.ToSlash(e.dir)+"/", "")
}

// told is what was found, one line each: skills, hidden ones, problems.
func (e estate) told(f skill.Found) []string {
	var list []string
	for _, s := range f.Skills {
		list = append(list, fmt.Sprintf("%s %s %s", s.Name, s.Scope, e.short(s.Path)))
	}
	for _, h := range f.Hidden {
		list = append(list, fmt.Sprintf("hidden %s %s: %s", h.Name, e.short(h.Path), e.short(h.Why)))
	}
	for _, p := range f.Problems {
		list = append(list, fmt.Sprintf("problem %s: %s %v", e.short(p.Path), e.short(p.Text), p.Skipped))
	}
	return list
}

func (e estate) want(f skill.Found, want ...string) {
	e.t.Helper()
	if diff := cmp.Diff(want, e.told(f)); diff != "" {
		e.t.Errorf("found (-want +got)\n%s", diff)
	}
}

// text is a good skill.
func text(description string) string {
	return "---\ndescription: " + description + "\n---\nDo it.\n"
}

func TestEveryRootIsLookedIntoInTheOrderOfStrength(t *testing.T) {
	e := newEstate(t, map[string]string{
		"w/.reasonix/skills/one/SKILL.md":  text("1"),
		"w/.agents/skills/one/SKILL.md":    text("behind"),
		"w/.agents/skills/two/SKILL.md":    text("2"),
		"w/.claude/skills/three.md":        text("3"),
		"u/.reasonix/skills/two/SKILL.md":  text("behind"),
		"u/.reasonix/skills/four/SKILL.md": text("4"),
		"u/.agents/skills/five/SKILL.md":   text("5"),
		"u/.claude/skills/six/SKILL.md":    text("6"),
		"more/six/SKILL.md":                text("behind"),
		"more/seven/SKILL.md":              text("7"),
		"single/SKILL.md":                  text("8"),
	})
	o := e.options()
	o.Paths = []string{e.at("more"), e.at("single"), e.at("nowhere")}
	e.want(skill.Load(o),
		"five user u/.agents/skills/five/SKILL.md",
		"four user u/.reasonix/skills/four/SKILL.md",
		"one project w/.reasonix/skills/one/SKILL.md",
		"seven path more/seven/SKILL.md",
		"single path single/SKILL.md",
		"six user u/.claude/skills/six/SKILL.md",
		"three project w/.claude/skills/three.md",
		"two project w/.agents/skills/two/SKILL.md",
		"hidden one w/.agents/skills/one/SKILL.md: behind w/.reasonix/skills/one/SKILL.md",
		"hidden six more/six/SKILL.md: behind u/.claude/skills/six/SKILL.md",
		"hidden two u/.reasonix/skills/two/SKILL.md: behind w/.agents/skills/two/SKILL.md",
		"problem nowhere: there is no such directory false",
	)
	e.want(skill.Load(skill.Options{}))
}

func TestSkillsAreNestedAtMostThreeDirectoriesDeep(t *testing.T) {
	e := newEstate(t, map[string]string{
		"w/.reasonix/skills/a/b/c/SKILL.md":        text("three"),
		"w/.reasonix/skills/a/b/x/y/SKILL.md":      text("too deep"),
		"w/.reasonix/skills/a/notes.md":            "no skill: it is in a directory",
		"w/.reasonix/skills/s/SKILL.md":            text("one"),
		"w/.reasonix/skills/s/sub/SKILL.md":        text("a file of s"),
		"w/.reasonix/skills/.hidden/SKILL.md":      text("no"),
		"w/.reasonix/skills/node_modules/SKILL.md": text("no"),
		"w/.reasonix/skills/README.md":             "about these",
		"w/.reasonix/skills/other.txt":             "no",
	})
	e.want(skill.Load(e.options()),
		"c project w/.reasonix/skills/a/b/c/SKILL.md",
		"s project w/.reasonix/skills/s/SKILL.md",
	)
}

func TestExcludedDirectoriesAreNotLookedIntoAndDisabledNamesAreHidden(t *testing.T) {
	e := newEstate(t, map[string]string{
		"w/.claude/skills/a/SKILL.md":        text("a"),
		"w/.reasonix/skills/b/SKILL.md":      text("b"),
		"w/.reasonix/skills/kept/SKILL.md":   text("kept"),
		"w/.reasonix/skills/review/SKILL.md": text("review"),
		"u/.agents/skills/broken/SKILL.md":   "---\nnever closed",
		"u/.reasonix/skills/review/SKILL.md": text("review, too"),
	})
	o := e.options()
	o.Excluded = []string{e.at("w/.claude/skills"), e.at("w/.reasonix/skills/b"), e.at("u/.agents")}
	o.Disabled = []string{"Review"}
	e.want(skill.Load(o),
		"kept project w/.reasonix/skills/kept/SKILL.md",
		"hidden review u/.reasonix/skills/review/SKILL.md: disabled by name",
		"hidden review w/.reasonix/skills/review/SKILL.md: disabled by name",
	)
}

func TestWhatIsNoSkillIsSkippedAndNamed(t *testing.T) {
	e := newEstate(t, map[string]string{
		"w/.agents/skills/a/SKILL.md":    "---\nname: never closed",
		"w/.agents/skills/b/SKILL.md":    "\xff\xfe",
		"w/.agents/skills/c/SKILL.md":    text("x") + strings.Repeat("x", skill.MaxFile),
		"w/.agents/skills/d/SKILL.md":    "---\nname: d\n---\n",
		"w/.agents/skills/e/SKILL.md":    "---\ninvocation: sometimes\n---\nx",
		"w/.agents/skills/f/SKILL.md":    "---\nrunAs: root\n---\nx",
		"w/.agents/skills/g/SKILL.md":    "---\nname: ../up\n---\nx",
		"w/.agents/skills/h/skill.md":    text("x"),
		"w/.agents/skills/i.md":          "A note.",
		"w/.agents/skills/k/SKILL.md":    "<<<<<<< ours\n---\nname: k\n---\nx",
		"w/.agents/skills/l/SKILL.md/x":  "a directory",
		"w/.agents/skills/good/SKILL.md": text("good"),
		"w/.claude/skills":               "a file",
	})
	e.want(skill.Load(e.options()),
		"good project w/.agents/skills/good/SKILL.md",
		"k project w/.agents/skills/k/SKILL.md",
		"problem w/.agents/skills/a/SKILL.md: the block of keys that begins in line 1 has no closing --- true",
		"problem w/.agents/skills/b/SKILL.md: it is not UTF-8 text true",
		"problem w/.agents/skills/c/SKILL.md: it has more than 64 KB true",
		"problem w/.agents/skills/d/SKILL.md: there is no text below the keys true",
		"problem w/.agents/skills/e/SKILL.md: invocation is auto or manual, not \"sometimes\" true",
		"problem w/.agents/skills/f/SKILL.md: runAs is inline or subagent, not \"root\" true",
		"problem w/.agents/skills/g/SKILL.md: the name \"../up\" is not letters, digits, and - _ . : behind the first true",
		"problem w/.agents/skills/h/skill.md: it must be called SKILL.md true",
		"problem w/.agents/skills/i.md: it has no keys in front, between two lines of --- true",
		"problem w/.agents/skills/l/SKILL.md: it cannot be read: not a regular file (directory) true",
		"problem w/.claude/skills: it is not a directory true",
	)
}

func TestInTheHomeDirectoryOnesOwnSkillsAreTheUsers(t *testing.T) {
	e := newEstate(t, map[string]string{
		"u/.reasonix/skills/a/SKILL.md": text("a"), "u/.claude/skills/b/SKILL.md": text("b"),
	})
	o := e.options()
	o.Workspace = o.UserHome
	e.want(skill.Load(o), "a user u/.reasonix/skills/a/SKILL.md", "b user u/.claude/skills/b/SKILL.md")
}

func TestTheSearchIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range skill.MaxSkills + 5 {
		files[fmt.Sprintf("u/.agents/skills/s%04d/SKILL.md", i)] = text("x")
	}
	for i := range 1001 {
		files[fmt.Sprintf("u/.claude/skills/d%04d/x", i)] = ""
	}
	for i := range 2001 {
		files[fmt.Sprintf("w/.claude/skills/f%04d", i)] = ""
	}
	e := newEstate(t, files)
	found := skill.Load(e.options())
	if len(found.Skills) != skill.MaxSkills {
		t.Errorf("got %d skills, want %d", len(found.Skills), skill.MaxSkills)
	}
	found.Skills = nil
	e.want(found,
		"problem w/.claude/skills: it has more than 2000 entries true",
		"problem u/.agents/skills/s0500/SKILL.md: there are more than 500 skills; this one and those after it are left out true",
		"problem u/.claude/skills: it has more than 1000 directories; the rest is not looked into true",
	)
}

func TestManyProblemsAreCounted(t *testing.T) {
	files := map[string]string{}
	for i := range 110 {
		files[fmt.Sprintf("w/.claude/skills/note%03d.md", i)] = "a note"
	}
	e := newEstate(t, files)
	found := skill.Load(e.options())
	told := e.told(found)
	if last := told[len(told)-1]; len(told) != 101 || last != "problem w/.claude/skills/note099.md: after this one 10 more files are not taken as skills true" {
		t.Errorf("%d problems, the last: %s", len(told), last)
	}
}

func TestCheckLooksAtOneSkillOrADirectoryOfThem(t *testing.T) {
	e := newEstate(t, map[string]string{
		"x/a/SKILL.md": text("a"), "x/b/SKILL.md": "---\n", "x/lone.md": text("lone"), "x/plain.md": "plain",
	})
	for _, c := range []struct {
		path string
		want []string
	}{
		{"x", []string{
			"a path x/a/SKILL.md", "lone path x/lone.md",
			"problem x/b/SKILL.md: the block of keys that begins in line 1 has no closing --- true",
			"problem x/plain.md: it has no keys in front, between two lines of --- true",
		}},
		{"x/a", []string{"a path x/a/SKILL.md"}},
		{"x/a/SKILL.md", []string{"a path x/a/SKILL.md"}},
		{"x/lone.md", []string{"lone path x/lone.md"}},
	} {
		found, err := skill.Check(e.at(c.path))
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		e.want(found, c.want...)
	}
	if found, err := skill.Check(e.at("none")); err == nil {
		t.Errorf("nothing there: got %v", e.told(found))
	}
}
