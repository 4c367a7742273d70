package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/trust"
)

var (
	rule   = trust.Part{Name: "permissions.allow", Kind: "rule", Hash: "h1", What: "Bash(go test:*)"}
	server = trust.Part{Name: "plugins.docs", Kind: "server", Hash: "h2", What: `command = "docs"`}
	now    = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
)

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// granted opens the list anew, as another process would.
func granted(home, workspace string, p trust.Part) bool {
	return trust.Open(home).Granted(workspace, p)
}

func TestAGrantIsForOnePartOfOneWorkspace(t *testing.T) {
	home, work, other := t.TempDir(), t.TempDir(), t.TempDir()
	s := trust.Open(home)
	if s.Granted(work, rule) {
		t.Error("granted before anybody did")
	}
	noErr(t, s.Grant(work, now, rule))
	if !s.Granted(work, rule) || !granted(home, work, rule) {
		t.Error("not granted")
	}
	for what, is := range map[string]bool{
		"another workspace": granted(home, other, rule),
		"another part":      granted(home, work, server),
		"no hash":           granted(home, work, trust.Part{Name: rule.Name}),
		"another name":      granted(home, work, trust.Part{Name: "permissions.deny", Hash: rule.Hash}),
		"no workspace":      granted(home, "", rule),
		"one that is gone":  granted(home, filepath.Join(work, "gone"), rule),
	} {
		if is {
			t.Errorf("%s: granted", what)
		}
	}
}

// PM-22: a grant is of what was granted, not of its name.
func TestPM22AChangedPartIsNotGranted(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	noErr(t, trust.Open(home).Grant(work, now, server))
	changed := server
	changed.Hash = "h3"
	if granted(home, work, changed) {
		t.Error("the name alone is enough")
	}
}

func TestAWorkspaceIsItsRealPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	home, work := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	noErr(t, os.Symlink(work, link))
	noErr(t, trust.Open(home).Grant(link, now, rule))
	if !granted(home, work, rule) {
		t.Error("granted under the link's name")
	}
	noErr(t, os.Remove(link))
	noErr(t, os.Symlink(t.TempDir(), link))
	if granted(home, link, rule) {
		t.Error("the name of a link is granted, wherever it leads")
	}
}

func TestTheListCanBeReadByAPerson(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	long := server
	long.What = strings.Repeat("x", 1000)
	s := trust.Open(home)
	noErr(t, s.Grant(work, now, long, rule))
	noErr(t, s.Grant(work, now.Add(time.Hour), rule)) // keeps its time
	dir, err := trust.Workspace(work)
	noErr(t, err)
	got, err := os.ReadFile(s.Path())
	noErr(t, err)
	want := `{
  "version": 1,
  "workspaces": {
    "` + dir + `": [
      {
        "part": "permissions.allow",
        "kind": "rule",
        "hash": "h1",
        "granted": "2026-03-04T05:06:07Z",
        "what": "Bash(go test:*)"
      },
      {
        "part": "plugins.docs",
        "kind": "server",
        "hash": "h2",
        "granted": "2026-03-04T05:06:07Z",
        "what": "` + strings.Repeat("x", 200) + `..."
      }
    ]
  }
}
`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	if info, err := os.Stat(s.Path()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestRevokeTakesOneOrAllOfAWorkspace(t *testing.T) {
	home, work, other := t.TempDir(), t.TempDir(), t.TempDir()
	s := trust.Open(home)
	noErr(t, s.Grant(work, now, rule, server))
	noErr(t, s.Grant(other, now, rule))
	gone, err := s.Revoke(work, func(g trust.Grant) bool { return g.Part == rule.Name })
	noErr(t, err)
	if len(gone) != 1 || granted(home, work, rule) || !granted(home, work, server) || !granted(home, other, rule) {
		t.Errorf("revoked %v", gone)
	}
	gone, err = s.Revoke(work, nil)
	noErr(t, err)
	if len(gone) != 1 || len(s.List(work)) != 0 || len(trust.Open(home).List(other)) != 1 {
		t.Errorf("revoked %v", gone)
	}
	if gone, err = s.Revoke(work, nil); err != nil || len(gone) != 0 {
		t.Errorf("revoking nothing: %v, %v", gone, err)
	}
}

// Two processes at once: neither's grant is lost.
func TestTwoStoresLoseNothing(t *testing.T) {
	home := t.TempDir()
	const writers, each = 4, 5
	works := make([]string, writers)
	done := make(chan error, writers)
	for w := range writers {
		works[w] = t.TempDir()
		s := trust.Open(home) // each knows nothing of what the others write
		go func() {
			var err error
			for i := range each {
				p := trust.Part{Name: "permissions.allow", Hash: string(rune('a' + i))}
				err = errors.Join(err, s.Grant(works[w], now, p))
			}
			done <- err
		}()
	}
	for range writers {
		noErr(t, <-done)
	}
	for _, work := range works {
		if got := len(trust.Open(home).List(work)); got != each {
			t.Errorf("%d grants, want %d", got, each)
		}
	}
}

// A damaged list grants nothing, is named, and is kept when a new one is written.
func TestADamagedListGrantsNothingAndIsKept(t *testing.T) {
	for what, text := range map[string]string{
		"no JSON": `{"version": 1, "workspaces": {`, "empty": "", "another shape": `{"version": 1, "workspaces": []}`, "no form": `{}`,
	} {
		t.Run(what, func(t *testing.T) {
			home, work := t.TempDir(), t.TempDir()
			path := filepath.Join(home, trust.FileName)
			noErr(t, os.WriteFile(path, []byte(text), 0o600))
			s := trust.Open(home)
			if s.Granted(work, rule) || s.Problem() == nil || !strings.Contains(s.Problem().Error(), filepath.ToSlash(path)) {
				t.Fatalf("problem: %v", s.Problem())
			}
			if gone, err := s.Revoke(work, nil); err != nil || len(gone) != 0 {
				t.Errorf("revoke: %v, %v", gone, err)
			}
			if got, _ := os.ReadFile(path); string(got) != text {
				t.Errorf("a revoke of nothing wrote %q", got)
			}
			for range 2 { // the second damage does not take the first one's copy
				noErr(t, s.Grant(work, now, rule))
				if s.Problem() != nil || !granted(home, work, rule) {
					t.Errorf("not granted: %v", s.Problem())
				}
				noErr(t, os.WriteFile(path, []byte("again"), 0o600))
			}
			first, _ := os.ReadFile(path + ".bak")
			second, _ := os.ReadFile(path + ".bak2")
			if string(first) != text || string(second) != "again" {
				t.Errorf("kept %q and %q", first, second)
			}
		})
	}
}

func TestWhatMustNotBeReplacedStays(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	path := filepath.Join(home, trust.FileName)
	const newer = `{"version": 2, "workspaces": {}}`
	noErr(t, os.WriteFile(path, []byte(newer), 0o600))
	s := trust.Open(home)
	if err := s.Grant(work, now, rule); err == nil || !strings.Contains(err.Error(), "form 2") {
		t.Errorf("a later version's list: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != newer {
		t.Errorf("it says %q now", got)
	}
	noErr(t, os.Remove(path))
	noErr(t, os.Mkdir(path, 0o700))
	if s = trust.Open(home); s.Problem() == nil {
		t.Error("a directory is no problem")
	}
	if err := s.Grant(work, now, rule); err == nil {
		t.Error("a directory took a grant")
	}
	if err := trust.Open("").Grant(work, now, rule); err == nil {
		t.Error("granted without a home")
	}
}
