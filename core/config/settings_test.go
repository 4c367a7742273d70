package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reasonix/core/config"
)

// settings writes a settings.json below the workspace, or the user's.
func (w world) settings(dir, text string) string {
	w.t.Helper()
	path := filepath.Join(w.in.Workspace, dir, "settings.json")
	if dir == "" {
		path = filepath.Join(w.in.Home, "settings.json")
	}
	noErr(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	w.write(path, text)
	return path
}

// Hooks of all files are there: a project's first, and only once granted; both
// forms of a settings.json; one name for an event.
func TestHooksComeFromEveryFile(t *testing.T) {
	w := newWorld(t, "[[hooks]]\nname = 'mine'\nevent = 'Stop'\ncommand = 'a'\nmatch = '*'\n", "[[hooks]]\nname = 'theirs'\nevent = 'PreToolUse'\ncommand = 'b'\nmatch = 'bash'\n")
	user := w.settings("", `{"model": "x", "hooks": {"SessionStart": [{"command": "c", "description": "d", "timeout": 2500, "cwd": "sub"}]}}`)
	flat := w.settings(".reasonix", `{"hooks": {"PostToolUse": [{"match": "edit_file|write_file", "command": "e"}]}}`)
	claude := w.settings(".claude", "\ufeff{\n\"hooks\": {\n\"PreToolUse\": [{\"matcher\": \"Bash|Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"f\", \"timeout\": 60}, {\"command\": \"g\"}]}],\n\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"h\"}]}]}}")
	mine := []config.Hook{
		{Name: "mine", Event: "TurnEnd", Command: "a", File: w.userFile(), Line: 2},
		{Name: "settings.json:SessionStart:1", Event: "SessionStart", Command: "c", Description: "d", TimeoutSeconds: 2, Dir: filepath.Join(w.in.Workspace, "sub"), File: user, Line: 1},
	}
	theirs := []config.Hook{
		{Name: "theirs", Event: "PreToolUse", Match: "bash", Command: "b", FromProject: true, File: w.projectFile(), Line: 2},
		{Name: ".reasonix/settings.json:PostToolUse:1", Event: "PostToolUse", Match: "edit_file|write_file", Command: "e", FromProject: true, File: flat, Line: 1},
		{Name: ".claude/settings.json:PreToolUse:1", Event: "PreToolUse", Match: "Bash|Edit", Command: "f", TimeoutSeconds: 60, FromProject: true, Claude: true, File: claude, Line: 3},
		{Name: ".claude/settings.json:PreToolUse:2", Event: "PreToolUse", Match: "Bash|Edit", Command: "g", FromProject: true, Claude: true, File: claude, Line: 3},
		{Name: ".claude/settings.json:Stop:1", Event: "TurnEnd", Command: "h", FromProject: true, Claude: true, File: claude, Line: 4},
	}
	c := w.load()
	if d := cmp.Diff(mine, c.Hooks, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("before a grant: %s", d)
	}
	var parts []string
	for _, p := range c.Ungranted {
		parts = append(parts, p.Key+" "+p.Text)
	}
	want := []string{
		`hooks.theirs event = "PreToolUse", match = "bash", command = "b"`,
		`hooks.".reasonix/settings.json:PostToolUse:1" event = "PostToolUse", match = "edit_file|write_file", command = "e", file = ".reasonix/settings.json"`,
		`hooks.".claude/settings.json:PreToolUse:1" event = "PreToolUse", match = "Bash|Edit", command = "f", timeout_seconds = 60, file = ".claude/settings.json"`,
		`hooks.".claude/settings.json:PreToolUse:2" event = "PreToolUse", match = "Bash|Edit", command = "g", file = ".claude/settings.json"`,
		`hooks.".claude/settings.json:Stop:1" event = "Stop", command = "h", file = ".claude/settings.json"`,
	}
	if d := cmp.Diff(want, parts); d != "" {
		t.Error(d)
	}
	w.in.Granted = everything
	if d := cmp.Diff(append(theirs, mine...), w.load().Hooks, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("granted: %s", d)
	}
}

// PM-22: a changed command is another part.
func TestPM22AHookOfSettingsIsWhatItSays(t *testing.T) {
	hash := func(dir, text string) string {
		w := newWorld(t, "", "")
		w.settings(dir, text)
		return w.load().Ungranted[0].Hash
	}
	is := hash(".claude", `{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}`)
	if hash(".claude", "{\"a\": 1,\n\"hooks\": {\"Stop\": [ {\"hooks\": [{\"type\":\"command\", \"command\": \"\\u0078\"}]}]}}") != is {
		t.Error("another spelling is another part")
	}
	for dir, text := range map[string]string{".claude": `{"hooks": {"Stop": [{"hooks": [{"command": "y"}]}]}}`, ".reasonix": `{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}`} {
		if hash(dir, text) == is {
			t.Errorf("%s %s is the same part", dir, text)
		}
	}
}

func TestABadSettingsFileIsAWarning(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                     "ignored: it is no JSON",
		``:                                      "ignored: it is no JSON",
		`{"hooks": []}`:                         "want an object",
		`{"hooks": {"Stop": {}}}`:               "hooks.Stop: want a list",
		`{"hooks": {"PostLLMCall": []}}`:        "hooks.PostLLMCall: there is no such event",
		`{"hooks": {"\u001b": []}}`:             `there is no such event`,
		`{"hooks": {"Stop": [1]}}`:              "left out: want an object",
		`{"hooks": {"Stop": [{}]}}`:             "left out: want a command",
		`{"hooks": {"Stop": [{"hooks": [1]}]}}`: "left out: want an object",
		`{"hooks": {"Stop": [{"command": " "}]}}`:                                   "left out: want a command",
		`{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}}`:     "a hook of type prompt is not supported",
		`{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"command":"x"}]}]}}`: "want a regular expression",
	} {
		w := newWorld(t, "", "")
		w.in.Granted = everything
		path := w.settings(".claude", text)
		c := w.load()
		told := warnings(c, config.WarnHooks)
		contains(t, told, path, want)
		if len(c.Hooks) > 0 || strings.Contains(told, "\x1b") {
			t.Errorf("%s: %v\n%q", text, c.Hooks, told)
		}
	}
	w := newWorld(t, "", "")
	w.settings(".claude", `{"permissions": {"allow": ["Bash"]}, "x": {"hooks": 1}}`)
	if c := w.load(); len(c.Warnings) > 0 || len(c.Ungranted) > 0 {
		t.Errorf("without hooks: %v, %v", c.Warnings, c.Ungranted)
	}
}

func TestASettingsFileThatLeadsOutIsIgnored(t *testing.T) {
	w := newWorld(t, "", "")
	w.in.Granted = everything
	outside := filepath.Join(filepath.Dir(w.in.Workspace), "outside")
	noErr(t, os.MkdirAll(outside, 0o700))
	w.write(filepath.Join(outside, "settings.json"), `{"hooks": {"Stop": [{"command": "x"}]}}`)
	noErr(t, os.Symlink(outside, filepath.Join(w.in.Workspace, ".claude")))
	noErr(t, os.MkdirAll(filepath.Join(w.in.Workspace, ".reasonix"), 0o700))
	noErr(t, os.Symlink(filepath.Join(outside, "settings.json"), filepath.Join(w.in.Workspace, ".reasonix", "settings.json")))
	c := w.load()
	if told := warnings(c, config.WarnHooks); len(c.Hooks) > 0 || strings.Count(told, "it is a link") != 2 {
		t.Errorf("%v\n%s", c.Hooks, told)
	}
}

// A hook that cannot run is told; one whose match is none stops the load, because
// it may be there to stop something.
func TestAHookThatNeverRunsIsTold(t *testing.T) {
	for text, want := range map[string]string{
		"event = 'PostLLMCall'\ncommand = 'x'": "there is no event PostLLMCall",
		"command = 'x'":                        "it has no event",
		"event = 'Stop'\ncommand = ' '":        "it has no command",
	} {
		w := newWorld(t, "[[hooks]]\nname = 'h'\n"+text+"\n", "")
		c := w.load()
		contains(t, warnings(c, config.WarnHooks), w.userFile()+":2:1: hook h never runs: ", want)
		if len(c.Hooks) > 0 {
			t.Errorf("%s: %v", text, c.Hooks)
		}
	}
	newWorld(t, "[[hooks]]\nname = 'h'\nevent = 'Stop'\ncommand = 'x'\nmatch = '('\n", "").fails("config.toml:5:1", "hooks.h.match", "want a regular expression")
}
