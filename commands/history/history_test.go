package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/commands/history"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// A desk is a home with sessions and the command at work in one workspace.
type desk struct {
	t          *testing.T
	home, work string
}

func newDesk(t *testing.T) *desk { return &desk{t, t.TempDir(), t.TempDir()} }

// save writes a session of user prompts and results in turn.
func (d *desk) save(workspace, id string, texts ...string) {
	d.t.Helper()
	store := jsonl.New(jsonl.Dir(d.home, workspace), jsonl.Options{Workspace: workspace})
	log, err := store.Create(d.t.Context(), session.Meta{ID: event.SessionID(id)})
	if err != nil {
		d.t.Fatal(err)
	}
	for i, text := range texts {
		var p event.Payload = event.UserSaid{Display: text}
		if i%2 == 1 {
			p = event.ToolFinished{Message: message.Message{Role: message.ToolRole, Name: "bash", Content: text}}
		}
		at := time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC)
		if err := log.Append(event.Envelope{Seq: event.Seq(i + 1), Turn: i/2 + 1, Time: at, Payload: p}); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) run(args ...string) (out, errs string, code int) {
	var o, e bytes.Buffer
	app := &cmdutil.App{Out: &o, Err: &e, In: strings.NewReader(""), Home: d.home, WorkDir: d.work, Now: time.Now}
	cmd := history.New(app)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err := cmd.ExecuteContext(d.t.Context())
	if err != nil {
		fmt.Fprintln(&e, err)
	}
	return o.String(), e.String(), cmdutil.CodeOf(err)
}

func TestSearchThenShow(t *testing.T) {
	d := newDesk(t)
	d.save(d.work, "20260102-030405-aaaaaa", "why is the build red?", "undefined: parseHeader\x1b[31m in store.go", "fix it", "ok")
	d.save("/elsewhere", "20260102-030405-bbbbbb", "parseHeader elsewhere")
	out, errs, code := d.run("search", "parse", "header")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "20260102-030405-aaaaaa #2  ") ||
		!strings.Contains(out, "  tool bash  why is the build red?\n  undefined: parseHeader") || strings.Contains(out, "bbbbbb") {
		t.Errorf("exit %d, %q\n%s", code, errs, out)
	}
	out, _, _ = d.run("search", "parseHeader", "--scope", "global")
	if !strings.Contains(out, "bbbbbb #1") || !strings.Contains(out, "  /elsewhere\n") {
		t.Errorf("global:\n%s", out)
	}
	out, errs, code = d.run("show", "20260102-030405-a", "--around", "2", "--lines", "3")
	if code != 0 || errs != "" || strings.Contains(out, "\x1b") || !strings.Contains(out, "tool bash\n  undefined: parseHeader") ||
		!strings.Contains(out, "fix it") || !strings.Contains(out, "(later entries are not shown)") {
		t.Errorf("exit %d, %q\n%s", code, errs, out)
	}
}

func TestJSON(t *testing.T) {
	d := newDesk(t)
	d.save(d.work, "s1", "why is the build red?", "undefined: parseHeader")
	out, errs, _ := d.run("search", "parseHeader", "--output-format", "json")
	var found struct {
		Hits []struct {
			Session, Role, Tool, Snippet, Title string
			Seq                                 int
			Time                                time.Time
			Terms                               []string
			Marks                               []struct{ Start, End int }
		}
		Sessions int
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || errs != "" || len(found.Hits) != 1 || found.Sessions != 1 {
		t.Fatalf("%v %q\n%s", err, errs, out)
	}
	h := found.Hits[0]
	if h.Session != "s1" || h.Seq != 2 || h.Role != "tool" || h.Snippet[h.Marks[0].Start:h.Marks[0].End] != "parseHeader" || h.Time.Second() != 1 {
		t.Errorf("got %+v", h)
	}
	out, errs, code := d.run("search", "axolotl", "--output-format", "json")
	if code != 0 || errs != "" || !strings.Contains(out, `"hits": []`) || !strings.Contains(out, "rarer") {
		t.Errorf("exit %d %q\n%s", code, errs, out)
	}
	out, _, _ = d.run("show", "s1", "--output-format", "json", "--lines", "1")
	var shown map[string]any
	if err := json.Unmarshal([]byte(out), &shown); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"session": "s1", "workspace": strings.ReplaceAll(d.work, `\`, "/"), "title": "why is the build red?", "earlier": true, "later": false,
		"entries": []any{map[string]any{"seq": 2., "turn": 1., "time": "2026-01-02T03:04:01Z", "role": "tool", "tool": "bash", "text": "undefined: parseHeader"}},
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingFoundIsAdviceOnStderr(t *testing.T) {
	d := newDesk(t)
	out, errs, code := d.run("search", "axolotl")
	if code != 0 || out != "" || !strings.Contains(errs, "rarer") {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
}

// Whether somebody else's sessions have it is found out, and said when it is so.
func TestWhatIsFoundElsewhereAloneIsSaid(t *testing.T) {
	d := newDesk(t)
	d.save(d.work, "s1", "one")
	d.save("/elsewhere", "s2", "an axolotl")
	const want = "Nothing fits in 1 session of this workspace; there is something elsewhere: add --scope global."
	if out, errs, code := d.run("search", "axolotl"); code != 0 || out != "" || errs != want+"\n" {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
	if out, errs, _ := d.run("search", "axolotl", "--output-format", "json"); errs != "" || !strings.Contains(out, want) {
		t.Errorf("%s\n%s", out, errs)
	}
	if out, errs, _ := d.run("search", "salamander"); out != "" || strings.Contains(errs, "elsewhere") || !strings.Contains(errs, "2 sessions") {
		t.Errorf("%s\n%s", out, errs)
	}
}

func TestMistakesExitWithTwo(t *testing.T) {
	d := newDesk(t)
	d.save(d.work, "s1", "one")
	d.save(d.work, "s2", "two")
	for _, args := range [][]string{
		{"show", "nope"}, {"show", "s"}, {"show", "../s1"}, {"show", "s1", "--lines", "0"}, {"search", "x", "--limit", "51"}, {"search", "x", "--limit", "0"},
	} {
		if out, errs, code := d.run(args...); code != cmdutil.CodeUsage || out != "" || errs == "" {
			t.Errorf("%v: exit %d\n%s\n%s", args, code, out, errs)
		}
	}
}

func TestShowCompletesSessions(t *testing.T) {
	d := newDesk(t)
	d.save(d.work, "s1", "first words")
	out, _, _ := d.run("__complete", "show", "")
	if !slices.Contains(strings.Split(out, "\n"), "s1") {
		t.Errorf("got\n%s", out)
	}
}
