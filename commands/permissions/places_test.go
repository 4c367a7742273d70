package permissions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What counts without a rule is explained like a rule, for commands and file tools
// alike; no flag loosens it.
func TestExplainOfPlacesThatCountWithoutARule(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		verdict string
		fresh   bool
		release string
	}{
		"PM-19 a hook by the shell": {[]string{"--allow", "Bash", "--permission-mode", "yolo", "--", "echo x > .git/hooks/pre-commit"}, "ask", true, "WORK/.git/hooks"},
		"a hook by a file tool":     {[]string{"--allow", "Edit", "--permission-mode", "yolo", "--tool", "write_file", "--path", ".git/hooks/pre-commit"}, "ask", true, "WORK/.git/hooks"},
		"a hook with nobody there":  {[]string{"--allow", "Edit", "--headless", "--tool", "write_file", "--path", ".git/hooks/pre-commit"}, "deny", true, "WORK/.git/hooks"},
		"a secret by the shell":     {[]string{"--permission-mode", "yolo", "--", "cat ~/.ssh/id"}, "ask", true, ""},
		"a secret by a file tool":   {[]string{"--permission-mode", "yolo", "--tool", "read_file", "--path", "~/.ssh/id"}, "ask", true, ""},
		"a secret that a rule names": {
			[]string{"--allow", "Read(~/.ssh/id)", "--tool", "read_file", "--path", "~/.ssh/id"}, "allow", false, "",
		},
		"PM-19 outside by a redirection": {[]string{"--allow", "Bash", "--permission-mode", "yolo", "--", "echo x > /etc/motd"}, "deny", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got explained
			newDesk(t, "", "").read(0, &got, append([]string{"explain"}, c.args...)...)
			if got.Verdict != c.verdict || got.Fresh != c.fresh || strings.Join(got.Release, " ") != c.release {
				t.Errorf("%+v", got)
			}
			if got.Verdict != "allow" && (got.Source != "built-in" || got.Why == "" || len(got.Suggest) != 0) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestExplainTheHomeOfTheProgram(t *testing.T) {
	d := newDesk(t, "", "")
	for path, want := range map[string]string{".env": "deny", "grants.json": "deny", "config.toml": "allow"} {
		var got explained
		d.read(0, &got, "explain", "--tool", "read_file", "--path", filepath.Join(d.home, path))
		if got.Verdict != want {
			t.Errorf("read %s: %s, want %s", path, got.Verdict, want)
		}
	}
	var got explained
	d.read(0, &got, "explain", "--tool", "write_file", "--path", filepath.Join(d.home, "config.toml"))
	if got.Verdict == "allow" {
		t.Errorf("write config.toml: %+v", got)
	}
}

// PM-10: a name is judged by what it leads to.
func TestPM10ExplainFollowsLinks(t *testing.T) {
	d := newDesk(t, "", "")
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(d.work, "out")); err != nil {
		t.Fatal(err)
	}
	var got explained
	d.read(0, &got, "explain", "--allow", "Bash", "--", "echo x > out/y")
	if got.Verdict != "deny" {
		t.Errorf("%+v", got)
	}
}

func TestExplainOfACommandThatOnlyReads(t *testing.T) {
	d := newDesk(t, "", "")
	var got explained
	d.read(0, &got, "explain", "--", "git status")
	if got.Verdict != "ask" || !strings.Contains(got.Why, "the repository of this workspace") {
		t.Errorf("where there is no repository: %+v", got)
	}
	if err := os.Mkdir(filepath.Join(d.work, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.read(0, &got, "explain", "--", "git status && ls -la | head")
	if got.Verdict != "allow" || got.Source != "read-only command" || got.Rule != "" {
		t.Errorf("%+v", got)
	}
	d.read(0, &got, "explain", "--ask", "Bash", "--", "git status")
	if got.Verdict != "ask" || got.Rule != "Bash" {
		t.Errorf("an ask rule beats the table: %+v", got)
	}
	off := newDesk(t, "permissions.read_only_commands = false\n", "")
	off.read(0, &got, "explain", "--", "git status")
	if got.Verdict != "ask" || got.Why != "" {
		t.Errorf("with the table turned off: %+v", got)
	}
}

func TestListNamesThePlaces(t *testing.T) {
	d := newDesk(t, "sandbox.forbid_read = [\"/srv/private\"]\nsandbox.allow_write = [\"/srv/shared\"]\n", "")
	var got struct {
		Places struct {
			Write, Hidden, Protected, Secrets []string
			Names                             []string `json:"protected_names"`
		}
	}
	d.read(0, &got, "list")
	if diff := cmp.Diff([]string{"/srv/shared"}, got.Places.Write); diff != "" {
		t.Error(diff)
	}
	for list, want := range map[string][]string{
		"/srv/private": got.Places.Hidden, "HOME/.env": got.Places.Hidden, "HOME/config.toml": got.Places.Protected,
		".git/hooks": got.Places.Names, "HOME/.ssh": got.Places.Secrets,
	} {
		if !strings.Contains("\n"+strings.Join(want, "\n")+"\n", "\n"+list+"\n") {
			t.Errorf("no %s in %q", list, want)
		}
	}
	if text := d.text("list"); !strings.Contains(text, "\nneither read nor written:\n  /srv/private, ") {
		t.Error(text)
	}
}
