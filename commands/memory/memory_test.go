package memory_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/commands/cmdutil/cmdtest"
	"reasonix/commands/memory"
	"reasonix/commands/wire"
)

// A desk is a home, a project and the command at work in them.
type desk struct {
	t          *testing.T
	home, work string
	environ    []string
	stdin      string
	tty        bool
	now        time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return &desk{t: t, home: t.TempDir(), work: t.TempDir(), now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
}

// run runs `memory ARGS`, with the temporary directories shortened to HOME and
// WORK and the ids to ID in what it prints.
func (d *desk) run(args ...string) (out, errs string, code int) {
	d.t.Helper()
	d.now = d.now.Add(time.Second)
	out, errs, err := cmdtest.Run(d.t, memory.New, &cmdutil.App{
		In: strings.NewReader(d.stdin), StdinTTY: d.tty, Home: d.home, WorkDir: d.work,
		Environ: append(os.Environ(), d.environ...), Now: func() time.Time { return d.now },
	}, args...)
	return d.short(out), d.short(errs + cmdtest.Told(err)), cmdutil.CodeOf(err)
}

func (d *desk) short(text string) string { return cmdtest.Short(text, d.home, "HOME", d.work, "WORK") }

// want runs and checks the exit code and that the streams together say says.
func (d *desk) want(code int, says string, args ...string) string {
	d.t.Helper()
	out, errs, got := d.run(args...)
	if got != code || !strings.Contains(out+errs, says) {
		d.t.Errorf("memory %s: exit %d, want %d and %q, got\n%s%s", strings.Join(args, " "), got, code, says, out, errs)
	}
	return out
}

type fact struct {
	ID, Title, Body, Scope, Type, Description, Path, Reason string
	Revision                                                int
	Keywords                                                []string
	Edited, Archived                                        bool
	Forgotten                                               *time.Time
}

func decode[T any](t *testing.T, out string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return v
}

type facts struct {
	Facts    []fact
	Problems []struct {
		Path, Text string
		Skipped    bool
	}
}

func (d *desk) list(args ...string) facts {
	d.t.Helper()
	return decode[facts](d.t, d.want(0, "", append([]string{"list", "--output-format", "json"}, args...)...))
}

func (d *desk) add(args ...string) fact {
	d.t.Helper()
	got := decode[struct {
		Fact    fact
		Changed bool
	}](d.t, d.want(0, "", append([]string{"add", "--output-format", "json"}, args...)...))
	if !got.Changed {
		d.t.Errorf("nothing was added: %+v", got)
	}
	return got.Fact
}

func TestAFactsWay(t *testing.T) {
	d := newDesk(t)
	d.want(0, "no facts are kept", "list")
	f := d.add("--title", "Use pnpm", "--body", "Not npm.", "--keyword", "npm,lock", "--description", "packages")
	if f.Scope != "project" || f.Revision != 1 || !cmp.Equal(f.Keywords, []string{"npm", "lock"}) || f.Body != "Not npm." {
		t.Errorf("got %+v", f)
	}
	d.want(0, "unchanged "+f.ID+"@1", "add", "--title", "Use pnpm", "--body", "Not npm.", "--keyword", "npm,lock", "--description", "packages")
	d.want(0, f.ID+"  project  project  2026-03-04  Use pnpm\n", "list")
	d.want(0, "title:       Use pnpm\n", "show", f.ID[:8])
	d.want(0, "changed "+f.ID+"@2: Use pnpm 10 (project)", "edit", f.ID, "--title", "Use pnpm 10")
	d.want(0, "", "search", "npm")
	d.want(0, "Use pnpm 10\n["+f.ID+"@2 project project 2026-03-04 score 1.00]\npackages\nNot npm.", "recall", "how do I npm install it?")
	d.want(0, "1    2026", "show", f.ID, "--revisions")
	d.want(0, "title:       Use pnpm\n", "show", f.ID+"@2", "--revision", "1")
	d.want(0, "forgot "+f.ID+"@2: Use pnpm 10", "forget", f.ID, "--reason", "over\nnow")
	d.want(0, "no facts are kept", "list")
	d.want(0, "(over now)", "list", "--archived")
	d.want(0, "reason:      over now", "show", f.ID)
	d.want(0, "history", "search", "npm")
	d.want(0, "nothing fits", "recall", "npm install")
	d.want(2, "restore it first", "forget", f.ID)
	d.want(0, "restored "+f.ID+"@3", "restore", f.ID)
	d.want(2, "not forgotten", "restore", f.ID)
	d.want(0, "restored "+f.ID+"@4: Use pnpm (project)", "restore", f.ID, "--revision", "1")
	d.want(0, "nothing was forgotten", "list", "--archived")
}

// memory list and forget are what scripts use.
func TestJSONIsStable(t *testing.T) {
	d := newDesk(t)
	f := d.add("--title", "Use pnpm", "--body", "Not npm.")
	out, errs, _ := d.run("list", "--output-format", "json")
	ids := regexp.MustCompile(`mem-[0-9a-f]{12}|use-pnpm-[0-9a-f]{6}|projects/[^/]+`)
	want := `{
  "facts": [
    {
      "id": "ID",
      "revision": 1,
      "type": "project",
      "scope": "project",
      "title": "Use pnpm",
      "description": "",
      "keywords": [],
      "created": "2026-03-04T12:00:01Z",
      "updated": "2026-03-04T12:00:01Z",
      "path": "HOME/ID/memory/ID.md",
      "edited": false,
      "archived": false,
      "forgotten": null,
      "reason": ""
    }
  ],
  "problems": []
}
`
	if diff := cmp.Diff(want, ids.ReplaceAllString(out, "ID")); diff != "" || errs != "" {
		t.Errorf("-want +got\n%s%s", diff, errs)
	}
	got := decode[struct {
		Fact    fact
		Changed bool
	}](t, d.want(0, "", "forget", f.ID, "--output-format", "json"))
	if !got.Changed || got.Fact.ID != f.ID || got.Fact.Body != "Not npm." {
		t.Errorf("got %+v", got)
	}
	archived := d.list("--archived")
	if len(archived.Facts) != 1 || !archived.Facts[0].Archived || archived.Facts[0].Forgotten == nil {
		t.Errorf("got %+v", archived)
	}
	if all := d.list(); all.Facts == nil || len(all.Facts) != 0 {
		t.Errorf("got %+v", all)
	}
}

func TestFiltersAndProjects(t *testing.T) {
	d := newDesk(t)
	d.add("--title", "Mine", "--body", "b", "--scope", "global")
	d.add("--title", "Theirs", "--body", "b", "--type", "reference")
	if got := d.list("--scope", "global"); len(got.Facts) != 1 || got.Facts[0].Title != "Mine" || got.Facts[0].Type != "user" {
		t.Errorf("got %+v", got)
	}
	if got := d.list("--type", "reference"); len(got.Facts) != 1 || got.Facts[0].Title != "Theirs" {
		t.Errorf("got %+v", got)
	}
	if got := d.list("--dir", t.TempDir()); len(got.Facts) != 1 || got.Facts[0].Title != "Mine" {
		t.Errorf("another project has %+v", got)
	}
	d.want(2, "dir", "list", "--dir", "gone")
	d.want(2, "not a directory", "list", "--dir", d.file("f", "x"))
}

func (d *desk) file(name, text string) string {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func TestAddTakesTextFromWhereverItComes(t *testing.T) {
	d := newDesk(t)
	if f := d.add("Releases are", "cut on Fridays."); f.Title != "Releases are cut on Fridays." || f.Body != f.Title {
		t.Errorf("got %+v", f)
	}
	d.stdin = "---\ntitle: From a file\ntype: feedback\nkeywords: [a, b]\n---\n\nIts body.\n"
	if f := d.add("--scope", "global", "--type", "user"); f.Title != "From a file" || f.Type != "user" || f.Scope != "global" || f.Body != "Its body." || len(f.Keywords) != 2 {
		t.Errorf("got %+v", f)
	}
	d.stdin = "piped"
	if f := d.add("--title", "T", "--body", "-"); f.Body != "piped" || f.Title != "T" {
		t.Errorf("got %+v", f)
	}
	d.stdin = "not read"
	f := d.add("--title", "D", "--description", "only this")
	if f.Body != "" {
		t.Errorf("got %+v", f)
	}
	d.stdin = "the new text"
	d.want(0, "@2", "edit", f.ID, "--body", "-")
	d.want(0, "\nthe new text\n", "show", f.ID)
	d.want(2, "once", "add", "text", "--body", "x")
	d.want(2, "what to change", "edit", f.ID)
	d.stdin = ""
	d.want(2, "needs a", "add", "--title", "T2")
	d.want(2, "needs a", "add")
	d.stdin = strings.Repeat("x", 300<<10)
	d.want(2, "256 KB", "add")
	d.want(2, "at most", "add", "--title", strings.Repeat("x", 200), "--body", "b")
	d.want(2, "edit mem-", "add", "--title", "T", "--body", "other")
}

func TestConfiguredKeysAreNotKept(t *testing.T) {
	d := newDesk(t)
	if err := os.WriteFile(filepath.Join(d.home, ".env"), []byte("DEEPSEEK_API_KEY=sk-very-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := d.run("add", "my key is sk-very-secret")
	if code != 2 || !strings.Contains(errs, "never kept") || strings.Contains(out+errs, "sk-") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if got := d.list(); len(got.Facts) != 0 {
		t.Errorf("kept %+v", got)
	}
}

func TestDamageIsNamedAndAmbiguityIsRefused(t *testing.T) {
	d := newDesk(t)
	dir := wire.MemoryDirs(d.home, d.work).Global
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bad.md": "---\nopen", "x-1.md": "one", "x-2.md": "two"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := d.run("list")
	if code != 0 || strings.Count(out, "\n") != 2 || !strings.Contains(errs, "warning: HOME/memory/bad.md: ") || !strings.Contains(errs, "(skipped)") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if got := d.list(); len(got.Problems) != 1 || !got.Problems[0].Skipped {
		t.Errorf("got %+v", got)
	}
	d.want(2, "x-1, x-2", "show", "x-")
	d.want(2, "no such fact", "show", "y")
	d.want(2, "no such fact", "forget", "bad")
	d.want(2, "no such fact", "restore", "x-1", "--revision", "7")
}

// An id in two files is nobody's to change: which fact is meant is not guessed.
func TestAnIDInTwoFilesIsNotChanged(t *testing.T) {
	d := newDesk(t)
	dir := wire.MemoryDirs(d.home, d.work).Global
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.md", "b.md"} {
		text := "---\nid: mem-aaaaaaaaaaaa\ntitle: " + name + "\n---\ntext\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.want(2, "a.md, HOME/memory/b.md", "edit", "mem-aaaaaaaaaaaa", "--title", "x")
	d.want(2, "a.md, HOME/memory/b.md", "forget", "mem-aaaaaaaaaaaa")
	if got := d.list(); len(got.Facts) != 1 || len(got.Facts[0].Title) != len("a.md") {
		t.Errorf("something was changed: %+v", got)
	}
}

func TestRecallSaysWhyThereIsNothing(t *testing.T) {
	d := newDesk(t)
	d.add("--title", "Go on with pnpm", "--body", "b")
	d.want(0, "only tells to go on", "recall", "go on")
	d.want(2, "TEXT or --last", "recall")
	d.want(2, "TEXT or --last", "recall", "--last", "x")
	d.want(2, "at least 1", "search", "x", "--limit", "0")
	got := decode[struct {
		Hits []struct {
			Fact  fact
			Score float64
			Terms []string
		}
		Generic bool
		Text    string
	}](t, d.want(0, "", "recall", "pnpm?", "--output-format", "json"))
	if len(got.Hits) != 1 || got.Hits[0].Score != 1 || got.Generic || !strings.Contains(got.Text, "recalled-memory") || got.Hits[0].Terms[0] != "pnpm" {
		t.Errorf("got %+v", got)
	}
}

func TestInstructionsSayWhatIsLoadedAndWhatIsNot(t *testing.T) {
	d := newDesk(t)
	d.want(0, "no instruction files", "instructions")
	for path, text := range map[string]string{
		filepath.Join(d.home, "REASONIX.md"): "mine", filepath.Join(d.work, "AGENTS.md"): "theirs\n@../outside.md", filepath.Join(d.work, "CLAUDE.md"): "same", filepath.Join(d.work, "CLAUDE.local.md"): "same",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, _ := d.run("instructions")
	if !regexp.MustCompile(`^user +4 bytes +HOME/REASONIX.md\nproject +\d+ bytes +WORK/AGENTS.md\nproject +4 bytes +WORK/CLAUDE.local.md\n$`).MatchString(out) {
		t.Errorf("got\n%s", out)
	}
	if !strings.Contains(errs, "outside.md") || !strings.Contains(errs, "not loaded: WORK/CLAUDE.md says the same as WORK/CLAUDE.local.md") {
		t.Errorf("got\n%s", errs)
	}
	got := decode[struct {
		Files []struct {
			Path, Name, Scope, Sha256 string
			Bytes                     int
		}
		NotLoaded []struct{ Code, Path, Text string } `json:"not_loaded"`
	}](t, d.want(0, "", "instructions", "--output-format", "json"))
	if len(got.Files) != 3 || len(got.NotLoaded) != 2 || got.Files[0].Scope != "user" || got.NotLoaded[1].Code != "repeated" || len(got.Files[0].Sha256) != 64 {
		t.Errorf("got %+v", got)
	}
}

func TestIDsAreCompleted(t *testing.T) {
	d := newDesk(t)
	f := d.add("--title", "Here", "--body", "b")
	gone := d.add("--title", "Gone", "--body", "b")
	d.want(0, "", "forget", gone.ID)
	for verb, want := range map[string][]string{"show": {f.ID, gone.ID}, "edit": {f.ID}, "forget": {f.ID}, "restore": {gone.ID}} {
		out, _, _ := d.run("__complete", verb, "")
		var ids []string
		for line := range strings.Lines(out) {
			if id, title, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && title != "" {
				ids = append(ids, id)
			}
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("%s: -want +got\n%s", verb, diff)
		}
	}
}

func TestWithoutAHome(t *testing.T) {
	d := newDesk(t)
	d.home = ""
	d.want(3, "REASONIX_HOME", "list")
}
