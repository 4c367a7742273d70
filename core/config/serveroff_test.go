package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/config"
)

// A server of a repository is turned off by a line of the user's, here or everywhere;
// what a repository says of others counts for nothing, and neither does the line for a
// server of the user's own.
func TestAProjectsServerIsTurnedOffByItsUser(t *testing.T) {
	const theirs = "[[plugins]]\nname = 'docs'\ncommand = 'x'\n"
	w := newWorld(t, "", theirs)
	w.in.Granted = everything
	file := filepath.Join(w.in.Home, "config.toml")
	turn := func(on, changes bool) {
		t.Helper()
		change, err := config.TurnServer(file, w.in.Workspace, "docs", on)
		if err != nil || change.Changed() != changes {
			t.Fatalf("turn on %v: changed %v, %v", on, change.Changed(), err)
		}
		if c := w.load(); c.ServerOff("docs") == on || w.serverOf("docs").Enabled != on || c.ServerOff("other") {
			t.Errorf("turned on %v: %q, %+v", on, c.Tools.MCPDisabled, w.serverOf("docs"))
		}
	}
	turn(true, false)
	turn(false, true)
	turn(false, false)
	turn(true, true)
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "mcp_disabled") {
		t.Errorf("what is left: %q, %v", text, err)
	}
	w.write(file, "tools.mcp_disabled = ['/elsewhere/docs', 'docs']\n")
	turn(true, true)
	if got := w.load().Tools.MCPDisabled; len(got) != 1 || got[0] != "/elsewhere/docs" {
		t.Errorf("left: %q", got)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.in.Workspace, link); err == nil {
		turn(false, true)
		w.in.Workspace = link
		if !w.load().ServerOff("docs") {
			t.Error("it is on by another name of the directory")
		}
	}
	own := newWorld(t, theirs+"[tools]\nmcp_disabled = ['docs']\n", "")
	if !own.serverOf("docs").Enabled {
		t.Error("a server of the user's own is off")
	}
	evil := newWorld(t, theirs, "[tools]\nmcp_disabled = ['docs']\n")
	evil.in.Granted = everything
	if evil.load().ServerOff("docs") {
		t.Error("a repository turned a server off")
	}
}
