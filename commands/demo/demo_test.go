package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/commands"
	"reasonix/commands/cmdutil"
	_ "reasonix/core/provider/demo"
	_ "reasonix/core/tool/file"
	_ "reasonix/core/tool/search"
	_ "reasonix/core/tool/shell"
	"reasonix/sandbox"
)

func TestMain(m *testing.M) {
	if !sandbox.Helper(os.Args) {
		os.Exit(m.Run())
	}
}

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a machine on which nobody has set anything up.
type world struct {
	*testing.T
	app       *cmdutil.App
	out, errs bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{T: t}
	for _, d := range []string{"tmp", "work", "me"} {
		noErr(t, os.Mkdir(filepath.Join(dir, d), 0o755))
	}
	w.app = &cmdutil.App{
		In: strings.NewReader(""), Out: &w.out, Err: &w.errs, Version: "1.2.3", Now: time.Now,
		Home: filepath.Join(dir, "me", ".reasonix"), WorkDir: filepath.Join(dir, "work"),
		Environ: append(os.Environ(), "HOME="+filepath.Join(dir, "me"), "TMPDIR="+filepath.Join(dir, "tmp"), "LANG=C.UTF-8"),
	}
	return w
}

func (w *world) config(text string) {
	w.Helper()
	noErr(w, os.MkdirAll(w.app.Home, 0o700))
	noErr(w, os.WriteFile(filepath.Join(w.app.Home, "config.toml"), []byte(text), 0o600))
}

// demo runs the command and returns its exit code and what went to stderr.
func (w *world) demo(ctx context.Context, args ...string) (int, string) {
	w.Helper()
	code := commands.Execute(ctx, w.app, append([]string{"demo"}, args...))
	return code, w.errs.String()
}

// tests runs the project's own.
func tests(dir string) (string, error) {
	cmd := exec.Command("sh", "test.sh")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// in lists what is in a directory.
func (w *world) in(dir string) []string {
	w.Helper()
	entries, err := os.ReadDir(dir)
	noErr(w, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// journal is the text of the one session of the home.
func (w *world) journal() string {
	w.Helper()
	var text []byte
	noErr(w, filepath.WalkDir(filepath.Join(w.app.Home, "projects"), func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		text = append(text, data...)
		return err
	}))
	return string(text)
}

func TestTheDemoEndsWithAPassingTest(t *testing.T) {
	w := newWorld(t)
	code, errs := w.demo(t.Context(), "new/place")
	if code != 0 {
		t.Fatalf("exit %d: %s\n%s", code, errs, w.out.String())
	}
	dir := filepath.Join(w.app.WorkDir, "new", "place")
	if out, err := tests(dir); err != nil || strings.Contains(out, "FAIL") {
		t.Errorf("the tests: %v\n%s", err, out)
	}
	out := w.out.String()
	for _, want := range []string{
		"The demo project is in " + filepath.ToSlash(dir), "No real model is involved",
		"\n  · Run sh test.sh: failed, exit 1\n", "\n  · Edit lib/numbers.sh: ok\n", "\n  · Run sh test.sh: ok\n",
		"\n--- a/lib/numbers.sh\n+++ b/lib/numbers.sh\n", "\n-\techo \"$((($1 + $2 + 1) / $2))\"\n+\techo \"$((($1 + $2 - 1) / $2))\"\n",
		"\nok   pages 10 5\n", "\ncompleted: 9 steps, ", "No real model was involved", "reasonix setup",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not say %q:\n%s", want, out)
		}
	}
	if n := strings.Count(out, "@@"); n != 2 || strings.Contains(out, "\x1b") || w.errs.Len() > 0 {
		t.Errorf("%d hunk marks, stderr %q, stdout\n%s", n, w.errs.String(), out)
	}
	if j := w.journal(); strings.Count(j, `"type":"tool.started"`) != 9 || !strings.Contains(j, `"model":"demo/demo"`) || !strings.Contains(j, `"type":"session.ended"`) {
		t.Errorf("the journal:\n%s", j)
	}
}

type object struct {
	Directory string `json:"directory"`
	Outcome   string `json:"outcome"`
	Steps     int    `json:"steps"`
	Diff      string `json:"diff"`
	Tests     string `json:"tests"`
	Session   string `json:"session_id"`
}

func (w *world) object() object {
	w.Helper()
	var o object
	dec := json.NewDecoder(&w.out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil || dec.More() || w.errs.Len() > 0 {
		w.Fatalf("not one object alone: %v, stderr %q", err, w.errs.String())
	}
	return o
}

func TestTheDemoAsJSONInATemporaryDirectory(t *testing.T) {
	w := newWorld(t)
	w.config("not_a_key = 1\n")
	code, errs := w.demo(t.Context(), "--output-format", "json")
	o := w.object()
	if code != 0 || o.Outcome != "completed" || o.Steps != 9 || strings.Count(o.Diff, "@@") != 2 || !strings.Contains(o.Tests, "exit code 0") {
		t.Errorf("exit %d, %s: %+v", code, errs, o)
	}
	if filepath.Dir(filepath.FromSlash(o.Directory)) != w.app.Getenv("TMPDIR") || !strings.Contains(w.journal(), o.Session) && o.Session == "" {
		t.Errorf("it is in %s, with session %q", o.Directory, o.Session)
	}
	if out, err := tests(o.Directory); err != nil {
		t.Errorf("the tests: %v\n%s", err, out)
	}
}

func TestTheDemoNeverCallsAModelOfThatName(t *testing.T) {
	w := newWorld(t)
	w.config("[[providers]]\nname = \"demo\"\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"demo\"\napi_key_env = \"\"\n")
	if code, errs := w.demo(t.Context()); code != 0 {
		t.Errorf("exit %d: %s\n%s", code, errs, w.out.String())
	}
}

func TestTheDemoOverwritesNothing(t *testing.T) {
	w := newWorld(t)
	mine := filepath.Join(w.app.WorkDir, "mine")
	noErr(t, os.WriteFile(mine, []byte("precious"), 0o644))
	for _, dir := range []string{".", "mine", "mine/below", w.app.WorkDir} {
		code, errs := w.demo(t.Context(), dir)
		if code != cmdutil.CodeUsage {
			t.Errorf("%s: exit %d, %s", dir, code, errs)
		}
	}
	if data, err := os.ReadFile(mine); string(data) != "precious" || len(w.in(w.app.WorkDir)) != 1 {
		t.Errorf("%q, %v; %q", data, err, w.in(w.app.WorkDir))
	}
}

func TestAnEmptyDirectoryIsTaken(t *testing.T) {
	w := newWorld(t)
	if code, errs := w.demo(t.Context(), "."); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	if got, want := fmt.Sprint(w.in(w.app.WorkDir)), "[README.md lib test.sh]"; got != want {
		t.Errorf("it holds %s, want %s", got, want)
	}
}

func TestAProjectNobodyWorkedOnIsTakenAway(t *testing.T) {
	for _, args := range [][]string{nil, {"deep/er"}} {
		w := newWorld(t)
		w.config("default_model = [")
		if code, errs := w.demo(t.Context(), args...); code != cmdutil.CodeConfig {
			t.Errorf("exit %d, %s", code, errs)
		}
		if left := append(w.in(w.app.WorkDir), w.in(w.app.Getenv("TMPDIR"))...); len(left) > 0 {
			t.Errorf("%q is left", left)
		}
	}
}

func TestADenyRuleHoldsInTheDemoToo(t *testing.T) {
	w := newWorld(t)
	w.config("[permissions]\ndeny = [\"Bash(sh:*)\"]\n")
	code, errs := w.demo(t.Context())
	if code == 0 || errs == "" || !strings.Contains(w.out.String(), "Run sh test.sh: denied") {
		t.Errorf("exit %d, %s\n%s", code, errs, w.out.String())
	}
}

func TestACancelledDemoEndsAndKeepsItsJournal(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.app.Out = &trigger{word: "sh test.sh", hit: cancel}
	code, errs := w.demo(ctx)
	if code != cmdutil.CodeSIGINT {
		t.Errorf("exit %d, %s", code, errs)
	}
	if j := w.journal(); !strings.Contains(j, `"outcome":"cancelled"`) || !strings.Contains(j, `"type":"session.ended"`) {
		t.Errorf("the journal:\n%s", j)
	}
}

// trigger calls hit once a word was written.
type trigger struct {
	word string
	hit  func()
}

func (c *trigger) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.word) {
		c.hit()
	}
	return len(p), nil
}
