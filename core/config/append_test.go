package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

const allow = "permissions.allow"

// TestAppendAddsOneLine: what else the file says stays, however it is written.
func TestAppendAddsOneLine(t *testing.T) {
	for _, tt := range []struct{ name, before, after string }{
		{"no file", "", "[permissions]\nallow = [\"R\"]\n"},
		{"no key", "[permissions]\nmode = \"ask\" # m\n", "[permissions]\nmode = \"ask\" # m\nallow = [\"R\"]\n"},
		{"no table, no line end", "language = \"en\"", "language = \"en\"\n\n[permissions]\nallow = [\"R\"]\n"},
		{"commented out", "[permissions]\n# allow = [\"x\"]\ndeny = []\n", "[permissions]\n# allow = [\"x\"]\nallow = [\"R\"]\ndeny = []\n"},
		{"empty list", "[permissions]\nallow = []\n", "[permissions]\nallow = [\"R\"]\n"},
		{"empty list with a blank", "[permissions]\nallow = [ ] # a\n", "[permissions]\nallow = [\"R\" ] # a\n"},
		{"one line", "permissions.allow = [\"A\"] # a", "permissions.allow = [\"A\", \"R\"] # a"},
		{"one line with a comma", "permissions.allow = [\"A\", ]\n", "permissions.allow = [\"A\", \"R\", ]\n"},
		{"inline table", "permissions = { allow = ['A'], mode = 'ask' }\n", "permissions = { allow = ['A', \"R\"], mode = 'ask' }\n"},
		{"inline table without the key", "permissions = { mode = 'ask' } # p\n", "permissions = { mode = 'ask', allow = [\"R\"] } # p\n"},
		{
			"several lines", "[permissions]\n  allow = [\n    # first\n    \"A\", # a\n    \"B\", # b\n    # last\n  ]\n",
			"[permissions]\n  allow = [\n    # first\n    \"A\", # a\n    \"B\", # b\n    \"R\",\n    # last\n  ]\n",
		},
		{"no comma at the end", "permissions.allow = [\n\t\"A\" # a\n]\n", "permissions.allow = [\n\t\"A\", # a\n\t\"R\"\n]\n"},
		{"a comma on its own", "permissions.allow = [\n  \"A\" # a\n  , # b\n]\n", "permissions.allow = [\n  \"A\" # a\n  , # b\n  \"R\",\n]\n"},
		{"the bracket behind the last", "permissions.allow = [\n  \"A\",\n  \"B\"]\n", "permissions.allow = [\n  \"A\",\n  \"B\",\n  \"R\"]\n"},
		{"only a comment", "permissions.allow = [\n  # none yet\n]\n", "permissions.allow = [\n  # none yet\n  \"R\",\n]\n"},
		{"brackets in the texts", "permissions.allow = [\n  \"A]\", # ]\n  '''\n[#,''',\n]\n", "permissions.allow = [\n  \"A]\", # ]\n  '''\n[#,''',\n  \"R\",\n]\n"},
		{"CRLF and a byte order mark", "\ufeff[permissions]\r\nallow = [\r\n  'A',\r\n]\r\n", "\ufeff[permissions]\r\nallow = [\r\n  'A',\r\n  \"R\",\r\n]\r\n"},
		{"there already", "permissions.allow = ['A', 'R'] # x\n", "permissions.allow = ['A', 'R'] # x\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.Append([]byte(tt.before), allow, "R")
			noErr(t, err)
			if d := cmp.Diff(tt.after, string(got)); d != "" {
				t.Error(d)
			}
			again, err := config.Append(got, allow, "R")
			noErr(t, err)
			if d := cmp.Diff(string(got), string(again)); d != "" {
				t.Errorf("the second time: %s", d)
			}
		})
	}
}

func TestAppendRefuses(t *testing.T) {
	for key, text := range map[string]string{
		"permissions.mode": "", "no.such": "", "permissions.allow": "permissions.allow = \"x\"\n", "permissions.deny": "permissions = [\n",
	} {
		if got, err := config.Append([]byte(text), key, "R"); err == nil {
			t.Errorf("%s in %q: %q", key, text, got)
		}
	}
}

func TestAppendRuleWritesTheFile(t *testing.T) {
	w := newWorld(t, "", "")
	change, err := config.AppendRule(w.projectFile(), allow, "Bash(a:*)", `Bash(\b)`, "Bash(a:*)")
	noErr(t, err)
	if change.Backup != "" {
		t.Errorf("a backup of nothing: %s", change.Backup)
	}
	_, err = config.AppendRule(w.projectFile(), allow, "C")
	noErr(t, err)
	text, err := os.ReadFile(w.projectFile())
	noErr(t, err)
	if d := cmp.Diff("[permissions]\nallow = [\"Bash(a:*)\", 'Bash(\\b)', \"C\"]\n", string(text)); d != "" {
		t.Error(d)
	}
	old, err := os.ReadFile(w.projectFile() + ".bak")
	if err != nil || strings.Contains(string(old), "C") {
		t.Errorf("the backup says %q, %v", old, err)
	}
	if change, err = config.AppendRule(w.projectFile(), allow, "C"); err != nil || change.Changed() {
		t.Errorf("again: %v, %v", change.Changed(), err)
	}
	w.in.Granted = everything
	if d := cmp.Diff([]string{"Bash(a:*)", `Bash(\b)`, "C"}, w.load().Permissions.Allow); d != "" {
		t.Error(d)
	}
}

func TestAppendRuleKeepsLinksAndModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no links and no mode bits there
	}
	w := newWorld(t, "", "")
	real := filepath.Join(w.in.Workspace, "real.toml")
	noErr(t, os.WriteFile(real, []byte("# mine\n"), 0o640))
	noErr(t, os.Chmod(real, 0o640))
	noErr(t, os.Symlink("real.toml", w.projectFile()))
	_, err := config.AppendRule(w.projectFile(), allow, "R")
	noErr(t, err)
	info, err := os.Lstat(real)
	noErr(t, err)
	text, _ := os.ReadFile(real)
	link, err := os.Readlink(w.projectFile())
	if err != nil || link != "real.toml" || info.Mode().Perm() != 0o640 || string(text) != "# mine\n\n[permissions]\nallow = [\"R\"]\n" {
		t.Errorf("link %q, %v; mode %v; %q", link, err, info.Mode(), text)
	}

	noErr(t, os.Chmod(real, 0o444))
	_, err = config.AppendRule(w.projectFile(), allow, "S")
	if err == nil {
		t.Fatal("a read-only file was replaced")
	}
	contains(t, err.Error(), w.projectFile(), "read-only", "0444")
	if after, _ := os.ReadFile(real); string(after) != string(text) {
		t.Errorf("it says %q now", after)
	}
}

// Two sessions at once: no rule is lost.
func TestAppendRuleLosesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // directories cannot be locked there
	}
	w := newWorld(t, "", "")
	const writers = 8
	done := make(chan error, writers)
	for i := range writers {
		go func() {
			_, err := config.AppendRule(w.projectFile(), allow, strings.Repeat("x", i+1))
			done <- err
		}()
	}
	for range writers {
		noErr(t, <-done)
	}
	w.in.Granted = everything
	if got := len(w.load().Permissions.Allow); got != writers {
		t.Errorf("%d rules, want %d", got, writers)
	}
}
