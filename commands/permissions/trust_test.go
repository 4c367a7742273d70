package permissions_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/commands/permissions"
)

// A shop is a home, a repository and `permissions trust` at work in it.
type shop struct {
	t          *testing.T
	home, work string
	in         io.Reader // nil: no terminal
}

func newShop(t *testing.T, project string) *shop {
	t.Helper()
	s := &shop{t: t, home: t.TempDir(), work: t.TempDir()}
	s.write("reasonix.toml", project)
	return s
}

func (s *shop) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.work, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) grants() string {
	text, err := os.ReadFile(filepath.Join(s.home, "grants.json"))
	if err != nil {
		return ""
	}
	return string(text)
}

// trust runs the command, wants an exit code and what both streams say.
func (s *shop) trust(code int, says []string, args ...string) (out, errs string) {
	s.t.Helper()
	var o, e bytes.Buffer
	app := &cmdutil.App{
		Out: &o, Err: &e, In: s.in, StdinTTY: s.in != nil, Home: s.home, WorkDir: s.work, Environ: []string{"HOME=" + s.home},
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
	if s.in == nil {
		app.In = strings.NewReader("")
	}
	cmd := permissions.New(app)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"trust"}, args...))
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err := cmd.Execute()
	if err != nil {
		e.WriteString(err.Error() + "\n" + cmdutil.HintOf(err) + "\n")
	}
	short := strings.NewReplacer(filepath.ToSlash(s.home), "HOME", filepath.ToSlash(s.work), "WORK")
	out, errs = short.Replace(o.String()), short.Replace(e.String())
	if got := cmdutil.CodeOf(err); got != code {
		s.t.Errorf("trust %v: exit %d, want %d\n%s%s", args, got, code, out, errs)
	}
	for _, text := range says {
		if !strings.Contains(out+errs, text) {
			s.t.Errorf("trust %v: got\n%s%swant it to say %q", args, out, errs, text)
		}
	}
	return out, errs
}

// answers is a terminal on which somebody types lines.
func answers(lines ...string) io.Reader { return strings.NewReader(strings.Join(lines, "\n") + "\n") }

const wide = `[permissions]
allow = [
  "Bash(go test:*)", # tests
  "Bash(make:*)",
]
[[plugins]]
name = "docs"
command = "sh"
args = ["-c", "x"]
env = { TOKEN = "sk-1" }
`

func TestTrustShowsEachPartWithItsPlaceAndEffect(t *testing.T) {
	s := newShop(t, wide)
	out, errs := s.trust(0, nil, "--show")
	for _, want := range []string{
		"off until you grant it:\n\n  1  permissions.allow = Bash(go test:*)\n     at reasonix.toml:3, ",
		"     means: the calls it matches run without a question\n  2  permissions.allow = Bash(make:*)\n     at reasonix.toml:4, ",
		"  3  plugins.docs = command = \"sh\", args = [\"-c\", \"x\"], env = { TOKEN = (hidden) }\n     at reasonix.toml:6, ",
		"     means: that program is started, in the sandbox, and the model is offered its tools\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
	if errs != "" || s.grants() != "" || strings.Contains(out, "sk-1") {
		t.Errorf("stderr %q, grants %q\n%s", errs, s.grants(), out)
	}
}

func TestTrustAsksForAllOrOneByOneOrNone(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string // of grants
		says  string
	}{
		{"all", []string{"what?", "a"}, []string{"go test", "make", "docs"}, "granted 3 parts"},
		{"none", []string{""}, nil, "nothing was granted"},
		{"no", []string{"n"}, nil, "nothing was granted"},
		{"one by one", []string{"o", "n", "y", ""}, []string{"make"}, "granted 1 part;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShop(t, wide)
			s.in = answers(tt.lines...)
			s.trust(0, []string{"asks for 3 things", tt.says})
			for _, word := range []string{"go test", "make", "docs"} {
				want := strings.Contains(strings.Join(tt.want, " "), word)
				if got := strings.Contains(s.grants(), word); got != want {
					t.Errorf("%s granted: %v\n%s", word, got, s.grants())
				}
			}
		})
	}
	s := newShop(t, wide)
	s.in = strings.NewReader("o\ny\n")
	s.trust(2, []string{"the input ended before the answer"})
	if s.grants() != "" {
		t.Errorf("half the answers granted %s", s.grants())
	}
}

func TestTrustGrantsNothingWhenNobodyCanBeAsked(t *testing.T) {
	s := newShop(t, wide)
	s.trust(2, []string{"asks for 3 things", "Bash(make:*)", "nobody can be asked", "--yes"})
	s.in = answers("a")
	s.trust(2, []string{"JSON asks no questions"}, "--output-format", "json")
	s.trust(2, []string{"exclude each other"}, "--show", "--yes")
	s.trust(2, []string{"no part nope", "permissions.allow, plugins.docs"}, "nope")
	if s.grants() != "" {
		t.Errorf("granted %s", s.grants())
	}
}

// changing is a terminal at which the files change before the answer.
type changing struct {
	change func()
	io.Reader
}

func (c *changing) Read(p []byte) (int, error) {
	if c.change != nil {
		c.change()
		c.change = nil
	}
	return c.Reader.Read(p)
}

// What was not shown is not granted.
func TestTrustGrantsNothingThatChangedMeanwhile(t *testing.T) {
	for what, now := range map[string]string{
		"another command": strings.Replace(wide, `"x"`, `"y"`, 1),
		"one more rule":   strings.Replace(wide, `"Bash(make:*)"`, `"Bash", "Bash(make:*)"`, 1),
		"one rule less":   strings.Replace(wide, `  "Bash(make:*)",`, ``, 1),
	} {
		s := newShop(t, wide)
		s.in = &changing{func() { s.write("reasonix.toml", now) }, answers("a")}
		s.trust(3, []string{"changed meanwhile: nothing was granted"})
		if s.grants() != "" {
			t.Errorf("%s: granted %s", what, s.grants())
		}
	}
	s := newShop(t, wide)
	s.in = &changing{func() { s.write("reasonix.toml", "# a comment\n"+wide) }, answers("a")}
	s.trust(0, []string{"granted 3 parts"})
	s = newShop(t, wide)
	s.in = &changing{func() { s.write("reasonix.toml", "broken = ") }, answers("a")}
	s.trust(3, []string{"reasonix.toml:1:", "nothing was granted"})
}

// PM-22: granted, changed, granted again, taken back.
func TestPM22TrustFollowsTheContent(t *testing.T) {
	s := newShop(t, wide)
	s.trust(0, []string{"granted 2 parts"}, "--yes", "permissions.allow")
	s.trust(0, []string{"off until you grant it:\n\n  1  plugins.docs", "granted:\n\n  1  permissions.allow = Bash(go test:*)", "granted 2026-01-02 03:04 UTC"}, "--show")
	s.trust(0, []string{"granted 1 part;"}, "-y")
	s.trust(0, []string{"all of it is granted already"})
	there := *s
	there.work = t.TempDir()
	there.trust(0, []string{"granted:"}, "--show", "--dir", s.work)
	there.trust(2, []string{"--dir"}, "--dir", filepath.Join(s.work, "reasonix.toml"))
	s.write("reasonix.toml", "# other comments\n"+strings.ReplaceAll(wide, "# tests", "# all"))
	s.trust(0, []string{"all of it is granted already"})
	s.write("reasonix.toml", strings.Replace(wide, `"x"`, `"touch x"`, 1))
	s.trust(0, []string{"off until you grant it:\n\n  1  plugins.docs", "and no longer in the files:\n\n  1  plugins.docs"}, "--show")
	s.trust(2, []string{"asks for 1 thing"})

	out, _ := s.trust(0, nil, "--show", "--output-format", "json", "plugins")
	var shown struct {
		Workspace                 string
		Ungranted, Granted, Stale []struct{ ID, Part, Value, File, Granted string }
	}
	if err := json.Unmarshal([]byte(out), &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown.Ungranted) != 1 || len(shown.Granted) != 0 || len(shown.Stale) != 1 || shown.Stale[0].Granted == "" || shown.Ungranted[0].File != "WORK/reasonix.toml" {
		t.Errorf("got %+v", shown)
	}
	s.trust(0, []string{"granted 1 part;"}, "--yes", shown.Ungranted[0].ID)

	s.trust(2, []string{"sandbox: not granted"}, "--revoke", "sandbox")
	s.trust(0, []string{"revoked plugins.docs"}, "--revoke", "plugins")
	s.trust(0, []string{"revoked permissions.allow = Bash(go test:*)"}, "--revoke")
	s.trust(0, []string{"nothing is granted in WORK"}, "--revoke")
	s.trust(0, []string{"off until you grant it:\n\n  1  permissions.allow"}, "--show")
}

func TestTrustWithDamage(t *testing.T) {
	s := newShop(t, wide)
	if err := os.WriteFile(filepath.Join(s.home, "grants.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.trust(0, []string{"warning: ", "HOME/grants.json grants nothing: it is damaged", "off until"}, "--show")
	s.trust(0, []string{"granted 3 parts"}, "--yes")
	if kept, _ := os.ReadFile(filepath.Join(s.home, "grants.json.bak")); string(kept) != "{" {
		t.Errorf("kept %q", kept)
	}
	s.write("reasonix.toml", "broken = ")
	s.trust(3, []string{"error: WORK/reasonix.toml:1:", "no longer in the files"}, "--show")
	s.trust(3, []string{"WORK/reasonix.toml:1:"}, "--yes")
	s.trust(0, []string{"revoked"}, "--revoke")
	s.write("reasonix.toml", "")
	s.trust(0, []string{"nothing to grant"})
	s.trust(0, []string{"nothing here widens"}, "--show")
}

func TestTrustSaysInJSONWhatItDid(t *testing.T) {
	s := newShop(t, "sandbox.bash = \"off\"\n")
	out, errs := s.trust(0, nil, "--yes", "--output-format", "json")
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || errs != "" {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	part := got["granted"].([]any)[0].(map[string]any)
	delete(part, "id")
	want := map[string]any{
		"workspace": "WORK", "revoked": []any{},
		"granted": []any{map[string]any{
			"part": "sandbox.bash", "kind": "sandbox", "value": "off", "file": "WORK/reasonix.toml", "line": 1.0, "column": 1.0,
			"effect": "commands run outside the system's sandbox, with all your rights",
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s.trust(0, []string{`"revoked": [`, `"part": "sandbox.bash"`}, "--revoke", "--output-format", "json")
}
