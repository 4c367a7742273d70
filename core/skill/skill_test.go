package skill_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/skill"
)

// load1 is the one skill of a file a/SKILL.md with text.
func load1(t *testing.T, text string) (skill.Skill, estate) {
	t.Helper()
	e := newEstate(t, map[string]string{"w/.agents/skills/a/SKILL.md": text})
	found := skill.Load(e.options())
	if len(found.Skills) != 1 || len(found.Problems) > 0 {
		t.Fatalf("%q: found %v", text, e.told(found))
	}
	return found.Skills[0], e
}

func TestKeysAreReadAndUnknownOnesKept(t *testing.T) {
	s, e := load1(t, "\ufeff---\r\nname: Code Review\r\ndescription: >\r\n  Looks: at a diff,\r\n  [twice]\r\ninvocation: manual\r\nrunAs: subagent\r\n"+
		"model: deepseek-pro\r\neffort: high\r\nallowed-tools: Read, Bash(git add:*, x) Grep\r\ncolor: red\r\nargument-hint: [focus-area]\r\nversion: 1.2: beta\r\n---\r\n\r\nOne.\r\nTwo.\r\n")
	want := skill.Skill{
		Name: "code-review", Description: "Looks: at a diff, [twice]", Invocation: skill.Manual, RunAs: skill.Subagent,
		Model: "deepseek-pro", Effort: "high", AllowedTools: []string{"Read", "Bash(git add:*, x)", "Grep"}, Color: "red",
		Unknown: map[string]string{"argument-hint": "[focus-area]", "version": "1.2: beta"},
		Scope:   skill.Project, Path: e.at("w/.agents/skills/a/SKILL.md"), Dir: e.at("w/.agents/skills/a"), Body: "One.\nTwo.",
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("skill (-want +got)\n%s", diff)
	}
}

func TestWhatIsNotSaidIsFilledIn(t *testing.T) {
	for _, c := range []struct{ text, name, description string }{
		{"# Title\n\nFirst line.\nSecond.", "a", "First line."},
		{"# Title\n", "a", "Title"},
		{"---\nname: b\ndescription:\n---\nx", "b", "x"},
	} {
		s, _ := load1(t, c.text)
		if s.Name != c.name || s.Description != c.description || s.Invocation != skill.Auto || s.RunAs != skill.Inline {
			t.Errorf("%q: got %+v", c.text, s)
		}
	}
}

func TestAllowedToolsInTheirForms(t *testing.T) {
	for _, c := range []struct {
		value string
		want  []string
	}{
		{" Read Grep", []string{"Read", "Grep"}},
		{" [Read, 'Grep', \"Bash(ls:*)\"]", []string{"Read", "Grep", "Bash(ls:*)"}},
		{"\n- Read\n- Bash(git log:*)", []string{"Read", "Bash(git log:*)"}},
		{" Bash(a (b) c), mcp__x__y", []string{"Bash(a (b) c)", "mcp__x__y"}},
		{" Bash(open Read", []string{"Bash(open Read"}},
		{"", nil},
	} {
		s, _ := load1(t, "---\nallowed-tools:"+c.value+"\n---\nx")
		if diff := cmp.Diff(c.want, s.AllowedTools); diff != "" {
			t.Errorf("%q (-want +got)\n%s", c.value, diff)
		}
	}
}

func TestWhatOtherProgramsWriteForManualIsManual(t *testing.T) {
	for value, want := range map[string]skill.Invocation{"true": skill.Manual, "false": skill.Auto} {
		if s, _ := load1(t, "---\ndisable-model-invocation: "+value+"\n---\nx"); s.Invocation != want {
			t.Errorf("%s: got %s, want %s", value, s.Invocation, want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"review": true, "Code Review": true, "git:commit": true, "a.b_c-1": true, "代码审查": true, "1st": true, strings.Repeat("x", 64): true,
		"": false, " ": false, "-x": false, "a/b": false, `a\b`: false, "..": false, "a\x00": false, "a\u202eb": false, "\xff": false, strings.Repeat("x", 65): false,
	} {
		if err := skill.ValidName(name); (err == nil) != ok {
			t.Errorf("%q: %v, want good: %v", name, err, ok)
		}
	}
}

func TestPromptHasTheFilesAndTheArguments(t *testing.T) {
	s, e := load1(t, "---\nname: a\n---\nRead ${CLAUDE_SKILL_DIR}/references/style.md.\n")
	for _, name := range []string{"references/style.md", "scripts/run.sh", "scripts/deep/er/x", "scripts/deep/er/too/y", ".git/config", "node_modules/z"} {
		e.write("w/.agents/skills/a/"+name, "")
	}
	dir := filepath.ToSlash(s.Dir)
	want := "# Skill a\nFile: " + dir + "/SKILL.md\nIt has these files; read one when the text refers to it:\n" +
		"- " + dir + "/references/style.md\n- " + dir + "/scripts/run.sh\n" +
		"Arguments: the parser\n\nRead " + dir + "/references/style.md.\n"
	got := s.Prompt(" the parser\n")
	got = strings.Replace(got, "- "+dir+"/scripts/deep/er/x\n", "", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prompt (-want +got)\n%s", diff)
	}
	s.Body = "Do $ARGUMENTS, then $ARGUMENTS and pay $1."
	if got := s.Prompt("that"); !strings.HasSuffix(got, "\n\nDo that, then that and pay $1.\n") || strings.Contains(got, "Arguments:") {
		t.Errorf("arguments with a place of their own: %q", got)
	}
	if got := s.Prompt(""); strings.Contains(got, "$ARGUMENTS") {
		t.Errorf("without arguments: %q", got)
	}
}

func TestTheListOfFilesIsBounded(t *testing.T) {
	s, e := load1(t, "x")
	for i := range 60 {
		e.write(fmt.Sprintf("w/.agents/skills/a/f%02d", i), "")
	}
	files, more := s.Files()
	if len(files) != 50 || files[0] != "f00" || more != 10 {
		t.Errorf("got %d files, %d more: %v", len(files), more, files)
	}
	if text := s.Prompt(""); !strings.Contains(text, "- and 10 more at least\n") {
		t.Errorf("the prompt does not say that there are more:\n%s", text)
	}
}

func named(t *testing.T, names ...string) skill.Skills {
	t.Helper()
	var list skill.Skills
	for _, name := range names {
		s := skill.Skill{Name: name, Invocation: skill.Auto, RunAs: skill.Inline, Body: "Do " + name, Path: "/s/" + name + ".md"}
		switch {
		case strings.HasPrefix(name, "manual"):
			s.Invocation = skill.Manual
		case strings.HasPrefix(name, "sub"):
			s.RunAs = skill.Subagent
		}
		list = append(list, s)
	}
	return list
}

func TestRunRefusesByName(t *testing.T) {
	l := named(t, "deploy", "manual-x", "release", "review", "sub-x")
	for _, c := range []struct {
		name, want string
		is         error
	}{
		{"manual-x", "skill manual-x: only the user can start it, with /manual-x", skill.ErrManual},
		{"sub-x", "skill sub-x: it runs as a subagent, and subagents are not there yet", skill.ErrSubagent},
		{"revew", `there is no skill "revew"; there are: review, release, deploy`, nil},
		{"rel", `there is no skill "rel"; there are: release, deploy, review`, nil},
		{"", `there is no skill ""; there are: deploy, review, release`, nil},
	} {
		_, err := l.Run(c.name, "")
		if err == nil || err.Error() != c.want || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%q: got %v, want %s", c.name, err, c.want)
		}
	}
	for _, name := range []string{"review", " /Review ", "REVIEW"} {
		if text, err := l.Run(name, "x"); err != nil || !strings.Contains(text, "Do review") || !strings.Contains(text, "Arguments: x") {
			t.Errorf("%q: got %q, %v", name, text, err)
		}
	}
	if _, err := skill.Skills(nil).Run("x", ""); err == nil || err.Error() != `there is no skill "x"` {
		t.Errorf("without skills: %v", err)
	}
}

func TestIndexIsStableBoundedAndOnlyOfWhatTheModelCanRun(t *testing.T) {
	l := named(t, "deploy", "manual-x", "review", "sub-x")
	l[0].Description = "Ship: it"
	intro := l.Index()[:strings.Index(l.Index(), "\n")+1]
	if got, want := l.Index(), intro+"- deploy: Ship: it\n- review\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := named(t, "manual-x", "sub-x").Index(); got != "" {
		t.Errorf("of nothing the model can run: %q", got)
	}
	for _, c := range []struct{ skills, widest int }{{10, 240}, {30, 120}, {60, 60}, {200, 0}, {500, 0}} {
		var names []string
		for i := range c.skills {
			names = append(names, fmt.Sprintf("skill-number-%04d", i))
		}
		l := named(t, names...)
		for i := range l {
			l[i].Description = strings.Repeat("é", 1000)
		}
		text := l.Index()
		if len(text) > skill.MaxIndex || text != l.Index() {
			t.Errorf("%d skills: %d bytes, limit %d; or not stable", c.skills, len(text), skill.MaxIndex)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]
		last := lines[len(lines)-1]
		if strings.Count(lines[0], "é") >= max(1, c.widest) {
			t.Errorf("%d skills: the first line is %s", c.skills, lines[0])
		}
		if all := len(lines) == c.skills; !all && !strings.HasPrefix(last, fmt.Sprintf("- and %d more", c.skills-len(lines)+1)) {
			t.Errorf("%d skills in %d lines, the last: %s", c.skills, len(lines), last)
		}
	}
}

func TestLint(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"---\nname: a\ndescription: Good.\nargument-hint: x\n---\nSee references/ and https://x.y/references/z, `scripts/ok.sh`.", nil},
		{"Only text.", []string{"there is no description; the first line of the text stands for it"}},
		{"---\ndescription: " + strings.Repeat("x", 300) + "\n---\nx", []string{"the description has 300 characters; the model is shown 240 at most"}},
		{"---\nname: b\ndescription: d\nrun-as: subagent\nallowedTools: x\nrunas: y\n---\nx", []string{
			"its directory is called a, the skill is called b",
			"the key allowedTools has no meaning: allowed-tools has", "the key run-as has no meaning: runAs has", "the key runas has no meaning: runAs has",
		}},
		{"---\ndescription: d\n---\nRun scripts/gone.py, (references/no.md) and scripts/gone.py, scripts/../../x.", []string{
			"the text speaks of scripts/gone.py, which is not there", "the text speaks of references/no.md, which is not there",
		}},
	} {
		s, e := load1(t, c.text)
		e.write("w/.agents/skills/a/scripts/ok.sh", "")
		var got []string
		for _, p := range s.Lint() {
			got = append(got, p.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.60q (-want +got)\n%s", c.text, diff)
		}
	}
}

func TestANewSkillCountsAndNothingIsReplaced(t *testing.T) {
	e := newEstate(t, nil)
	o := e.options()
	path, err := skill.Create(o, skill.Project, "Cut Release", "Tag: and [publish]\nit")
	if err != nil {
		t.Fatal(err)
	}
	own, err := skill.Create(o, skill.User, "mine", "")
	if err != nil {
		t.Fatal(err)
	}
	found := skill.Load(o)
	e.want(found, "cut-release project w/.reasonix/skills/cut-release/SKILL.md", "mine user u/.reasonix/skills/mine/SKILL.md")
	if s := found.Skills[0]; s.Description != "Tag: and [publish] it" || s.Path != path || len(s.Lint()) > 0 {
		t.Errorf("the new skill is %+v, %v", s, s.Lint())
	}
	if s := found.Skills[1]; s.Path != own || len(s.Lint()) != 1 {
		t.Errorf("a skill without a description: %v", s.Lint())
	}
	if info, err := os.Stat(own); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the user's own file: %v, %v", info, err)
	}
	before, _ := os.ReadFile(path)
	if _, err := skill.Create(o, skill.Project, "cut release", "other"); !errors.Is(err, skill.ErrExists) {
		t.Errorf("a second one: %v", err)
	}
	if after, _ := os.ReadFile(path); !slices.Equal(before, after) {
		t.Error("an existing skill was changed")
	}
	for _, name := range []string{"", "../x", "a/b"} {
		if path, err := skill.Create(o, skill.Project, name, ""); err == nil {
			t.Errorf("%q made %s", name, path)
		}
	}
	if _, err := skill.Create(skill.Options{}, skill.User, "x", ""); !errors.Is(err, skill.ErrPlace) {
		t.Errorf("without a home: %v", err)
	}
}
