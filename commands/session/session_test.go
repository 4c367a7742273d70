package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/cmdutil/cmdtest"
	command "reasonix/commands/session"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

const (
	one   event.SessionID = "20260102-150405-a1b2c3"
	two   event.SessionID = "20260103-091500-0f0f0f"
	three event.SessionID = "20260103-120000-bbbbbb"
)

var start = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// A desk is a home, a directory with sessions and the command at work in them.
type desk struct {
	t          *testing.T
	home, work string
	in         string
	tty        bool
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return &desk{t: t, home: t.TempDir(), work: t.TempDir()}
}

func (d *desk) app() *cmdutil.App {
	return &cmdutil.App{
		In: strings.NewReader(d.in), StdinTTY: d.tty, Home: d.home, WorkDir: d.work, Version: "1.2.3",
		Now: func() time.Time { return start.Add(1000 * time.Hour) },
	}
}

func (d *desk) store(work string) *jsonl.Store {
	return jsonl.New(jsonl.Dir(d.home, work), jsonl.Options{Workspace: work, Writer: "reasonix 1.2.3"})
}

// session makes a session of this desk's directory with the given events.
func (d *desk) session(id event.SessionID, payloads ...event.Payload) {
	d.t.Helper()
	d.sessionIn(d.work, id, payloads...)
}

func (d *desk) sessionIn(work string, id event.SessionID, payloads ...event.Payload) {
	d.t.Helper()
	l, err := d.store(work).Create(d.t.Context(), session.Meta{ID: id, Created: start})
	d.no(err)
	turn := 0
	for i, p := range payloads {
		if _, ok := p.(event.TurnStarted); ok {
			turn++
		}
		d.no(l.Append(event.Envelope{Seq: event.Seq(i + 1), Time: start.Add(time.Duration(i) * time.Second), Turn: turn, Payload: p}))
	}
	d.no(l.Close())
}

// talk is a session of one turn.
func talk(prompt string) []event.Payload {
	return []event.Payload{
		event.Configured{Model: "p/m", Effort: "low"},
		event.PromptQueued{ID: "1", Display: prompt},
		event.TurnStarted{Prompt: "1"},
		event.UserSaid{Prompt: "1", Display: prompt},
		event.Replied{Model: "p/m", Usage: message.Usage{Input: 25, CacheRead: 75, Output: 7}, Cost: &event.Money{Amount: 0.5, Currency: "EUR"}, Message: message.Message{Content: "done"}},
		event.TurnEnded{Prompt: "1", Outcome: event.Completed, Usage: message.Usage{Input: 25, CacheRead: 75, Output: 7}},
	}
}

// broken is a session that was killed while a call ran.
func broken() []event.Payload {
	return append(talk("mend the fence")[:4],
		event.Replied{Model: "p/m", Message: message.Message{ToolCalls: []message.ToolCall{{ID: "c1", Name: "bash", Arguments: `{"command":"make"}`}}}},
		event.ToolStarted{Call: "c1", Title: "make"}, event.Configured{Model: "p/n", Effort: "low"})
}

func (d *desk) no(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// run runs `session ARGS`, with the temporary directories shortened to HOME and WORK in
// what it prints.
func (d *desk) run(args ...string) (out, errs string, code int) {
	d.t.Helper()
	out, errs, err := cmdtest.Run(d.t, command.New, d.app(), args...)
	if err != nil && err.Error() != "exit 1" {
		errs += err.Error() + "\n" + cmdutil.HintOf(err) + "\n"
	}
	short := func(text string) string { return cmdtest.Short(text, d.home, "HOME", d.work, "WORK") }
	return short(out), short(errs), cmdutil.CodeOf(err)
}

// want runs and checks the exit code and what both streams say.
func (d *desk) want(code int, says []string, args ...string) (out, errs string) {
	d.t.Helper()
	out, errs, got := d.run(args...)
	if got != code {
		d.t.Errorf("session %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	for _, s := range says {
		if !strings.Contains(out+errs, s) {
			d.t.Errorf("session %s: got\n%s%swant it to say %q", strings.Join(args, " "), out, errs, s)
		}
	}
	return out, errs
}

// wantJSON runs with JSON output and decodes it.
func wantJSON[T any](d *desk, code int, args ...string) T {
	d.t.Helper()
	out, _ := d.want(code, nil, append(args, "--output-format", "json")...)
	var v T
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		d.t.Fatalf("session %s: %v in\n%s", strings.Join(args, " "), err, out)
	}
	return v
}

func TestList(t *testing.T) {
	d := newDesk(t)
	d.want(0, []string{"no sessions of this directory\n"}, "list")
	d.session(one, broken()...)
	d.session(two, talk("paint \x1b[31mit\x07 \u202eback")...)
	for id, hours := range map[event.SessionID]int{one: 0, two: 20} {
		at := start.Add(time.Duration(hours) * time.Hour)
		d.no(os.Chtimes(filepath.Join(jsonl.Dir(d.home, d.work), string(id)+".jsonl"), at, at))
	}
	out, _ := d.want(0, nil, "list")
	rows := strings.Split(strings.TrimSpace(out), "\n")
	if len(rows) != 2 || !strings.HasPrefix(rows[0], string(two)) || !strings.Contains(rows[0], "completed") || !strings.Contains(rows[1], "interrupted") {
		t.Errorf("list:\n%s", out)
	}
	if strings.ContainsAny(out, "\x1b\x07\u202e") {
		t.Errorf("a title reaches the terminal: %q", out)
	}
	l := wantJSON[struct {
		Sessions []struct{ ID, State, Title, Model string }
		More     bool
	}](d, 0, "list", "--limit", "1")
	if len(l.Sessions) != 1 || l.Sessions[0].ID != string(two) || !l.More || l.Sessions[0].Model != "p/m" {
		t.Errorf("%+v", l)
	}
	d.want(2, []string{"--limit -1"}, "list", "--limit", "-1")
}

// SE-12: the sessions of a directory are found by any of its names, and those of others
// are said to be there.
func TestSE12WhereDidMySessionsGo(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("mend the fence")...)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(d.work, link); err != nil {
		t.Fatal(err)
	}
	real := d.work
	for _, work := range []string{link, real + string(filepath.Separator), filepath.Join(real, "x", "..")} {
		d.work = work
		d.want(0, []string{string(one)}, "list")
	}
	d.work = t.TempDir()
	d.want(0, []string{"no sessions of this directory; 1 session of other directories: reasonix session list --all"}, "list")
	d.want(0, []string{string(one), filepath.ToSlash(real)}, "list", "--all")
	d.want(0, []string{"mend the fence"}, "show", string(one[:12]))
	d.want(2, []string{"no such session"}, "show", "fence") // elsewhere by id alone
	d.want(0, []string{string(one)}, "list", "--dir", real)
}

func TestResolve(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("mend the fence")...)
	d.session(two, talk("paint the fence")...)
	d.session(three, talk("paint the gate")...)
	for name, want := range map[string]event.SessionID{
		string(one): one, "20260102": one, "20260103-1": three, "Gate the": three, "MEND THE FENCE": one, "paint fence": two,
	} {
		d.want(0, []string{string(want)}, append([]string{"show"}, strings.Fields(name)...)...)
	}
	d.want(2, []string{`"fence" is more than one session:`, string(one) + "  mend the fence", string(two), "name one by its id"}, "show", "fence")
	d.want(2, []string{"is more than one session"}, "delete", "--yes", "2026010")
	d.want(2, []string{"no such session", "reasonix session list"}, "show", "barn")
	if out, _ := d.want(0, nil, "list"); strings.Count(out, "\n") != 3 {
		t.Errorf("something was deleted:\n%s", out)
	}
}

func TestShowJSONIsWhatAnOrchestratorNeeds(t *testing.T) {
	d := newDesk(t)
	d.session(one, broken()...)
	type shown struct {
		ID, Title, State, Outcome, Journal, Workspace string
		LastSeq                                       int `json:"last_seq"`
		Interrupted                                   *session.Unfinished
		Running                                       *struct{ Holder string }
		Configuration                                 struct{ Effective, Queued *event.Configured }
		WaitingPrompts                                []event.PromptQueued `json:"waiting_prompts"`
		Usage                                         message.Usage
	}
	v := wantJSON[shown](d, 0, "show", string(one))
	if v.State != "interrupted" || v.LastSeq != 7 || v.Running != nil || len(v.Interrupted.Calls) != 1 || v.Interrupted.Calls[0] != (session.PendingCall{ID: "c1", Name: "bash", Title: "make", Started: true}) {
		t.Errorf("interrupted: %+v", v)
	}
	if v.Configuration.Effective.Model != "p/m" || v.Configuration.Queued.Model != "p/n" || !strings.HasSuffix(v.Journal, string(one)+".jsonl") {
		t.Errorf("configuration: %+v", v)
	}
	l, err := d.store(d.work).Open(t.Context(), one)
	d.no(err)
	v = wantJSON[shown](d, 0, "show", string(one))
	if v.State != "running" || v.Interrupted != nil || v.Running == nil || !strings.HasPrefix(v.Running.Holder, "pid ") {
		t.Errorf("running: %+v", v)
	}
	d.want(0, []string{"running, open in another process (pid ", "without a result: make", "next with", "model p/n"}, "show", string(one))
	d.want(2, []string{"is open in another process", "copy"}, "rename", string(one), "x")
	d.want(2, []string{"is open in another process"}, "delete", "--yes", string(one))
	d.no(l.Close())
}

// The numbers that session rewind takes are listed, of the conversation as it is now.
func TestShowListsMessagesAsRewindCountsThem(t *testing.T) {
	d := newDesk(t)
	say := func(id message.ID, text string) event.UserSaid {
		return event.UserSaid{Display: text + "\nand more", Message: message.Message{ID: id, Role: message.User, Content: text}}
	}
	reply := func(id message.ID) event.Replied {
		return event.Replied{Message: message.Message{ID: id, Role: message.Assistant, Content: "yes"}}
	}
	d.session(one, say("u1", "first"), reply("m1"), say("u2", "left"), reply("m2"), event.Rewound{Head: "m1", Was: "m2"}, say("u3", "second"), reply("m3"))
	v := wantJSON[struct {
		Messages []struct {
			Number, Seq int
			Text        string
		}
	}](d, 0, "show", string(one), "--messages")
	if got := fmt.Sprint(v.Messages); got != "[{1 1 first} {2 6 second}]" {
		t.Errorf("messages %s", got)
	}
	d.want(0, []string{"message 2", "second"}, "show", string(one), "--messages")
	d.want(2, []string{"--to 0"}, "rewind", string(one), "--to", "0")
	d.want(2, []string{"#x"}, "rewind", string(one), "--to", "#x")
}

func TestAForkIsListedAsOne(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("paint it")...)
	d.no(d.store(d.work).Copy(t.Context(), one, 0, metaOf(two)))
	d.want(0, []string{"paint it  (fork of " + string(one) + ")"}, "list")
}

func TestRenameAndDelete(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("mend the fence")...)
	d.session(two, talk("paint it")...)
	d.want(0, nil, "rename", "fence", "Fence, again")
	d.want(0, []string{"Fence, again"}, "show", string(one))
	d.want(2, []string{"nobody can be asked here", "--yes"}, "delete", string(one))
	d.tty, d.in = true, "\n"
	d.want(0, []string{"Fence, again", "Delete 1 session for good?", "nothing was deleted"}, "delete", string(one))
	d.in = "y\n"
	d.want(0, []string{"deleted " + string(one)}, "delete", string(one))
	d.want(2, nil, "show", string(one))
	d.want(0, []string{"deleted"}, "delete", "--yes", "paint", string(two))
	if left, _ := os.ReadDir(jsonl.Dir(d.home, d.work)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestGC(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("mend the fence")...)
	d.session(two, talk("paint it")...)
	at := start.Add(-1000 * time.Hour)
	d.no(os.Chtimes(filepath.Join(jsonl.Dir(d.home, d.work), string(one)+".jsonl"), at, at))
	d.want(0, []string{"old", string(one), "mend the fence", "would remove", "--apply"}, "gc", "--older-than", "30d")
	d.want(0, []string{"nothing to remove"}, "gc")
	v := wantJSON[struct {
		Applied bool
		Items   []struct{ Session, Why string }
	}](d, 0, "gc", "--older-than", "30d", "--apply")
	if !v.Applied || len(v.Items) != 1 || v.Items[0].Session != string(one) {
		t.Errorf("%+v", v)
	}
	d.want(2, nil, "show", string(one))
	for _, bad := range []string{"30", "d", "-1d", "0h", "NaNd", "1e300w"} {
		d.want(2, []string{"want an age"}, "gc", "--older-than", bad)
	}
}

func TestCheckAndRepair(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("mend the fence")...)
	d.want(0, []string{"1 session checked, no damage"}, "check")
	d.want(0, []string{"no damage: nothing was changed"}, "repair", string(one))
	path := filepath.Join(jsonl.Dir(d.home, d.work), string(one)+".jsonl")
	data, err := os.ReadFile(path)
	d.no(err)
	d.no(os.WriteFile(path, bytes.Replace(data, []byte("done"), []byte("dome"), 1), 0o600))
	d.want(1, []string{string(one) + ": line 6, offset ", "edited: the checksum does not match"}, "check")
	v := wantJSON[struct {
		Sessions []struct {
			Records int
			Damages []struct {
				Line int
				Kind string
			}
		}
	}](d, 1, "check", string(one))
	if len(v.Sessions) != 1 || v.Sessions[0].Records != 5 || v.Sessions[0].Damages[0].Kind != "edited" {
		t.Errorf("%+v", v)
	}
	d.want(0, []string{"damaged", "1 line"}, "show", string(one))
	d.want(0, []string{"5 records kept, 1 line taken out, 1 notice", ".original", ".damaged"}, "repair", string(one))
	d.want(0, []string{"no damage"}, "check", "--all")
	d.want(2, []string{"exclude"}, "check", "--all", string(one))
}

func TestCost(t *testing.T) {
	d := newDesk(t)
	d.want(0, []string{"nothing was used"}, "cost")
	d.session(one, talk("mend the fence")...)
	d.session(two, talk("paint it")...)
	d.sessionIn(t.TempDir(), three, talk("elsewhere")...)
	out, _ := d.want(0, nil, "cost")
	want := "DAY         MODEL  REQUESTS  READ  CACHED  WRITTEN  COST\n" +
		"2026-01-02  p/m    2         200   75%     14       1.0000 EUR\n" +
		"total              2         200   75%     14       1.0000 EUR\n"
	if out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
	type spending struct {
		Sessions int
		Rows     []struct {
			Day, Model  string
			Requests    int
			CachedShare float64 `json:"cached_share"`
			Amount      float64
		}
	}
	v := wantJSON[spending](d, 0, "cost", "--all", "--by", "model")
	if v.Sessions != 3 || len(v.Rows) != 1 || v.Rows[0].Day != "" || v.Rows[0].Requests != 3 || v.Rows[0].CachedShare != 0.75 || v.Rows[0].Amount != 1.5 {
		t.Errorf("%+v", v)
	}
	if v := wantJSON[spending](d, 0, "cost", "--since", "2026-01-03"); v.Sessions != 0 || len(v.Rows) != 0 {
		t.Errorf("since the day after: %+v", v)
	}
	d.want(2, []string{"--since"}, "cost", "--since", "yesterday")
	d.want(2, []string{"--by week"}, "cost", "--by", "week")
}

func TestIDsAreCompleted(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("mend the fence")...)
	for _, verb := range command.New(d.app()).Commands() {
		if verb.ValidArgsFunction == nil {
			continue
		}
		verb.SetContext(t.Context())
		words, directive := verb.ValidArgsFunction(verb, nil, "")
		if len(words) != 1 || words[0] != string(one)+"\tmend the fence" || directive&cobra.ShellCompDirectiveNoFileComp == 0 {
			t.Errorf("%s: %q", verb.Name(), words)
		}
	}
}

// A home that holds nothing, or names none, is said.
func TestWithoutAHome(t *testing.T) {
	d := newDesk(t)
	d.home = filepath.Join(d.home, "none")
	for _, verb := range []string{"list", "gc", "cost", "check"} {
		d.want(0, nil, verb)
	}
	if _, err := os.Stat(d.home); err == nil {
		t.Error("looking made a home")
	}
	app := d.app()
	app.Home = ""
	if _, _, err := cmdtest.Run(t, command.New, app, "list"); cmdutil.CodeOf(err) != 3 || !strings.Contains(err.Error(), "no home directory") {
		t.Errorf("without a home: %v", err)
	}
}

func metaOf(id event.SessionID) session.Meta { return session.Meta{ID: id, Created: start} }
