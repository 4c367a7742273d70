package permissions_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listUser = `[permissions]
mode = "deny"
deny = ["Bash(rm:*)"]
allow = [
  "Bash(go test *)",
  "Edit(docs/**)",
]
`

const listProject = `[permissions]
ask = ["Bash(make:*)"]
allow = ["Bash(npm test:*)"]
`

func TestListNamesEveryRuleWithItsPlace(t *testing.T) {
	text := newDesk(t, listUser, listProject).text("list")
	want := `deny  Bash(rm:*)        HOME/config.toml:3
off   Bash(make:*)      WORK/reasonix.toml:2  ask, a project's ask rule is milder than mode = "deny"
allow Bash(go test:*)   HOME/config.toml:5
allow Edit(docs/**)     HOME/config.toml:6
off   Bash(npm test:*)  WORK/reasonix.toml:3  allow, not granted: reasonix permissions trust

mode deny HOME/config.toml:2
posture ask default
headless allow default
read-only commands true default
`
	if diff := cmp.Diff(squeezed(want), squeezed(text)[:min(len(squeezed(want)), len(squeezed(text)))]); diff != "" {
		t.Error(diff)
	}
}

// squeezed is text by lines without the widths of columns.
func squeezed(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

func TestListForAScript(t *testing.T) {
	type rule struct {
		Verdict, Rule, Layer, File string
		Line                       int
		On, Granted                bool
		Why                        string
	}
	var got struct {
		Rules                                     []rule
		Mode, Posture, Headless, ReadOnlyCommands struct{ Value, Layer, Source string }
	}
	d := newDesk(t, listUser, listProject)
	d.read(0, &got, "list")
	want := []rule{
		{Verdict: "deny", Rule: "Bash(rm:*)", Layer: "user", File: "HOME/config.toml", Line: 3, On: true},
		{Verdict: "ask", Rule: "Bash(make:*)", Layer: "project", File: "WORK/reasonix.toml", Line: 2, Why: `a project's ask rule is milder than mode = "deny"`},
		{Verdict: "allow", Rule: "Bash(go test:*)", Layer: "user", File: "HOME/config.toml", Line: 5, On: true},
		{Verdict: "allow", Rule: "Edit(docs/**)", Layer: "user", File: "HOME/config.toml", Line: 6, On: true},
		{Verdict: "allow", Rule: "Bash(npm test:*)", Layer: "project", File: "WORK/reasonix.toml", Line: 3, Why: "not granted: reasonix permissions trust"},
	}
	if diff := cmp.Diff(want, got.Rules); diff != "" {
		t.Error(diff)
	}
	if got.Mode.Value != "deny" || got.Mode.Layer != "user" || got.Mode.Source != "HOME/config.toml:2" || got.Posture.Value != "ask" || got.Headless.Layer != "default" {
		t.Errorf("%+v", got)
	}
}

func TestListSaysWhatIsGranted(t *testing.T) {
	d := newDesk(t, "", listProject)
	if out, errs, code := d.run("trust", "--yes"); code != 0 {
		t.Fatalf("trust: exit %d\n%s%s", code, out, errs)
	}
	if lines := squeezed(d.text("list")); lines[1] != "allow Bash(npm test:*) WORK/reasonix.toml:3 granted" {
		t.Errorf("%q", lines)
	}
}

func TestListWithoutAnyRule(t *testing.T) {
	if text := newDesk(t, "", "").text("list"); !strings.HasPrefix(text, "no rules\n") {
		t.Error(text)
	}
}

func TestListColoursVerdictsOnATerminalOnly(t *testing.T) {
	d := newDesk(t, listUser, "")
	if text := d.text("list"); strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
	d.tty = true
	if text := d.text("list"); !strings.HasPrefix(text, "\x1b[31mdeny\x1b[0m   Bash(rm:*) ") {
		t.Errorf("%q", text)
	}
}

func TestListPrintsTheTableOfCommandsThatOnlyRead(t *testing.T) {
	d := newDesk(t, "", "")
	if text := d.text("list"); strings.Contains(text, "commands that only read:") {
		t.Error("the table is printed unasked")
	}
	if text := d.text("list", "--read-only-commands"); !strings.Contains(text, "\ncommands that only read:\n  ") || !strings.Contains(text, "without -delete") {
		t.Error(text)
	}
	var got struct{ Commands []string }
	d.read(0, &got, "list", "--read-only-commands")
	if len(got.Commands) < 10 {
		t.Errorf("%q", got.Commands)
	}
}
