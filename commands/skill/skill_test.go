package skill_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/commands/cmdutil/cmdtest"
	"reasonix/commands/skill"
)

// A desk is a home, a workspace and the command at work in them.
type desk struct {
	t   *testing.T
	dir string
}

func newDesk(t *testing.T, files map[string]string) desk {
	t.Helper()
	d := desk{t: t, dir: t.TempDir()}
	for _, name := range []string{"home/", "user/", "work/"} {
		d.write(name, "")
	}
	for name, text := range files {
		d.write(name, text)
	}
	return d
}

// write makes a file, or a directory when its name ends with a slash.
func (d desk) write(name, text string) {
	d.t.Helper()
	cmdtest.Write(d.t, d.dir+"/"+name, text)
}

// run runs `skill ARGS`, with the temporary directory taken out of what it prints.
func (d desk) run(args ...string) (out, errs string, code int) {
	d.t.Helper()
	out, errs, err := cmdtest.Run(d.t, skill.New, &cmdutil.App{
		Home: filepath.Join(d.dir, "home"), WorkDir: filepath.Join(d.dir, "work"), Environ: []string{"HOME=" + filepath.Join(d.dir, "user")},
	}, args...)
	short := func(text string) string { return strings.ReplaceAll(text, filepath.ToSlash(d.dir)+"/", "") }
	return short(out), short(errs + cmdtest.Told(err)), cmdutil.CodeOf(err)
}

func (d desk) json(args ...string) any {
	d.t.Helper()
	out, errs, _ := d.run(append(args, "--output-format", "json")...)
	var v any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		d.t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
	}
	return v
}

const review = "---\ndescription: Looks at a diff\nallowed-tools: Read Grep\nhint: [x]\n---\nLook.\n"

type object = map[string]any

func TestListIsCompleteInJSON(t *testing.T) {
	d := newDesk(t, map[string]string{
		"work/.agents/skills/review/SKILL.md": review,
		"user/.claude/skills/review/SKILL.md": review,
		"home/skills/bad/SKILL.md":            "---\n",
	})
	entry := func(scope, path string, more object) object {
		o := object{"name": "review", "scope": scope, "runAs": "inline", "invocation": "auto", "path": path, "description": "Looks at a diff"}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	want := object{
		"skills": []any{entry("project", "work/.agents/skills/review/SKILL.md", nil)},
		"hidden": []any{entry("user", "user/.claude/skills/review/SKILL.md", object{"why": "behind work/.agents/skills/review/SKILL.md"})},
		"problems": []any{object{
			"path": "home/skills/bad/SKILL.md", "text": "the block of keys that begins in line 1 has no closing ---", "skipped": true,
		}},
	}
	if diff := cmp.Diff(any(want), d.json("list")); diff != "" {
		t.Errorf("list (-want +got)\n%s", diff)
	}
	empty := any(object{"skills": []any{}, "hidden": []any{}, "problems": []any{}})
	if diff := cmp.Diff(empty, newDesk(t, nil).json("list")); diff != "" {
		t.Errorf("nothing (-want +got)\n%s", diff)
	}
}

func TestShowIsCompleteInJSON(t *testing.T) {
	d := newDesk(t, map[string]string{"work/.agents/skills/review/SKILL.md": review, "work/.agents/skills/review/scripts/x": ""})
	want := object{"skill": object{
		"name": "review", "scope": "project", "runAs": "inline", "invocation": "auto", "path": "work/.agents/skills/review/SKILL.md",
		"description": "Looks at a diff", "model": "", "effort": "", "allowedTools": []any{"Read", "Grep"}, "color": "",
		"unknown": object{"hint": "[x]"}, "files": []any{"scripts/x"}, "moreFiles": 0.0, "body": "Look.",
	}}
	if diff := cmp.Diff(any(want), d.json("show", "review")); diff != "" {
		t.Errorf("show (-want +got)\n%s", diff)
	}
}

// What a stranger's file holds is shown as what it is.
func TestNothingOfASkillActsOnTheTerminal(t *testing.T) {
	d := newDesk(t, map[string]string{
		"work/.agents/skills/a/SKILL.md": "---\ndescription: d\u202ed\nx: \x1b[1mb\n---\nLook\x1b[2J\tat\n\u202ethis.\n",
	})
	for _, args := range [][]string{{"show", "a"}, {"list"}, {"check"}, {"list", "--output-format", "json"}} {
		out, errs, _ := d.run(args...)
		if strings.ContainsAny(out+errs, "\x1b\r") {
			t.Errorf("%v: %q %q", args, out, errs)
		}
	}
	if out, _, _ := d.run("show", "a"); !strings.HasSuffix(out, "\nLook\\u001B[2J\tat\n\\u202Ethis.\n") {
		t.Errorf("show: %q", out)
	}
}

func TestCheckExitsByWhatItFound(t *testing.T) {
	d := newDesk(t, map[string]string{"work/.agents/skills/review/SKILL.md": review})
	if out, errs, code := d.run("check"); code != 0 || out != "1 skill, nothing to say\n" || errs != "" {
		t.Errorf("good: %d %q %q", code, out, errs)
	}
	d.write("work/x/SKILL.md", "Only text.")
	if out, _, code := d.run("check", "x"); code != 1 || out != "work/x/SKILL.md: there is no description; the first line of the text stands for it\n" {
		t.Errorf("odd: %d %q", code, out)
	}
	if _, errs, code := d.run("check", "none"); code != 2 || !strings.Contains(errs, "work/none") {
		t.Errorf("nothing there: %d %q", code, errs)
	}
	want := any(object{"ok": false, "skills": 1.0, "problems": []any{
		object{"path": "work/x/SKILL.md", "text": "there is no description; the first line of the text stands for it", "skipped": false},
	}})
	if diff := cmp.Diff(want, d.json("check", "x")); diff != "" {
		t.Errorf("check (-want +got)\n%s", diff)
	}
}

func TestABrokenConfigurationIsToldAndStopsNothing(t *testing.T) {
	d := newDesk(t, map[string]string{"work/.agents/skills/review/SKILL.md": review, "home/config.toml": "[skills]\npaths = 7\n"})
	out, errs, code := d.run("list")
	if code != 0 || !strings.HasPrefix(out, "review ") || !strings.HasPrefix(errs, "warning: ") || !strings.Contains(errs, "skills.paths") {
		t.Errorf("got %d\n%s%s", code, out, errs)
	}
}

func TestAProjectsPathOutsideOfItNeedsAGrant(t *testing.T) {
	d := newDesk(t, map[string]string{
		"out/stray/SKILL.md": review, "work/inside/near/SKILL.md": review, "work/reasonix.toml": "[skills]\npaths = [\"../out\", \"inside\"]\n",
	})
	if out, errs, _ := d.run("list"); strings.Contains(out, "stray") || !strings.Contains(out, "near") {
		t.Errorf("got\n%s%s", out, errs)
	}
}
