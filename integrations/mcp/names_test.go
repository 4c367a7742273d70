package mcp_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/integrations/mcp"
)

// ofProject is a server that the workspace declares.
func ofProject(c mcp.Config) mcp.Config {
	c.FromProject = true
	return c
}

// nameOf is what the echo of a server is called.
func nameOf(t *testing.T, set *mcp.Set, server string) string {
	t.Helper()
	set.Refresh()
	for _, tool := range set.Tools() {
		if _, _, s, raw, _ := set.Approval(tool.Name()); s == server && raw == "echo" {
			return tool.Name()
		}
	}
	t.Fatalf("%s has no tool", server)
	return ""
}

// TestRepositoryRenamesNoServerOfTheUser: whatever name a project's server has, and
// whenever it comes, the user's tools keep theirs, and so the rules about them hold.
func TestRepositoryRenamesNoServerOfTheUser(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct{ user, project string }{
		{"a b", "a_b"},
		{"a.b", "a b"},
		{"搜", strings.TrimPrefix(nameOf(t, d.ready(fakeServer("搜", "plain")), "搜"), "mcp__")[:8]},
		{strings.Repeat("n", 40), strings.Repeat("n", 32)},
	} {
		d.world.Names, d.world.Own = nil, nil
		want := nameOf(t, d.ready(fakeServer(c.user, "plain")), c.user)
		user, project := fakeServer(c.user, "plain"), ofProject(fakeServer(c.project, "plain"))
		for what, w := range map[string]mcp.World{
			"told of nothing": {}, "told whose they are": {Names: []string{c.project, c.user}, Own: []string{c.user}},
		} {
			d.world.Names, d.world.Own = w.Names, w.Own
			sets := map[string]*mcp.Set{"together": d.ready(project, user), "the user's later": d.ready(project), "the project's later": d.ready(user)}
			if w.Own == nil {
				delete(sets, "the user's later") // nobody knows of it then
			} else if err := sets["the user's later"].Add(user); err != nil {
				t.Fatal(err)
			}
			if err := sets["the project's later"].Add(project); err != nil {
				t.Fatal(err)
			}
			for when, set := range sets {
				set.Wait(t.Context(), patience)
				if got := nameOf(t, set, c.user); got != want {
					t.Errorf("%q and a project's %q, %s, %s: %s, not %s", c.user, c.project, what, when, got, want)
				}
				if got := nameOf(t, set, c.project); got == want {
					t.Errorf("%q is called %s", c.project, got)
				}
				_ = set.Close()
			}
		}
	}
}

// TestProjectLaysItsHandOnAServerOfTheUser: a block over the user's is called as the
// user's is, and has files of its own.
func TestProjectLaysItsHandOnAServerOfTheUser(t *testing.T) {
	d := newDesk(t)
	d.world.Names, d.world.Own = []string{"a b", "a_b"}, []string{"a b"}
	set := d.ready(ofProject(fakeServer("a b", "plain")), ofProject(fakeServer("a_b", "plain")))
	if got := nameOf(t, set, "a b"); got != "mcp__a_b__echo" {
		t.Error(got)
	}
}

// TestFilesAreOfOneServer: a project's server gets neither what a server of the user
// keeps nor what one of that name in another repository does.
func TestFilesAreOfOneServer(t *testing.T) {
	d := newDesk(t)
	d.world.CacheDir = t.TempDir()
	var logs []string
	run := func(c mcp.Config) {
		t.Helper()
		set := d.ready(c)
		d.echo(set, "my_notes")
		logs = append(logs, state(t, set, c.Name).Log)
		_ = set.Close()
	}
	user := fakeServer("my notes", "plain")
	run(user)
	one := ofProject(fakeServer("my_notes", "plain"))
	run(one)
	d.world.Workspace = t.TempDir()
	run(one)
	one.Identity = "another"
	run(one)
	for what, dir := range map[string]string{"states": d.world.StateDir, "logs": d.world.LogDir, "caches": d.world.CacheDir} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 4 {
			t.Errorf("%d %s, %v", len(entries), what, err)
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(logs)))); n != 4 || !strings.HasSuffix(logs[0], "my_notes.log") {
		t.Error(logs)
	}
	run(user)
	if d := cmp.Diff(logs[4], logs[0]); d != "" {
		t.Error(d)
	}
}
