//go:build unix

package acp_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// A conversation survives two switches of the model in a row and a restart, with
// everything that was chosen.
func TestAConversationSurvivesSwitchesAndARestart(t *testing.T) {
	p := startTwo(t, providertest.Text("Blue."), providertest.Text("I said blue."), providertest.Text("Still blue."))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "a colour?"))
	for _, ref := range []string{"scripted/two", "scripted/one", "scripted/two"} {
		p.set(session, "model", ref)
	}
	p.set(session, "effort", "high")
	p.set(session, "work_mode", "economy")
	got := current(p.set(session, "tool_approval", "workspace-write"))
	want := "model=scripted/two effort=high work_mode=economy tool_approval=auto"
	if got != want {
		t.Errorf("chosen: %s", got)
	}
	p.stopped(p.prompt(session, "which?"))
	second := p.model.Requests()[1]
	if body := string(second.Body); !strings.Contains(body, "a colour?") || !strings.Contains(body, "Blue.") || !strings.Contains(body, `"model":"two"`) {
		t.Errorf("the other model is told %s", body)
	}
	for _, method := range []string{"session/resume", "session/load"} {
		p = p.again(t, "--model", "scripted/one", "--permission-mode", "yolo") // of new sessions only
		m := p.load(method, session, p.dir)
		if m.Error != nil {
			t.Fatal(m.raw)
		}
		var opened openedSession
		decode(t, m.Result, &opened)
		if got := current(opened.ConfigOptions); got != want {
			t.Errorf("%s: %s", method, got)
		}
		s := opened.Meta.Ours.Status
		if s.State != "idle" || s.Outcome != "completed" || s.LastMessage != "I said blue." || s.Cwd != p.dir || s.Usage.OutputTokens == 0 {
			t.Errorf("%s: status %+v", method, s)
		}
	}
	p.stopped(p.prompt(session, "and now?"))
	if body := string(p.model.Requests()[2].Body); !strings.Contains(body, "I said blue.") {
		t.Errorf("after the restart: %s", body)
	}
	p.in.Close()
	p.ends("")
}

func TestSessionsAreListedInPagesAndReallyDeleted(t *testing.T) {
	p := startTwo(t)
	p.model.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("ok") })
	other := t.TempDir()
	var made []string
	for range 52 {
		session := p.open(p.dir)
		p.stopped(p.prompt(session, "hello "+session))
		p.result("session/close", object{"sessionId": session}, &object{})
		made = append(made, session)
	}
	elsewhere := p.open(other)
	p.stopped(p.prompt(elsewhere, "over there"))
	p = p.again(t)

	page := func(params object) (ids []string, next string) {
		var r struct {
			Sessions []struct {
				SessionID, Cwd, Title, UpdatedAt string
				Meta                             object `json:"_meta"`
			}
			NextCursor string
		}
		p.result("session/list", params, &r)
		for _, s := range r.Sessions {
			ids = append(ids, s.SessionID)
			if want := "hello " + s.SessionID; s.Title != want && s.SessionID != elsewhere || s.UpdatedAt == "" || s.Cwd == "" || len(s.Meta) == 0 {
				t.Errorf("%+v", s)
			}
		}
		return ids, r.NextCursor
	}
	for name, params := range map[string]object{"here": {"cwd": p.dir}, "all": {}} {
		want := slices.Clone(made)
		if name == "all" {
			want = append(want, elsewhere)
		}
		first, next := page(params)
		if len(first) != 50 || next == "" {
			t.Fatalf("%s: %d sessions, next %q", name, len(first), next)
		}
		params["cursor"] = next
		rest, end := page(params)
		if end != "" {
			t.Errorf("%s: more behind the end", name)
		}
		got := append(first, rest...)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for range 2 { // twice is once
		p.result("session/delete", object{"sessionId": made[7]}, &object{})
	}
	for _, method := range []string{"session/load", "session/resume"} {
		if m := p.load(method, made[7], p.dir); m.Error == nil || m.Error.Code != -32002 {
			t.Errorf("%s of what is deleted: %s", method, m.raw)
		}
	}
	left, err := filepath.Glob(filepath.Join(p.home, "projects", "*", "*", made[7]+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	p.in.Close()
	p.ends("")
}

// AC-05: a session is loaded where it was made, through whatever links, or moves when it
// is told to.
func TestAC05AnotherDirectoryIsRefused(t *testing.T) {
	p := startTwo(t, providertest.Text("Blue."), providertest.Text("Still."))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "a colour?"))
	p.result("session/close", object{"sessionId": session}, &object{})
	other, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"session/load", "session/resume"} {
		m := p.load(method, session, other)
		if m.Error == nil || m.Error.Code != -32602 || m.Error.Data["field"] != "cwd" || m.Error.Data["cwd"] != p.dir {
			t.Errorf("%s elsewhere: %s", method, m.raw)
		}
		if m := p.load(method, session, link); m.Error != nil {
			t.Errorf("%s through a link: %s", method, m.raw)
		}
		// It is open here now: that succeeds again, and elsewhere is still wrong.
		if m := p.load(method, session, p.dir); m.Error != nil {
			t.Errorf("%s of an open one: %s", method, m.raw)
		}
		if m := p.load(method, session, other); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%s of an open one elsewhere: %s", method, m.raw)
		}
		p.result("session/close", object{"sessionId": session}, &object{})
	}
	m := p.call("session/resume", object{"sessionId": session, "cwd": other, "_meta": object{"relocate": true}})
	if m.Error != nil {
		t.Fatal(m.raw)
	}
	p.stopped(p.prompt(session, "and now?"))
	if body := string(p.model.Requests()[1].Body); !strings.Contains(body, "Blue.") {
		t.Errorf("the moved one knows nothing: %s", body)
	}
	p = p.again(t)
	if m := p.load("session/load", session, p.dir); m.Error == nil || m.Error.Data["cwd"] != other {
		t.Errorf("where it was: %s", m.raw)
	}
	if m := p.load("session/load", session, other); m.Error != nil {
		t.Errorf("where it is: %s", m.raw)
	}
	p.in.Close()
	p.ends("")
}

// A session that was made through a link is of the directory that the link led to,
// whatever becomes of the link.
func TestASessionOutlivesTheLinkItWasMadeThrough(t *testing.T) {
	p := startTwo(t, providertest.Text("Blue."))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.dir, link); err != nil {
		t.Fatal(err)
	}
	session := p.open(link)
	p.stopped(p.prompt(session, "a colour?"))
	p.result("session/close", object{"sessionId": session}, &object{})
	if err := errors.Join(os.Remove(link), os.Symlink(t.TempDir(), link)); err != nil {
		t.Fatal(err)
	}
	if m := p.load("session/load", session, p.dir); m.Error != nil {
		t.Errorf("where it is: %s", m.raw)
	}
	p.result("session/close", object{"sessionId": session}, &object{})
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if m := p.call("session/load", object{"sessionId": session, "cwd": t.TempDir(), "mcpServers": []any{}, "_meta": object{"relocate": true}}); m.Error != nil {
		t.Errorf("moved: %s", m.raw)
	}
	p.in.Close()
	p.ends("")
}

// A session that another process has is refused with its holder; one that nobody ever
// made is not found.
func TestASessionOfAnotherProcessNamesItsHolder(t *testing.T) {
	p := startTwo(t, providertest.Text("Blue."))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "a colour?"))
	q := &process{t: t, home: p.home, dir: p.dir, model: p.model}
	q.run(t, exec.Command(os.Args[0], "acp"))
	for _, method := range []string{"session/load", "session/resume", "session/delete"} {
		m := q.load(method, session, p.dir)
		holder, _ := "", error(nil)
		if m.Error != nil {
			holder, _ = m.Error.Data["holder"].(string)
		}
		if m.Error == nil || m.Error.Code != -32602 || !strings.Contains(holder, fmt.Sprint(p.cmd.Process.Pid)) {
			t.Errorf("%s: %s", method, m.raw)
		}
	}
	for _, id := range []string{"20200101-000000-abcdef", "../../etc", "a colour", ""} {
		if m := q.load("session/load", id, p.dir); m.Error == nil || m.Error.Code != -32002 {
			t.Errorf("%q: %s", id, m.raw)
		}
	}
	for _, each := range []*process{p, q} {
		each.in.Close()
		each.ends("")
	}
}

// AC-09: close returns after the turn stopped, and its prompt is answered before.
func TestAC09CloseStopsTheTurnFirst(t *testing.T) {
	command, words := sleeping(t)
	p := startTwo(t, providertest.Calls(bash(command)))
	session := p.open(p.dir)
	p.set(session, "tool_approval", "yolo")
	id := p.prompt(session, "x")
	protocoltest.Until(t, "the command runs", func() bool { return p.has("started") })
	s := p.status(session)
	if s.CurrentCall == nil || s.CurrentCall.Tool != "bash" || s.CurrentCall.Since == "" || len(s.ChildPids) == 0 {
		t.Errorf("status %+v", s)
	}
	closed := p.send("session/close", object{"sessionId": session})
	p.response(closed)
	if runs(words) {
		t.Error("the command outlives the answer to close")
	}
	_, at := p.find(0, "close is answered", func(m rpc) bool { return m.Method == "" && string(m.ID) == closed })
	_, prompt := p.find(0, "the prompt is answered", func(m rpc) bool { return m.Method == "" && string(m.ID) == id })
	if prompt > at || p.stopped(id) != "cancelled" {
		t.Error("the prompt was not answered before, as cancelled")
	}
	if m := p.call("session/prompt", said(session, "more")); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("a closed one is prompted: %s", m.raw)
	}
	p.result("session/close", object{"sessionId": session}, &object{}) // once more
	p.in.Close()
	p.ends(words)
}

// AC-03: while one session waits for its user, others are served.
func TestAC03OtherSessionsGoOnWhileOneAsks(t *testing.T) {
	p := startTwo(t, providertest.Calls(bash("touch made")), providertest.Text("B."))
	a := p.open(p.dir)
	id := p.prompt(a, "x")
	ask := p.asked()
	b := p.open(t.TempDir())
	p.result("session/list", object{}, &object{})
	if got := p.stopped(p.prompt(b, "y")); got != "end_turn" {
		t.Errorf("B stopped with %s", got)
	}
	p.model.Add(providertest.Text("A."))
	p.reply(ask, selected("allow_once"))
	p.stopped(id)
	p.in.Close()
	p.ends("")
}
