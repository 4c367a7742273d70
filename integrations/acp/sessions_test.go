//go:build unix

package acp_test

import (
	"encoding/json"
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

const twoModels = `default_model = "scripted/one"
[environment]
enabled = false
[[providers]]
name = "scripted"
kind = "openai"
base_url = %q
models = ["one", "two"]
api_key_env = ""
supported_efforts = ["low", "high"]
reasoning_protocol = "openai"
`

// startTwo is start with a choice of models.
func startTwo(t *testing.T, replies ...providertest.Reply) *process {
	t.Helper()
	model := providertest.New(t, replies...)
	p := prepare(t, fmt.Sprintf(twoModels, model.BaseURL()))
	p.model = model
	p.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "ask"))
	return p
}

// again ends the process and starts another in the same world.
func (p *process) again(t *testing.T, flags ...string) *process {
	t.Helper()
	p.in.Close()
	p.ends("")
	next := &process{t: t, home: p.home, dir: p.dir, model: p.model}
	next.run(t, exec.Command(os.Args[0], append([]string{"acp"}, flags...)...))
	return next
}

// openedSession is what a client learns of a session that it opens.
type openedSession struct {
	SessionID     string
	Models        struct{ CurrentModelID string }
	Modes         struct{ CurrentModeID string }
	ConfigOptions []configOption
	Meta          struct {
		Ours struct {
			Status sessionStatus
			Off    []string
		} `json:"reasonix.io"`
	} `json:"_meta"`
}

type configOption struct {
	ID, Category, CurrentValue string

	Options []struct{ Value string }
	Meta    object `json:"_meta"`
}

type setting struct {
	Effective string
	Queued    *string
}

type sessionStatus struct {
	State, Phase, Outcome, LastMessage, JournalPath, Cwd, LeaseHolder, Title, LastActivity string
	Sequence                                                                               int

	Model, Effort, Mode setting
	WorkMode            setting `json:"work_mode"`
	ToolApproval        setting `json:"tool_approval"`
	Plan                []struct{ Content, Status string }
	CurrentCall         *struct{ ID, Tool, Title, Since string }
	PendingRequest      *struct {
		Kind, Title, ToolCallID string
		Options                 []struct{ OptionID string }
	}
	Usage          struct{ InputTokens, OutputTokens int }
	BackgroundJobs []object
	ChildPids      []int
	Sandbox        object
}

func (p *process) status(session string) (s sessionStatus) {
	p.t.Helper()
	p.result("_reasonix.io/session/status", object{"sessionId": session}, &s)
	return s
}

func (p *process) set(session, option, value string) []configOption {
	p.t.Helper()
	var r struct{ ConfigOptions []configOption }
	p.result("session/set_config_option", object{"sessionId": session, "configId": option, "value": value}, &r)
	return r.ConfigOptions
}

func current(options []configOption) string {
	var all []string
	for _, o := range options {
		all = append(all, o.ID+"="+o.CurrentValue)
	}
	return strings.Join(all, " ")
}

func (p *process) load(method, session, cwd string) rpc {
	p.t.Helper()
	return p.call(method, object{"sessionId": session, "cwd": cwd, "mcpServers": []any{}})
}

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

// What is chosen while a turn runs waits for its end, is told so, and is in the sidecar
// all the while; the posture counts at once and answers what it would not have asked.
func TestAChangeDuringATurnIsQueuedAndThePostureCountsAtOnce(t *testing.T) {
	p := startTwo(t,
		providertest.Calls(bash("touch made")), providertest.Text("Made."), providertest.Text("As two."))
	session := p.open(p.dir)
	id := p.prompt(session, "make it")
	ask := p.asked()
	options := p.set(session, "model", "scripted/two")
	if got := options[0]; got.CurrentValue != "scripted/one" || got.Meta["reasonix.io"].(object)["queued"] != "scripted/two" {
		t.Errorf("the option says %+v", got)
	}
	s := p.status(session)
	if s.Model.Effective != "scripted/one" || s.Model.Queued == nil || *s.Model.Queued != "scripted/two" || s.State != "running" {
		t.Errorf("status %+v", s)
	}
	if s.Phase != "waiting_permission" || s.PendingRequest == nil || s.PendingRequest.Kind != "permission" || len(s.PendingRequest.Options) < 2 {
		t.Errorf("status of what is asked: %s, %+v", s.Phase, s.PendingRequest)
	}
	var side struct {
		Model  string
		Queued struct{ Model string }
	}
	text, err := os.ReadFile(strings.TrimSuffix(s.JournalPath, ".jsonl") + ".acp.json")
	if err != nil {
		t.Fatal(err)
	}
	decode(t, text, &side)
	if side.Model != "scripted/one" || side.Queued.Model != "scripted/two" {
		t.Errorf("the sidecar says %s", text)
	}
	p.next("the change is told", func(m rpc) bool {
		return strings.Contains(m.raw, "config_option_update") && strings.Contains(m.raw, `"queued":"scripted/two"`)
	})
	p.set(session, "tool_approval", "auto") // leaves it pending
	if s := p.status(session); s.PendingRequest == nil || s.ToolApproval.Effective != "auto" {
		t.Errorf("auto: %+v", s)
	}
	p.set(session, "tool_approval", "danger-full-access")
	if got := p.stopped(id); got != "end_turn" || !p.has("made") {
		t.Errorf("stopped with %s", got)
	}
	p.reply(ask, selected("reject_once")) // too late
	protocoltest.Until(t, "the other model counts", func() bool {
		s = p.status(session)
		return s.Model.Effective == "scripted/two" && s.Model.Queued == nil
	})
	if s.ToolApproval.Effective != "yolo" || s.Title != "make it" || s.Phase != "idle" {
		t.Errorf("after the turn: %+v", s)
	}
	p.stopped(p.prompt(session, "who?"))
	if body := string(p.model.Requests()[2].Body); !strings.Contains(body, `"model":"two"`) {
		t.Errorf("the next turn asks %s", body)
	}
	p.in.Close()
	p.ends("")
}

func TestWhatCannotBeChosenIsSaidWithWhatCan(t *testing.T) {
	p := startTwo(t)
	session := p.open(p.dir)
	for _, c := range []struct {
		method         string
		params         object
		option, value  string
		allowed        []any
		configurations bool
	}{
		{method: "session/set_config_option", params: object{"configId": "model", "value": "nope"}, option: "model", value: "nope", allowed: []any{"scripted/one", "scripted/two"}},
		{method: "session/set_config_option", params: object{"configId": "effort", "value": "max"}, option: "effort", value: "max", allowed: []any{"auto", "low", "high"}},
		{method: "session/set_config_option", params: object{"configId": "work_mode", "value": "delivery"}, option: "work_mode", value: "delivery", allowed: []any{"balanced", "economy"}},
		{method: "session/set_config_option", params: object{"configId": "tool_approval", "value": "never"}, option: "tool_approval", value: "never", allowed: []any{"ask", "auto", "yolo"}},
		{method: "session/set_config_option", params: object{"configId": "profile", "value": "x"}, option: "profile", value: "x", allowed: []any{"model", "effort", "work_mode", "tool_approval"}},
		{method: "session/set_mode", params: object{"modeId": "plan"}, option: "mode", value: "plan", allowed: []any{"normal"}},
		{method: "session/set_model", params: object{"modelId": "one"}, option: "model", value: "one", allowed: []any{"scripted/one", "scripted/two"}},
		{method: "_reasonix.io/session/steer", params: object{"whenIdle": "wait", "prompt": []any{}}, option: "whenIdle", value: "wait", allowed: []any{"error", "prompt", "queue"}},
	} {
		c.params["sessionId"] = session
		m := p.call(c.method, c.params)
		if m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%v: %s", c.params, m.raw)
			continue
		}
		d := m.Error.Data
		if d["option"] != c.option || d["value"] != c.value || !cmp.Equal(d["allowed"], any(c.allowed)) {
			t.Errorf("%v: %s", c.params, m.raw)
		}
	}
	if m := p.call("session/set_config_option", object{"sessionId": session, "configId": "model", "value": 5}); m.Error == nil || m.Error.Code != -32602 {
		t.Error(m.raw)
	}
	for _, ok := range []object{{"modeId": "normal"}, {"modeId": "default"}, {"modeId": "auto"}} {
		ok["sessionId"] = session
		p.result("session/set_mode", ok, &object{})
	}
	if s := p.status(session); s.ToolApproval.Effective != "auto" || s.Mode.Effective != "normal" {
		t.Errorf("%+v", s)
	}
	p.result("session/set_model", object{"sessionId": session, "modelId": "scripted/two"}, &object{})
	if s := p.status(session); s.Model.Effective != "scripted/two" || s.Effort.Effective != "auto" {
		t.Errorf("%+v", s)
	}
	p.in.Close()
	p.ends("")
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

// Two clients in one directory: who wants to write waits visibly and can be cancelled,
// who reads does not wait.
func TestTheWorkspaceIsWaitedForVisibly(t *testing.T) {
	command, words := sleeping(t)
	p := startTwo(t, providertest.Calls(bash(command)))
	first := p.open(p.dir)
	p.set(first, "tool_approval", "yolo")
	running := p.prompt(first, "x")
	protocoltest.Until(t, "the command runs", func() bool { return p.has("started") })

	other := providertest.New(t,
		providertest.Calls(providertest.Call{Name: "ls", Arguments: `{}`}), providertest.Text("Looked."),
		providertest.Calls(bash("touch second")), providertest.Text("never"))
	q := prepare(t, "")
	q.home, q.dir, q.model = p.home, p.dir, other
	if err := os.WriteFile(filepath.Join(q.home, "config.toml"), []byte(fmt.Sprintf(twoModels, other.BaseURL())), 0o600); err != nil {
		t.Fatal(err)
	}
	q.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "yolo"))
	second := q.open(q.dir)
	if got := q.stopped(q.prompt(second, "look")); got != "end_turn" {
		t.Errorf("the reader stopped with %s", got)
	}
	id := q.prompt(second, "write")
	var s sessionStatus
	protocoltest.Until(t, "it waits for the workspace", func() bool {
		s = q.status(second)
		return s.Phase == "waiting_workspace"
	})
	if s.LeaseHolder == "" || s.State != "running" {
		t.Errorf("%+v", s)
	}
	q.write(notification("session/cancel", object{"sessionId": second}))
	if got := q.stopped(id); got != "cancelled" {
		t.Errorf("the waiting one stopped with %s", got)
	}
	p.write(notification("session/cancel", object{"sessionId": first}))
	p.stopped(running)
	for _, each := range []*process{p, q} {
		each.in.Close()
		each.ends(words)
	}
}

func TestStatusUpdatesAreForWhoAsks(t *testing.T) {
	p := startTwo(t, providertest.Text("One."), providertest.Text("Two."))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "x"))
	for _, m := range p.all() {
		if strings.HasPrefix(m.Method, "_") {
			t.Errorf("unasked: %s", m.raw)
		}
	}
	p.result("initialize", object{"protocolVersion": 1, "clientCapabilities": object{"_meta": object{"reasonix.io": object{"statusUpdate": true}}}}, &object{})
	asked := p.open(p.dir)
	p.stopped(p.prompt(asked, "x"))
	var events []string
	for _, m := range p.all() {
		if m.Method != "_reasonix.io/session/status_update" {
			continue
		}
		var u struct {
			SessionID, Event string
			Sequence         int
			Status           sessionStatus
		}
		decode(t, m.Params, &u)
		if u.SessionID != asked || u.Status.LastActivity == "" || u.Sequence != u.Status.Sequence {
			t.Errorf("%s", m.raw)
		}
		events = append(events, u.Event)
	}
	for _, want := range []string{"phase", "usage", "completion"} {
		if !slices.Contains(events, want) {
			t.Errorf("no %s among %v", want, events)
		}
	}
	p.in.Close()
	p.ends("")
}

func TestSteersSayWhatBecameOfThem(t *testing.T) {
	p := startTwo(t, providertest.Calls(bash("touch made")), providertest.Text("Both."), providertest.Text("Begun."), providertest.Text("Queued."))
	session := p.open(p.dir)
	id := p.prompt(session, "x")
	ask := p.asked()
	type result struct {
		Disposition string
		Seq         int
	}
	steer := func(word, whenIdle string) (r result) {
		params := said(session, word)
		params["whenIdle"] = whenIdle
		p.result("_reasonix.io/session/steer", params, &r)
		return r
	}
	got := steer("and mind the gap", "error")
	if got.Disposition != "steered" {
		t.Errorf("%+v", got)
	}
	if want := fmt.Sprintf(`{"seq":%d,`, got.Seq); !strings.Contains(p.line(want), `"kind":"steer"`) {
		t.Errorf("record %d is %s", got.Seq, p.line(want))
	}
	p.reply(ask, selected("allow_once"))
	p.stopped(id)
	for whenIdle, want := range map[string]string{"prompt": "started", "queue": "queued"} {
		seq := p.status(session).Sequence
		got := steer("go "+whenIdle, whenIdle)
		if got.Disposition != want || got.Seq <= seq {
			t.Errorf("%s: %+v behind %d", whenIdle, got, seq)
		}
		protocoltest.Until(t, "its turn is over", func() bool {
			s := p.status(session)
			return s.State == "idle" && s.Sequence > got.Seq+2
		})
	}
	p.in.Close()
	p.ends("")
}

// line is the line of the only journal that begins so.
func (p *process) line(begins string) string {
	for line := range strings.Lines(p.journal()) {
		if strings.HasPrefix(line, begins) {
			return line
		}
	}
	return ""
}

func TestForkRewindAndCompact(t *testing.T) {
	p := startTwo(t, providertest.Text("Blue."), providertest.Text("Red."), providertest.Text("Forked."))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "a colour?"))
	p.stopped(p.prompt(session, "another?"))
	var fork openedSession
	p.result("_reasonix.io/session/fork", object{"sessionId": session}, &fork)
	if fork.SessionID == "" || fork.SessionID == session || fork.Meta.Ours.Status.LastMessage != "Red." {
		t.Errorf("%+v", fork)
	}
	var second string
	for line := range strings.Lines(p.journalOf(session)) {
		var rec struct {
			Type string
			Data struct {
				Display string
				Message struct{ ID string }
			}
		}
		if json.Unmarshal([]byte(line), &rec) == nil && rec.Type == "user.said" && rec.Data.Display == "another?" {
			second = rec.Data.Message.ID
		}
	}
	var rewound struct {
		Head, Was      string
		Restored, Kept []any
	}
	p.result("_reasonix.io/session/rewind", object{"sessionId": fork.SessionID, "to": second}, &rewound)
	if rewound.Head == "" || rewound.Was == rewound.Head {
		t.Errorf("%+v", rewound)
	}
	p.stopped(p.prompt(fork.SessionID, "go on"))
	if body := string(p.model.Requests()[2].Body); strings.Contains(body, "another?") || !strings.Contains(body, "a colour?") {
		t.Errorf("the fork says %s", body)
	}
	for _, bad := range []object{{"sessionId": session}, {"sessionId": session, "to": "nope"}} {
		if m := p.call("_reasonix.io/session/rewind", bad); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%v: %s", bad, m.raw)
		}
	}
	p.result("_reasonix.io/session/compact", object{"sessionId": session, "focus": "colours"}, &object{})
	if m := p.call("_reasonix.io/session/fork", object{"sessionId": "nope"}); m.Error == nil || m.Error.Code != -32002 {
		t.Error(m.raw)
	}
	p.in.Close()
	p.ends("")
}

func (p *process) journalOf(session string) string {
	p.t.Helper()
	text, err := os.ReadFile(p.status(session).JournalPath)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// What a project declares and nobody granted stays off and is named; --trust grants it.
func TestUngrantedPartsAreNamed(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		p := prepare(t, fmt.Sprintf(twoModels, "http://127.0.0.1:1/v1"))
		if err := os.WriteFile(filepath.Join(p.dir, "reasonix.toml"), []byte("[permissions]\nallow = [\"Bash(make:*)\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"acp", "--work-mode", "economy", "--add-dir", t.TempDir()}
		if trusted {
			args = append(args, "--trust")
		}
		p.run(t, exec.Command(os.Args[0], args...))
		var opened openedSession
		p.result("session/new", object{"cwd": p.dir, "mcpServers": []any{}}, &opened)
		if off := opened.Meta.Ours.Off; (len(off) == 0) != trusted {
			t.Errorf("trust %v: off %v", trusted, off)
		}
		s := opened.Meta.Ours.Status
		if s.WorkMode.Effective != "economy" || len(s.Sandbox["allow_write"].([]any)) == 0 || s.Sandbox["workspace_root"] != p.dir || s.Sandbox["config_file"] == "" {
			t.Errorf("%+v", s)
		}
		p.in.Close()
		p.ends("")
	}
}
