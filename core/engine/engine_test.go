package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/agent"
	"reasonix/core/compaction"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/message"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider"
	_ "reasonix/core/provider/openai"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
	"reasonix/core/session/sessiontest"
	"reasonix/core/tool"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// world is an engine on a store in memory and a strict model server.
type world struct {
	*engine.Engine
	store  *sessiontest.Fake
	model  *providertest.Server
	policy permission.Policy
	deny   bool // headless
	keep   func(context.Context, []string) (string, error)
	lent   engine.Services // to the newest session
	tools  []tool.Tool
	window int // of the model, in tokens
	box    archive
	hooks  hook.Runner          // nil: there are none
	plans  *providertest.Server // the planner; nil: there is none
	stuck  error                // of closing the planner
	judge  engine.Guardian
	change func(*engine.Organs) // before the session gets them; nil: nothing
}

func newWorld(t *testing.T, tools ...tool.Tool) *world {
	t.Helper()
	w := &world{store: sessiontest.Memory(), model: providertest.New(t), tools: tools, policy: permission.Policy{Mode: permission.Ask}}
	var ids, sessions atomic.Int64
	w.Engine = engine.New(engine.Parts{
		Store: func(string) (session.Store, error) { return w.store, nil },
		Build: w.build,
		Now:   time.Now,
		NewID: func() string { return fmt.Sprintf("id%d", ids.Add(1)) },
		NewSession: func() event.SessionID {
			return event.SessionID(fmt.Sprintf("20260101T000000Z-%06x", sessions.Add(1)))
		},
		Writer: "test",
	})
	return w
}

func (w *world) build(_ context.Context, spec protocol.Spec, s engine.Services) (engine.Organs, error) {
	model := "scripted/one"
	if spec.Model != "" {
		model = spec.Model
	}
	o, err := w.organs(w.model, model, "be brief", w.tools, spec, s)
	w.lent = s
	if w.change != nil && err == nil {
		w.change(&o)
	}
	if w.plans != nil {
		o.Planner = &engine.Planner{
			Model: "planner/two", Continues: func(typed string) bool { return typed == "continue" },
			Build: func(_ context.Context, s engine.Services) (engine.Organs, error) {
				readers := slices.DeleteFunc(slices.Clone(w.tools), func(t tool.Tool) bool { return !t.ReadOnly() })
				o, err := w.organs(w.plans, "planner/two", "plan", readers, protocol.Spec{}, s)
				o.Close = func() error { return w.stuck }
				return o, err
			},
		}
	}
	return o, err
}

// organs are those of one model with its own system text and tools.
func (w *world) organs(at *providertest.Server, model, system string, own []tool.Tool, spec protocol.Spec, s engine.Services) (engine.Organs, error) {
	p, err := provider.New("openai", provider.Config{Name: "scripted", BaseURL: at.BaseURL(), Model: "one"})
	if err != nil {
		return engine.Organs{}, err
	}
	tools, err := tool.NewRegistry(tool.NewEnv(tool.Env{Ask: s.Ask}), nil, own...)
	if err != nil {
		return engine.Organs{}, err
	}
	unasked := permission.Allow
	if w.deny {
		unasked = permission.Deny
	}
	return engine.Organs{
		System: system, Close: func() error { return nil },
		Approvals: engine.Approvals{
			Policy: w.policy, Posture: permission.Posture(spec.Approval), Unasked: unasked, Guardian: w.judge,
			Sandbox: func() string { return "held in the test" }, Keep: w.keep,
		},
		Extensions: engine.Extensions{Hooks: w.hooks},
		Working: engine.Working{Configured: event.Configured{Model: model, Approval: spec.Approval}, Tools: tools, Runner: func(c event.Configured) (agent.Runner, error) {
			return agent.New(agent.Parts{
				Provider: p, Model: c.Model, Price: &provider.Price{Input: 1, Output: 1, Currency: "USD"}, Tools: tools, Gate: s.Gate, Emit: s.Emit, Steer: s.Steer, Save: s.Save, Writing: s.Writing, Hooks: s.Hooks, Limits: spec.Limits.Over(event.Limits{}),
				NewID: func() string { return "a" + fmt.Sprint(time.Now().UnixNano()) }, Now: time.Now,
				Retry: provider.Retry{Base: time.Millisecond, Max: time.Millisecond}, Compact: s.Compact,
				Compactor: &agent.Compactor{
					Settings: compaction.Settings{Window: w.window}, Archive: &w.box, Failed: s.Failed, Noticed: s.Filling,
				},
			}), nil
		}},
	}, nil
}

func (w *world) open(t *testing.T, spec protocol.Spec) protocol.Session {
	t.Helper()
	spec.Workspace = "/work"
	s, err := w.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fn is a tool made of a function.
type fn struct {
	name  string
	reads bool
	run   func(ctx context.Context) (string, error)
}

func (f fn) Name() string            { return f.name }
func (f fn) Description() string     { return "a test tool" }
func (f fn) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (f fn) ReadOnly() bool          { return f.reads }
func (f fn) Execute(ctx context.Context, _ json.RawMessage) (string, error) {
	return f.run(ctx)
}

func touch(n *atomic.Int64) fn {
	return fn{"touch", false, func(context.Context) (string, error) { n.Add(1); return "touched", nil }}
}

// say is Say with an id that no other client of the session used.
func say(t *testing.T, c *protocoltest.Client, id event.PromptID) event.TurnEnded {
	t.Helper()
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: id, Text: "more"}); err != nil {
		t.Fatal(err)
	}
	return c.Ended(id)
}

// notices are those of one code that were recorded.
func notices(c *protocoltest.Client, code string) []event.Notice {
	return slices.DeleteFunc(protocoltest.Payloads[event.Notice](c.Durable()), func(n event.Notice) bool { return n.Code != code })
}

func one(name string) providertest.Reply { return providertest.Calls(providertest.Call{Name: name}) }

func TestSessionContract(t *testing.T) {
	protocoltest.Run(t, func(t *testing.T) protocoltest.Rig {
		w := newWorld(t)
		var mu sync.Mutex
		var gate chan struct{}
		var script []string
		w.model.Respond(func(*providertest.Received) providertest.Reply {
			mu.Lock()
			defer mu.Unlock()
			text := "ok"
			if len(script) > 0 {
				text, script = script[0], script[1:]
			}
			half := len(text) / 2
			quote := func(s string) string { b, _ := json.Marshal(s); return `"content":` + string(b) }
			r := providertest.Raw(providertest.Delta(quote(text[:half])), providertest.Delta(quote(text[half:])),
				providertest.Finish("stop"), providertest.Done)
			if gate != nil {
				r = r.GateAt(1, gate)
			}
			return r
		})
		return protocoltest.Rig{
			Open: w, Library: w, Spec: protocol.Spec{Workspace: "/work"},
			Reply: func(replies ...string) { mu.Lock(); script = append(script, replies...); mu.Unlock() },
			Hold: func() func() {
				mu.Lock()
				defer mu.Unlock()
				g := make(chan struct{})
				gate = g
				return sync.OnceFunc(func() {
					mu.Lock()
					defer mu.Unlock()
					close(g)
					gate = nil
				})
			},
		}
	})
}

func TestAResumedSessionSendsTheSameBytesAndGoesOn(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.model.Add(one("touch"), providertest.Text("first"), one("touch"), providertest.Text("second"))
	s := w.open(t, protocol.Spec{})
	protocoltest.NewClient(t, s, nil).Say("do it")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := w.open(t, protocol.Spec{Session: s.ID()})
	if ended := say(t, protocoltest.NewClient(t, again, nil), "p2"); ended.Outcome != event.Completed {
		t.Fatalf("ended %+v", ended)
	}
	w.model.CheckPrefix(t)
	if n.Load() != 2 {
		t.Errorf("%d calls ran", n.Load())
	}
}

func TestHeadlessAskIsAllowedOrRefused(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.model.Add(one("touch"), providertest.Text("done"))
	if ended := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil).Say("x"); ended.Outcome != event.Completed || n.Load() != 1 {
		t.Errorf("allow: %+v, %d calls", ended, n.Load())
	}
	// HL-02: refused, its own outcome, and the rule that would allow it is told.
	w.deny = true
	w.model.Add(one("touch"), providertest.Text("then not"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Denied || n.Load() != 1 {
		t.Errorf("deny: %+v, %d calls", ended, n.Load())
	}
	finished := protocoltest.Payloads[event.ToolFinished](c.Durable())
	if len(finished) != 1 || finished[0].Status != event.StatusDenied || !strings.Contains(finished[0].Reason, "a rule that allows it: touch") {
		t.Errorf("results %+v", finished)
	}
}

func TestADenyRuleIsNotTheDeniedOutcome(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.policy.Deny = []permission.Rule{{Tool: "touch"}}
	w.model.Add(one("touch"), providertest.Text("fine"))
	for _, posture := range []string{"yolo"} {
		if ended := protocoltest.NewClient(t, w.open(t, protocol.Spec{Approval: posture}), nil).Say("x"); ended.Outcome != event.Completed || n.Load() != 0 {
			t.Errorf("%s: %+v, %d calls", posture, ended, n.Load())
		}
	}
}

func TestAPersonIsAskedOnceForTheSession(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.model.Add(one("touch"), one("touch"), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_session"))
	if ended := c.Say("x"); ended.Outcome != event.Completed || n.Load() != 2 {
		t.Errorf("%+v, %d calls", ended, n.Load())
	}
	asked, granted := protocoltest.Payloads[event.Asked](c.Durable()), protocoltest.Payloads[event.Granted](c.Durable())
	if len(asked) != 1 || len(granted) != 1 || granted[0].Rule != asked[0].Question.Rule {
		t.Errorf("asked %+v, granted %+v", asked, granted)
	}
}

func TestCancelResolvesAQuestion(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.model.Add(one("touch"))
	s := w.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	q := protocoltest.Wait[event.Asked](t, c.Collector, nil)
	if err := s.Submit(t.Context(), protocol.Cancel{Reason: "sigint"}); err != nil {
		t.Fatal(err)
	}
	if ended := c.Ended("p"); ended.Outcome != event.Cancelled || ended.Reason != "sigint" || n.Load() != 0 {
		t.Errorf("ended %+v, %d calls", ended, n.Load())
	}
	if err := s.Submit(t.Context(), protocol.Answer{ID: q.Question.ID}); !errors.Is(err, protocol.ErrStale) {
		t.Errorf("a late answer: %v", err)
	}
	w.model.Add(providertest.Text("going on"))
	if ended := c.Say("next"); ended.Outcome != event.Completed {
		t.Errorf("the next turn: %+v", ended)
	}
}

func TestSteeringIsJournaledAndReadAtTheNextStep(t *testing.T) {
	inCall, goOn := make(chan struct{}), make(chan struct{})
	wait := fn{"wait", true, func(context.Context) (string, error) { close(inCall); <-goOn; return "waited", nil }}
	w := newWorld(t, wait)
	w.model.Add(one("wait"), providertest.Text("both done"))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	<-inCall
	if err := s.Submit(t.Context(), protocol.Steer{ID: "s", Text: "mind the tests"}); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	c.Ended("p")
	last := w.model.Requests()[1]
	if last.Last().Content != "mind the tests" {
		t.Errorf("the model read last: %+v", last.Last())
	}
	said := protocoltest.Payloads[event.UserSaid](c.Durable())
	if len(said) != 2 || said[1].Prompt != "s" {
		t.Errorf("said %+v", said)
	}
}

func TestSteeringTheTurnDidNotTakeBecomesTheNextTurn(t *testing.T) {
	w := newWorld(t)
	gate := make(chan struct{})
	w.model.Add(providertest.Raw(providertest.Delta(`"content":"a"`), providertest.Finish("stop"), providertest.Done).GateAt(1, gate), providertest.Text("b"), providertest.Text("c"))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait[event.TextDelta](t, c.Collector, nil)
	if err := s.Submit(t.Context(), protocol.Steer{ID: "s", Text: "later"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(t.Context(), protocol.Cancel{Prompt: "p"}); err != nil {
		t.Fatal(err)
	}
	c.Ended("p")
	if ended := c.Ended("s"); ended.Outcome != event.Completed {
		t.Errorf("the steered turn: %+v", ended)
	}
	close(gate)
}

// SE-05: a call without a result is answered when the session is opened again.
func TestSE05DanglingCallIsMendedOnce(t *testing.T) {
	w := newWorld(t)
	log, err := w.store.Create(t.Context(), session.Meta{ID: "20260101T000000Z-00000a", Workspace: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	events := []event.Payload{
		event.Configured{Model: "scripted/one"},
		event.PrefixSet{System: "be brief"},
		event.PromptQueued{ID: "p", Kind: event.KindPrompt, Display: "x"},
		event.TurnStarted{Prompt: "p"},
		event.UserSaid{Prompt: "p", Message: message.Message{ID: "1", Role: message.User, Content: "x"}},
		event.Replied{Message: message.Message{ID: "2", Role: message.Assistant, ToolCalls: []message.ToolCall{
			{ID: "a", Name: "touch", Arguments: "{}"}, {ID: "b", Name: "touch", Arguments: "{}"}, {ID: "c", Name: "touch", Arguments: "{}"},
		}}},
		event.ToolStarted{Call: "b"},
		event.ToolFinished{Call: "b", Status: event.StatusOK, Message: message.Message{ID: "3", Role: message.ToolRole, ToolCallID: "b", Content: "touched"}},
		event.ToolStarted{Call: "a"},
		event.ToolFinished{Call: "zzz", Message: message.Message{ID: "4", Role: message.ToolRole, ToolCallID: "zzz", Content: "?"}},
		event.PromptQueued{ID: "later", Kind: event.KindPrompt, Display: "and this"},
	}
	for i, p := range events {
		if err := log.Append(event.Envelope{Seq: event.Seq(i + 1), Time: time.Now(), Turn: 1, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		s := w.open(t, protocol.Spec{Session: "20260101T000000Z-00000a"})
		c := protocoltest.Collect(t.Context(), s, 0)
		protocoltest.Wait[event.CaughtUp](t, c, nil)
		repaired := protocoltest.Payloads[event.Repaired](c.Durable())
		if len(repaired) != 1 {
			t.Fatalf("opening %d: repaired %+v, want one record for ever", round+1, repaired)
		}
		if diff := cmp.Diff(repaired[0].Answered, []string{"a", "c"}); diff != "" {
			t.Error(diff)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.model.Add(providertest.Text("ok"))
	s := w.open(t, protocol.Spec{Session: "20260101T000000Z-00000a"})
	if ended := protocoltest.NewClient(t, s, nil).Say("go on"); ended.Outcome != event.Completed {
		t.Fatalf("ended %+v", ended)
	}
	req := w.model.Requests()[0]
	var got []string
	for _, m := range req.Messages {
		got = append(got, m.Role+" "+m.ToolCallID)
	}
	if diff := cmp.Diff(got, []string{"system ", "user ", "assistant ", "tool a", "tool b", "tool c", "user ", "user "}); diff != "" {
		t.Error(diff)
	}
	results := strings.Join(req.Results(), "|")
	if !strings.Contains(results, "may have had effects") || !strings.Contains(results, "not run: reasonix was stopped before") {
		t.Errorf("results %s", results)
	}
}

// job is a tool that starts a background job and ends it before it returns, or
// never.
func job(w *world, ends bool) fn {
	return fn{"job", false, func(ctx context.Context) (string, error) {
		note := tool.CallFrom(ctx).Note
		err := note(event.JobStarted{Job: "bash-1", Title: "sleep 9"})
		if ends {
			code := 3
			err = errors.Join(err, note(event.JobEnded{Job: "bash-1", Status: event.JobFailed, Exit: &code}))
		}
		return "started bash-1", err
	}}
}

func TestAJobThatEndedIsReportedAtTheNextStep(t *testing.T) {
	w := newWorld(t)
	w.tools = []tool.Tool{job(w, true)}
	w.model.Add(one("job"), providertest.Text("seen"))
	protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil).Say("x")
	want := "[host] background bash failed: needs attention (job bash-1, exit code 3): sleep 9"
	if got := w.model.Requests()[1].Last().Content; got != want {
		t.Errorf("the model read %q, want %q", got, want)
	}
}

func TestAJobThatReasonixLeftIsReportedOnResume(t *testing.T) {
	w := newWorld(t)
	w.tools = []tool.Tool{job(w, false)}
	w.model.Add(one("job"), providertest.Text("waiting"), providertest.Text("seen"))
	s := w.open(t, protocol.Spec{})
	protocoltest.NewClient(t, s, nil).Say("x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: s.ID()}), nil)
	say(t, c, "p2")
	if got := w.model.Requests()[2].Last().Content; !strings.Contains(got, "bash-1 ended when reasonix was stopped: sleep 9") {
		t.Errorf("the model read %q", got)
	}
	w.model.CheckPrefix(t)
}

func TestAJournalThatFailsIsTold(t *testing.T) {
	w := newWorld(t)
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	gate := make(chan struct{})
	w.model.Add(providertest.Text("lost").Gate(gate))
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := w.model.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	w.store.FailAppends(errors.New("no space left on device"))
	close(gate)
	ended := c.Ended("p")
	if ended.Outcome != event.Internal || !strings.Contains(ended.Detail, "no space left on device") {
		t.Errorf("ended %+v", ended)
	}
	w.store.FailAppends(nil)
	w.model.Add(providertest.Text("fine"))
	if ended := c.Say("again"); ended.Outcome != event.Completed {
		t.Errorf("after room was made: %+v", ended)
	}
}

func TestAModelSwitchOnResumeIsAStatedBreak(t *testing.T) {
	w := newWorld(t)
	w.model.Add(providertest.Text("one"), providertest.Text("two"))
	s := w.open(t, protocol.Spec{})
	protocoltest.NewClient(t, s, nil).Say("x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: s.ID(), Model: "scripted/two"}), nil)
	say(t, c, "p2")
	replies := protocoltest.Payloads[event.Replied](c.Durable())
	if b := replies[len(replies)-1].Break; b == nil || b.Part != "model" {
		t.Errorf("break %+v", b)
	}
}

// Cancel, steer and answer race with the end of the turn: whatever wins, every
// prompt ends once and the session goes on.
func TestCancelSteerAndAnswerRaceWithTheEnd(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		if r.Last().Role == "user" {
			return one("touch")
		}
		return providertest.Text("done")
	})
	s := w.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, protocoltest.Choose("allow_once"))
	for i := range 60 {
		id := event.PromptID(fmt.Sprint("p", i))
		if err := s.Submit(t.Context(), protocol.Prompt{ID: id, Text: "x", Queue: true}); err != nil {
			t.Fatal(err)
		}
		var g sync.WaitGroup
		g.Go(func() {
			err := s.Submit(t.Context(), protocol.Steer{ID: "s" + id, Text: "y", IfIdle: protocol.SteerRefuse})
			if err != nil && !errors.Is(err, protocol.ErrStale) {
				t.Errorf("steer: %v", err)
			}
		})
		g.Go(func() {
			if i%3 == 0 {
				return
			}
			if err := s.Submit(t.Context(), protocol.Cancel{Prompt: id}); err != nil {
				t.Errorf("cancel: %v", err)
			}
		})
		g.Wait()
		c.Ended(id)
	}
	protocoltest.Until(t, "every accepted prompt has ended", func() bool {
		ended := map[event.PromptID]int{}
		for _, e := range protocoltest.Payloads[event.TurnEnded](c.Durable()) {
			ended[e.Prompt]++
		}
		said := map[event.PromptID]bool{}
		for _, e := range protocoltest.Payloads[event.UserSaid](c.Durable()) {
			said[e.Prompt] = true
		}
		for _, q := range protocoltest.Payloads[event.PromptQueued](c.Durable()) {
			if q.Kind == event.KindPrompt && ended[q.ID] != 1 || q.Kind == event.KindSteer && !said[q.ID] && ended[q.ID] == 0 {
				return false
			}
		}
		return true
	})
}
