package permissions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/permissions"
)

// foundIn is what check says about the rules of a file: KIND RULE.
func foundIn(t *testing.T, text string) []string {
	t.Helper()
	d := newDesk(t, "", "")
	file := filepath.Join(d.work, "rules.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var got struct {
		OK       bool
		Findings []struct{ Kind, Rule, Message string }
	}
	args := []string{"check", "rules.toml"}
	_, _, code := d.run(args...)
	d.read(code, &got, args...)
	if got.OK != (code == 0) || got.OK != (len(got.Findings) == 0) || code > 1 {
		t.Errorf("exit %d with %+v", code, got)
	}
	var list []string
	for _, f := range got.Findings {
		list = append(list, f.Kind+" "+f.Rule)
	}
	return list
}

func TestCheckFinds(t *testing.T) {
	for text, want := range map[string][]string{
		`deny = ["Bsh(rm:*)"]`:                                       {"unknown Bsh(rm:*)"},
		`deny = ["Bash(rm:*"]`:                                       {"invalid Bash(rm:*"},
		`deny = ["Bash(rm)"]`:                                        {"narrow Bash(rm)"},
		`deny = ["bash=rm", "Bash(git push --force)"]`:               nil,
		`allow = ["Bash"]`:                                           {"wide Bash"},
		`allow = ["Bash(*)"]`:                                        {"wide Bash(*)"},
		`allow = ["Bash(git:*)"]`:                                    {"wide Bash(git:*)"},
		`allow = ["Bash(git *)"]`:                                    {"wide Bash(git *)"},
		`allow = ["Bash(python3:*)"]`:                                {"wide Bash(python3:*)"},
		`allow = ["Bash(* --version)"]`:                              {"wide Bash(* --version)"},
		`ask = ["Bash(git:*)", "Bash"]`:                              {"shadowed Bash(git:*)"},
		`allow = ["Bash(go test:*)", "Bash(go vet:*)"]`:              nil,
		`allow = ["Bash(go test:*)", "Bash(go test ./...:*)"]`:       {"shadowed Bash(go test ./...:*)"},
		`allow = ["Bash(go test:*)", "Bash(go test *)"]`:             {"shadowed Bash(go test *)"},
		`allow = ["Edit(docs/**)", "Edit(docs/a.md)"]`:               {"shadowed Edit(docs/a.md)"},
		`allow = ["Edit(docs/*)", "Edit(docs/a/b.md)"]`:              nil,
		`allow = ["write_file(docs/**)", "Edit(docs/a.md)"]`:         nil,
		`allow = ["Edit"]`:                                           {"wide Edit"},
		`allow = ["Bash(bash -c:*)"]`:                                {"never Bash(bash -c:*)", "wide Bash(bash -c:*)"},
		`allow = ["Edit(src/**)", "Edit(docs/**)"]`:                  nil,
		"allow = [\"Bash(rm x:*)\"]\ndeny = [\"Bash(rm:*)\"]":        {"shadowed Bash(rm x:*)"},
		"allow = [\"Bash(touch:*)\"]\ndeny = [\"Bash(touch -c:*)\"]": nil,
		"ask = [\"Bash(rm -r:*)\"]\ndeny = [\"Bash(rm:*)\"]":         {"shadowed Bash(rm -r:*)"},
		`allow = ["todo_write(x)"]`:                                  {"never todo_write(x)"},
		`allow = ["Bash(echo \"a b\":*)"]`:                           {"never Bash(echo \"a b\":*)"},
		`allow = ["Edit(a/../b)"]`:                                   {"never Edit(a/../b)"},
		`deny = ["web_fetch(domain:https://example.com)"]`:           {"never web_fetch(domain:https://example.com)"},
		`allow = ["web_fetch(domain:*.example.com)"]`:                nil,
		`allow = ["mcp__docs", "mcp__docs__search", "mcp__x(y)"]`:    {"shadowed mcp__docs__search"},
		`deny = ["Read(secrets/**)", "grep(secrets)"]`:               nil,
	} {
		t.Run(text, func(t *testing.T) {
			if diff := cmp.Diff(want, foundIn(t, "[permissions]\n"+text+"\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckNamesTheLineAndTheOtherRule(t *testing.T) {
	d := newDesk(t, "", `[permissions]
deny = [
  "Bash(rm:*)",
  # a comment with "Bash(x)"
  "Bsh(x:*)",
]
ask = ["Bash(rm -rf:*)"]
`)
	out, errs, code := d.run("check", "reasonix.toml")
	want := `WORK/reasonix.toml:5: deny Bsh(x:*): there is no tool Bsh; did you mean Bash?
WORK/reasonix.toml:7: ask Bash(rm -rf:*): it never counts: the deny rule Bash(rm:*) (WORK/reasonix.toml:3) speaks of the same calls

3 rules, 2 findings
`
	if diff := cmp.Diff(want, out); diff != "" || code != 1 || strings.TrimSpace(errs) != "exit 1" {
		t.Errorf("exit %d, %q\n%s", code, errs, diff)
	}
}

func TestCheckOfTheRulesInForce(t *testing.T) {
	d := newDesk(t, "permissions.deny = [\"Bash(rm:*)\"]\n", "[permissions]\nallow = [\"Bash(rm x)\"]\nask = [\"Bash(rm y)\"]\n")
	out, _, code := d.run("check")
	for _, want := range []string{
		"WORK/reasonix.toml:3: ask Bash(rm y): it never counts: the deny rule Bash(rm:*) (HOME/config.toml:1)",
		"WORK/reasonix.toml:2: allow Bash(rm x): it never counts: the deny rule Bash(rm:*) (HOME/config.toml:1)",
		"3 rules, 2 findings\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%swant it to say %q", out, want)
		}
	}
	if code != 1 {
		t.Errorf("exit %d", code)
	}
}

func TestCheckWithNothingToSay(t *testing.T) {
	out, _, code := newDesk(t, "permissions.deny = [\"Bash(rm:*)\"]\n", "").run("check")
	if out != "1 rule, nothing to say\n" || code != 0 {
		t.Errorf("exit %d, %q", code, out)
	}
}

func TestCheckOfAFileThatIsNoConfiguration(t *testing.T) {
	d := newDesk(t, "[permissions]\nallow = 3\n", "")
	d.fails(2, "no such file or directory", "check", "gone.toml")
	d.fails(3, "HOME/config.toml:2:", "check", filepath.Join(d.home, "config.toml"))
}

// What the example file suggests is clean.
func TestCheckFindsNothingInTheUsualRules(t *testing.T) {
	for _, text := range []string{permissions.ExampleRules, "permissions.mode = \"ask\"\n"} {
		if found := foundIn(t, text); found != nil {
			t.Error(found)
		}
	}
	example := `[permissions]
deny  = ["Bash(rm -rf*)", "Bash(git push*)"]
allow = ["Bash(go test:*)", "Bash(git status:*)"]
ask   = []
`
	if found := foundIn(t, example); found != nil {
		t.Error(found)
	}
}
