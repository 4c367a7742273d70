//go:build linux || darwin

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// running is a command of a ground that has been started.
func (g *ground) running(t *testing.T, k *keeper, protected []string, released ...string) *restorer {
	t.Helper()
	r, err := started(k, g.work, protected, released...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// less is the protected paths without some.
func (g *ground) less(names ...string) []string {
	return slices.DeleteFunc(slices.Clone(g.protected), func(p string) bool {
		return slices.Contains(names, strings.TrimPrefix(p, g.work+"/"))
	})
}

// unchanged expects all protected paths as they were.
func (g *ground) unchanged(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff(g.before, g.state()); diff != "" {
		t.Errorf("before and after:\n%s", diff)
	}
}

// names are the paths below the workspace.
func (g *ground) names(set map[string]bool) string {
	return strings.ReplaceAll(strings.Join(sortedPaths(set), " "), g.work+"/", "")
}

// told expects what a command is told at its end.
func (g *ground) told(t *testing.T, who string, r *restorer, own, unclear, others string) {
	t.Helper()
	if err := r.restore(); err != nil {
		t.Errorf("%s: %v", who, err)
	}
	got := []string{g.names(r.own), g.names(r.unclear), g.names(r.others)}
	if diff := cmp.Diff([]string{own, unclear, others}, got); diff != "" {
		t.Errorf("%s: its own, unclear, of others:\n%s", who, diff)
	}
}

const everything = "echo x >.envrc; echo x >>.git/config; echo x >.git/hooks/late; mkdir .vscode; echo x >.vscode/tasks.json"

const allOfIt = ".envrc .git/config .git/hooks/late .vscode/tasks.json"

// What a command that goes on has changed is put back when another starts, and is held
// against none but itself.
func TestRestoreBlamesTheCommandThatRan(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	server := g.running(t, k, g.protected)
	g.sh(t, everything)
	innocent := g.running(t, k, g.protected)
	g.unchanged(t)
	g.told(t, "the innocent", innocent, "", "", allOfIt)
	g.told(t, "the server", server, allOfIt, "", "")
}

// Which of two did it nobody knows.
func TestRestoreBlamesNobodyWhenTwoRan(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	server := g.running(t, k, g.protected)
	other := g.running(t, k, g.protected)
	g.sh(t, everything)
	g.told(t, "the other", other, "", allOfIt, "")
	g.unchanged(t)
	g.sh(t, "echo x >.envrc")
	g.told(t, "the server", server, ".envrc", "", "")
	g.unchanged(t)
}

// Whoever has commands that live long looks in between.
func TestRestoreWhenSomebodyLooks(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	server := g.running(t, k, g.protected)
	if found := k.look(); len(found) > 0 {
		t.Errorf("nothing was changed: got %q", found)
	}
	g.sh(t, everything)
	if found := strings.ReplaceAll(strings.Join(k.look(), " "), g.work+"/", ""); found != allOfIt {
		t.Errorf("got %q", found)
	}
	g.unchanged(t)
	g.told(t, "the server", server, allOfIt, "", "")
	if found := k.look(); len(found) > 0 {
		t.Errorf("nothing runs: got %q", found)
	}
}

// A command that holds a path some other way than by putting it back does not make
// the work of another the original.
func TestRestoreLearnsNothingFromAHeldPath(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	server := g.running(t, k, g.protected)
	g.sh(t, "echo x >.envrc")
	held := k.begin()
	if got := held.unkept(g.protected); len(got) > 0 {
		t.Errorf("a path that a running command could change is held as it is: %q", got)
	}
	g.sh(t, "echo x >.envrc; echo x >>reasonix.toml")
	if err := held.keep([]string{g.work}, g.protected, nil, nil); err != nil {
		t.Fatal(err)
	}
	g.told(t, "the one that holds", held, "", ".envrc reasonix.toml", ".envrc")
	g.told(t, "the server", server, ".envrc", "", "")
	g.unchanged(t)
}

// A path that is protected only now may be the work of a command that ran before: it
// is not held as it is, and nothing becomes the original that nobody let.
func TestRestoreOfAPathThatIsProtectedOnlyNow(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	early := g.running(t, k, g.less("deep/er/.envrc"))
	late := k.begin()
	want := []string{} // the early one can change all
	if got := late.unkept(g.protected); !slices.Equal(got, want) {
		t.Errorf("held as it is: %q", got)
	}
	if err := late.keep([]string{g.work}, g.protected, g.protected, nil); err != nil {
		t.Fatal(err)
	}
	g.sh(t, "echo x >deep/er/.envrc")
	g.told(t, "the early one", early, "", "deep/er/.envrc", "")
	g.unchanged(t)
	g.told(t, "the late one", late, "", "", "")
}

// What a command holds by itself another may hold too, and so it may beside one that
// was let change it.
func TestRestoreOfWhatRunningCommandsHold(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	config, hooks := filepath.Join(g.work, ".git/config"), filepath.Join(g.work, ".git/hooks")
	holding, allowed := k.begin(), k.begin()
	if err := errors.Join(
		holding.keep([]string{g.work}, []string{config, hooks}, nil, nil),
		allowed.keep([]string{g.work}, []string{hooks}, nil, []string{config}),
	); err != nil {
		t.Fatal(err)
	}
	if got := k.begin().unkept([]string{config, hooks}); !slices.Equal(got, []string{config, hooks}) {
		t.Errorf("got %q", got)
	}
	g.told(t, "the one that holds", holding, "", "", "")
	g.told(t, "the allowed one", allowed, "", "", "")
}

// What a person lets a command write is left to it while it runs, whoever starts,
// ends or looks meanwhile, and is the original then.
func TestRestoreLeavesWhatWasLet(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	server := g.running(t, k, g.protected)
	g.sh(t, "echo evil >>.git/config")
	allowed := g.running(t, k, g.less(".git/config"), filepath.Join(g.work, ".git/config"))
	g.unchanged(t)
	g.sh(t, "git config user.name x; echo evil >.envrc")
	beside := g.running(t, k, g.protected)
	if found := k.look(); len(found) > 0 {
		t.Errorf("got %q", found)
	}
	g.told(t, "the one beside", beside, "", "", ".envrc")
	g.told(t, "the allowed one", allowed, "", "", ".git/config")
	later := g.running(t, k, g.protected)
	g.told(t, "a later one", later, "", "", "")
	g.told(t, "the server", server, ".git/config", "", "")
	data, err := os.ReadFile(filepath.Join(g.work, ".git/config"))
	if text := string(data); err != nil || !strings.Contains(text, "name = x") || strings.Contains(text, "evil") {
		t.Errorf("config is %q, %v", text, err)
	}
}

// Between commands a person may do as they like.
func TestRestoreTakesWhatIsThereWhenNothingRuns(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	g.told(t, "the first", g.running(t, k, g.protected), "", "", "")
	g.sh(t, everything)
	g.before = g.state()
	second := g.running(t, k, g.protected)
	g.sh(t, "echo y >>.envrc")
	g.told(t, "the second", second, ".envrc", "", "")
	g.unchanged(t)
}

// A repository that was made while a command runs that lives long keeps the
// configuration it had before it became harmful.
func TestRestoreOfANewRepositoryBesideAServer(t *testing.T) {
	g := newGround(t, t.TempDir())
	if err := os.RemoveAll(filepath.Join(g.work, ".git")); err != nil {
		t.Fatal(err)
	}
	k := &keeper{}
	server := g.running(t, k, g.protected)
	for _, step := range []struct{ script, unclear string }{
		{"git init -q; git config user.name x", ""},
		{"git remote add o https://e.org/r", ""},
		{"git config core.fsmonitor ./evil; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit", ".git/config .git/hooks/pre-commit"},
	} {
		r := g.running(t, k, g.protected)
		g.sh(t, step.script)
		g.told(t, step.script, r, "", step.unclear, "")
	}
	g.told(t, "the server", server, "", "", "")
	data, _ := os.ReadFile(filepath.Join(g.work, ".git/config"))
	if text := string(data); !strings.Contains(text, "https://e.org/r") || strings.Contains(text, "evil") {
		t.Errorf("config is %q", text)
	}
}

// What is put back leaves a copy, which a person may have written.
func TestRestoreKeepsCopiesInTheAttic(t *testing.T) {
	g := newGround(t, t.TempDir())
	home := t.TempDir()
	k := &keeper{}
	k.open(home)
	defer k.close()
	server := g.running(t, k, g.protected)
	for range 3 { // the same once
		g.sh(t, "echo mine >.envrc; echo mine >.git/config; mkdir -p .reasonix/new/deep; echo mine >.reasonix/new/deep/a; ln -s /etc/passwd .mcp.json")
		k.look()
	}
	g.unchanged(t)
	g.told(t, "the server", server, ".envrc .git/config .mcp.json .reasonix/new", "", "")
	entries, err := os.ReadDir(filepath.Join(home, "put-back"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(home, "put-back", e.Name()))
		if err != nil || string(data) != "mine\n" {
			t.Errorf("%s: %q, %v", e.Name(), data, err)
		}
		got = append(got, e.Name()[strings.LastIndex(e.Name(), "work%2F")+len("work%2F"):])
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{".envrc", ".git%2Fconfig", ".reasonix%2Fnew%2Fdeep%2Fa"}, got); diff != "" {
		t.Error(diff)
	}
}

// A hostile command cannot fill the attic, nor does a link lead a copy away.
func TestRestoreBoundsTheAttic(t *testing.T) {
	g := newGround(t, t.TempDir())
	home := t.TempDir()
	k := &keeper{}
	k.open(home)
	defer k.close()
	if err := os.Symlink(g.outside, filepath.Join(home, "put-back")); err != nil {
		t.Fatal(err)
	}
	r := g.running(t, k, g.protected)
	g.sh(t, "echo a >.envrc")
	k.look()
	g.unchanged(t) // nothing appeared outside
	if err := os.Remove(filepath.Join(home, "put-back")); err != nil {
		t.Fatal(err)
	}
	g.sh(t, "mkdir .reasonix/many; for i in $(seq 300); do echo $i >.reasonix/many/$i; done; truncate -s 2M .envrc")
	k.look()
	g.told(t, "the command", r, ".envrc .reasonix/many", "", "")
	if entries, err := os.ReadDir(filepath.Join(home, "put-back")); err != nil || len(entries) != maxSaved {
		t.Errorf("got %d copies, %v", len(entries), err)
	}
}

// A directory of ours, and one that may be written, are no part of the protected one
// that they are in.
func TestRestoreLeavesWhatIsNoPartOfIt(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	open := filepath.Join(g.work, ".reasonix/open")
	k.open(filepath.Join(g.work, ".reasonix/home"))
	g.sh(t, "mkdir .reasonix/home .reasonix/open; echo a >.reasonix/home/journal; echo a >.reasonix/open/a")
	r := k.begin()
	if err := r.keep([]string{g.work, open}, g.protected, g.protected, nil); err != nil {
		t.Fatal(err)
	}
	g.sh(t, "echo b >>.reasonix/home/journal; echo b >.reasonix/home/new; echo b >.reasonix/open/a; echo b >.reasonix/new")
	g.told(t, "the command", r, ".reasonix/new", "", "")
	for name, want := range map[string]string{"home/journal": "a\nb\n", "home/new": "b\n", "open/a": "b\n"} {
		if data, err := os.ReadFile(filepath.Join(g.work, ".reasonix", name)); string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// Of a directory of ours that is protected itself only what is named is kept.
func TestRestoreLeavesTheDirectoryOfOurs(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	k.open(filepath.Join(g.work, ".reasonix"))
	r := g.running(t, k, append(slices.Clone(g.protected), filepath.Join(g.work, ".reasonix/commands")))
	g.sh(t, "echo b >.reasonix/journal; echo b >.reasonix/commands/b.md")
	g.told(t, "the command", r, ".reasonix/commands/b.md", "", "")
	if _, err := os.Stat(filepath.Join(g.work, ".reasonix/journal")); err != nil {
		t.Error(err)
	}
}
