package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/agent"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/tool"
)

func set(s string) *string { return &s }

// choosing lets a session change its model to any but scripted/none.
func choosing(w *world) {
	w.change = func(o *engine.Organs) {
		runner, tools := o.Runner, o.Tools
		o.Offered = func(c event.Configured) event.Offered {
			return event.Offered{Models: []string{"scripted/one", "scripted/two"}, Efforts: []string{c.Model}}
		}
		o.Reconfigure = func(_ context.Context, next event.Configured) (engine.Working, error) {
			if next.Model == "scripted/none" {
				return engine.Working{}, &protocol.BadOp{Op: "Configure", Field: "Model", Reason: "no such model"}
			}
			return engine.Working{Configured: next, Tools: tools, Runner: runner}, nil
		}
	}
}

func newest[T event.Payload](t *testing.T, s protocol.Session) (last T) {
	t.Helper()
	for e, err := range s.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.Payload.(T); ok {
			last = p
		}
		if _, ok := e.Payload.(event.Offered); ok {
			return last // sticky: the replay is over
		}
	}
	return last
}

func TestAnotherModelCountsFromTheNextTurnAndKeepsTheConversation(t *testing.T) {
	w := newWorld(t)
	choosing(w)
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	release := make(chan struct{})
	w.model.Add(providertest.Text("first").GateAt(0, release), providertest.Text("second"))
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p1", Text: "one"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait(t, c.Collector, func(event.TurnStarted) bool { return true })
	if err := s.Submit(t.Context(), protocol.Configure{Model: set("scripted/two")}); err != nil {
		t.Fatal(err)
	}
	if o := protocoltest.Wait(t, c.Collector, func(o event.Offered) bool { return o.Deferred != nil }); o.Deferred.Model != "scripted/two" {
		t.Errorf("deferred %+v", o.Deferred)
	}
	if got := newest[event.Configured](t, s); got.Model != "scripted/one" {
		t.Errorf("during the turn the session works with %s", got.Model)
	}
	close(release)
	c.Ended("p1")
	got := protocoltest.Wait(t, c.Collector, func(e event.Configured) bool { return e.Model == "scripted/two" })
	if got.By != event.BySession {
		t.Errorf("configured by %q", got.By)
	}
	say(t, c, "p2")
	replied := protocoltest.Payloads[event.Replied](c.Durable())
	if len(replied) != 2 || replied[1].Model != "scripted/two" || replied[1].Break == nil || replied[1].Break.Part != "model" {
		t.Errorf("the second reply: %+v", replied)
	}
	if body := string(w.model.Requests()[1].Body); !strings.Contains(body, "first") {
		t.Error("the other model does not know what was said")
	}
}

func TestAConfigurationNobodyCanActOnChangesNothing(t *testing.T) {
	w := newWorld(t)
	choosing(w)
	s := w.open(t, protocol.Spec{Approval: "ask"})
	for field, op := range map[string]protocol.Configure{
		"Model":    {Model: set("scripted/none"), Approval: set("yolo")},
		"Approval": {Model: set("scripted/two"), Approval: set("always")},
		"Mode":     {Mode: set("plan"), Title: set("x")},
		"WorkMode": {WorkMode: set("fast")},
		"AddDirs":  {AddDirs: []string{"/x"}, Title: set("x")},
	} {
		var bad *protocol.BadOp
		if err := s.Submit(t.Context(), op); !errors.As(err, &bad) || bad.Field != field {
			t.Errorf("%+v: %v", op, err)
		}
	}
	if got := newest[event.Configured](t, s); got.Model != "scripted/one" || got.Approval != "ask" || got.Title != "" {
		t.Errorf("now %+v", got)
	}
}

// A posture counts from the next call on. Yolo answers the question that is open, and
// only for a call it would not have asked about.
func TestAPostureCountsAtTheNextCall(t *testing.T) {
	for _, to := range []string{"auto", "yolo"} {
		t.Run(to, func(t *testing.T) {
			w, ran := bashWorld(t)
			s := w.open(t, protocol.Spec{Approval: "ask", Interactive: true})
			c := protocoltest.NewClient(t, s, nil) // answers nothing
			w.model.Add(bash("touch a"), bash("touch b"), providertest.Text("done"))
			if err := s.Submit(t.Context(), protocol.Prompt{ID: "p1", Text: "go"}); err != nil {
				t.Fatal(err)
			}
			q := protocoltest.Wait(t, c.Collector, func(event.Asked) bool { return true }).Question
			if err := s.Submit(t.Context(), protocol.Configure{Approval: set(to)}); err != nil {
				t.Fatal(err)
			}
			if to == "auto" {
				if err := s.Submit(t.Context(), protocol.Answer{ID: q.ID, Answer: event.Answer{Choice: []string{"allow_once"}}}); err != nil {
					t.Fatalf("the question is not open any more: %v", err)
				}
			}
			if ended := c.Ended("p1"); ended.Outcome != event.Completed || len(*ran) != 2 {
				t.Errorf("%+v, %d calls ran", ended, len(*ran))
			}
			answered := protocoltest.Payloads[event.Answered](c.Durable())
			if by := map[string]string{"auto": event.ByUser, "yolo": event.ByPolicy}[to]; len(answered) != 1 || answered[0].By != by {
				t.Errorf("answers: %+v", answered)
			}
		})
	}
}

// previewed is a tool whose question takes a while to be put.
type previewed struct {
	fn
	preview func()
}

func (p previewed) Subject(json.RawMessage) tool.Subject {
	return tool.Subject{Preview: func(context.Context) []event.Diff { p.preview(); return nil }}
}

// Yolo also counts for a question that is being prepared: while hooks are asked, and
// while what the call would do is worked out.
func TestYoloSparesAQuestionThatIsBeingPrepared(t *testing.T) {
	for _, while := range []string{"hooks", "preview"} {
		t.Run(while, func(t *testing.T) {
			var n atomic.Int64
			var s protocol.Session
			yolo := func() {
				if err := s.Submit(t.Context(), protocol.Configure{Approval: set("yolo")}); err != nil {
					t.Error(err)
				}
			}
			tl := previewed{touch(&n), func() {}}
			w := newWorld(t)
			if while == "hooks" {
				w.hooks = hooks{hook.PermissionRequest: func(hook.Input) hook.Verdict { yolo(); return hook.Verdict{} }}
			} else {
				tl.preview = yolo
			}
			w.tools = []tool.Tool{tl}
			w.model.Add(one("touch"), providertest.Text("done"))
			s = w.open(t, protocol.Spec{Approval: "ask", Interactive: true})
			c := protocoltest.NewClient(t, s, nil) // answers nothing
			if ended := c.Say("x"); ended.Outcome != event.Completed || n.Load() != 1 {
				t.Errorf("%+v, %d calls", ended, n.Load())
			}
			if q := asked(c); len(q) > 0 {
				t.Errorf("asked %+v", q)
			}
			if started := protocoltest.Payloads[event.ToolStarted](c.Durable()); started[0].Rule != "posture yolo" {
				t.Errorf("started %+v", started)
			}
		})
	}
}

func TestAConfigurationComesBackWithTheSession(t *testing.T) {
	w := newWorld(t)
	choosing(w)
	s := w.open(t, protocol.Spec{})
	w.model.Add(providertest.Text("hello"))
	c := protocoltest.NewClient(t, s, nil)
	say(t, c, "p1")
	if err := s.Submit(t.Context(), protocol.Configure{Model: set("scripted/two"), Title: set("my work")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.change = func(o *engine.Organs) { o.Configured = w.lent.Before }
	again := w.open(t, protocol.Spec{Session: s.ID()})
	c = protocoltest.NewClient(t, again, nil)
	got := protocoltest.Wait(t, c.Collector, func(event.CaughtUp) bool { return true }).Configured
	if got.Model != "scripted/two" || got.Title != "my work" {
		t.Errorf("resumed with %+v", got)
	}
}

// What waits for the end of a turn is not lost when that is the session's.
func TestAConfigurationThatWaitsOutlivesTheSession(t *testing.T) {
	w := newWorld(t)
	choosing(w)
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	release := make(chan struct{})
	defer close(release)
	w.model.Add(providertest.Text("never").GateAt(0, release))
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p1", Text: "one"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait(t, c.Collector, func(event.TurnStarted) bool { return true })
	if err := s.Submit(t.Context(), protocol.Configure{Model: set("scripted/two")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.change = nil
	w.open(t, protocol.Spec{Session: s.ID()})
	if got := w.lent.Before.Model; got != "scripted/two" {
		t.Errorf("the next opening begins with %s", got)
	}
}

// commanded is a session with one command of each sort.
func commanded(t *testing.T, w *world) *protocoltest.Client {
	t.Helper()
	return commandedIn(t, w, protocol.Spec{})
}

func commandedIn(t *testing.T, w *world, spec protocol.Spec) *protocoltest.Client {
	t.Helper()
	before := w.change
	w.change = func(o *engine.Organs) {
		if before != nil {
			before(o)
		}
		o.Command = func(text string) (engine.Command, bool, error) {
			name, args, _ := strings.Cut(text, " ")
			switch name {
			case "/shrink":
				return engine.Command{Name: "shrink", Op: protocol.Compact{Focus: args}}, true, nil
			case "/rename":
				return engine.Command{Name: "rename", Op: protocol.Configure{Title: &args}}, true, nil
			case "/broken":
				return engine.Command{Name: "broken", Op: protocol.Configure{Mode: &args}}, true, nil
			case "/model":
				return engine.Command{Name: "model", Op: protocol.Configure{Model: &args}}, true, nil
			case "/say":
				return engine.Command{Name: "say", Text: func(context.Context) (string, error) { return "read this: " + args, nil }}, true, nil
			case "/count":
				return engine.Command{Name: "count", Report: func(context.Context) (string, error) { return "3 files", nil }}, true, nil
			case "/quit":
				return engine.Command{Name: "quit", Front: true}, true, nil
			case "/nope":
				return engine.Command{}, false, errors.New("there is no command /nope")
			}
			return engine.Command{}, false, nil
		}
	}
	return protocoltest.NewClient(t, w.open(t, spec), nil)
}

func TestACommandIsATurnTheModelSeesNothingOf(t *testing.T) {
	w := newWorld(t)
	c := commanded(t, w)
	for text, want := range map[string]event.Notice{
		"/count":  {Level: event.LevelInfo, Code: event.NoticeReport, Args: []string{"count"}, Text: "3 files"},
		"/shrink": {Level: event.LevelInfo, Code: "compact_nothing", Text: "nothing to compact: what could be folded is too little"},
	} {
		ended := c.Say(text)
		notices := protocoltest.Payloads[event.Notice](c.Durable())
		if got := notices[len(notices)-1]; ended.Outcome != event.Completed || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, %+v", text, ended, got)
		}
	}
	if ended := c.Say("/rename my work"); ended.Outcome != event.Completed {
		t.Errorf("%+v", ended)
	}
	configured := protocoltest.Payloads[event.Configured](c.Durable())
	if got := configured[len(configured)-1].Title; got != "my work" {
		t.Errorf("title %q", got)
	}
	if n := len(w.model.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
	if said := protocoltest.Payloads[event.UserSaid](c.Durable()); len(said) > 0 {
		t.Errorf("the conversation has %+v", said)
	}
}

func TestWhatComesWithACommandIsNotDroppedInSilence(t *testing.T) {
	c := commanded(t, newWorld(t))
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: "d", Text: "/count", Data: "a log"}); err != nil {
		t.Fatal(err)
	}
	c.Ended("d")
	notices := protocoltest.Payloads[event.Notice](c.Durable())
	if len(notices) != 2 || notices[0].Code != "command_alone" || notices[1].Code != event.NoticeReport {
		t.Errorf("told %+v", notices)
	}
}

func TestACommandBecomesTheTextOfATurn(t *testing.T) {
	w := newWorld(t)
	c := commanded(t, w)
	w.model.Add(providertest.Text("ok"), providertest.Text("ok"), providertest.Text("ok"))
	c.Say("/say hello")
	said := protocoltest.Payloads[event.UserSaid](c.Durable())[0]
	if said.Display != "/say hello" || said.Message.Content != "read this: hello" {
		t.Errorf("%+v", said)
	}
	// What is literal, and what nobody typed, is no command.
	err := c.Session.Submit(t.Context(), protocol.Prompt{ID: "l", Text: "/nope at all", Data: "/say x", Literal: true})
	if err != nil {
		t.Fatal(err)
	}
	c.Ended("l")
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: "m", Text: "/say x", Literal: true}); err != nil {
		t.Fatal(err)
	}
	c.Ended("m")
	if said := protocoltest.Payloads[event.UserSaid](c.Durable())[2]; said.Message.Content != "/say x" || len(said.Sources) > 0 {
		t.Errorf("%+v", said)
	}
	said = protocoltest.Payloads[event.UserSaid](c.Durable())[1]
	if said.Display != "/nope at all" || said.Message.Content != "/nope at all\n\n/say x" || said.Sources[0].Kind != event.SourceData {
		t.Errorf("%+v", said)
	}
}

func TestACommandNobodyCanActOnIsRefusedBeforeItIsAPrompt(t *testing.T) {
	w := newWorld(t)
	choosing(w)
	c := commanded(t, w)
	for text, want := range map[string]string{
		"/nope x": "there is no command /nope", "/quit": "/quit cannot be used here",
		"/broken plan": "/broken: must be normal", "/model scripted/none": "/model: no such model",
	} {
		var bad *protocol.BadOp
		if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: "p", Text: text}); !errors.As(err, &bad) || bad.Reason != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if queued := protocoltest.Payloads[event.PromptQueued](c.Durable()); len(queued) > 0 {
		t.Errorf("accepted: %+v", queued)
	}
}

func TestWhatIsReadAgainIsReadBetweenTurns(t *testing.T) {
	w := newWorld(t)
	var read []string
	w.change = func(o *engine.Organs) {
		o.Offered = func(event.Configured) event.Offered { return event.Offered{Modes: slices.Clone(read)} }
		o.Reload = func(context.Context) ([]event.Notice, error) {
			read = append(read, "again")
			return []event.Notice{{Level: event.LevelWarning, Code: "skill_skipped", Text: "bad.md is skipped"}}, nil
		}
	}
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	release := make(chan struct{})
	w.model.Add(providertest.Text("one").GateAt(0, release))
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait(t, c.Collector, func(event.TurnStarted) bool { return true })
	if err := c.Session.Submit(t.Context(), protocol.Reload{}); err != nil {
		t.Fatal(err)
	}
	close(release)
	c.Ended("p")
	protocoltest.Wait(t, c.Collector, func(o event.Offered) bool { return len(o.Modes) == 1 })
	var kinds []string
	for _, e := range c.Durable() {
		if k := event.KindOf(e.Payload).Type; k == "turn.ended" || k == "session.notice" {
			kinds = append(kinds, k)
		}
	}
	if want := []string{"turn.ended", "session.notice"}; !slices.Equal(kinds, want) {
		t.Errorf("in the order %v", kinds)
	}
}

// What went wrong between turns is in the journal, for whoever reads it later.
func TestWhatGoesWrongBetweenTurnsIsRecorded(t *testing.T) {
	w := newWorld(t)
	w.change = func(o *engine.Organs) {
		o.Reload = func(context.Context) ([]event.Notice, error) { return nil, errors.New("no such directory") }
		o.Refresh = func(event.Configured) (*tool.Registry, func(event.Configured) (agent.Runner, error), bool, error) {
			return nil, nil, false, errors.New("the server is gone")
		}
	}
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	release := make(chan struct{})
	w.model.Add(providertest.Text("one").GateAt(0, release))
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait(t, c.Collector, func(event.TurnStarted) bool { return true })
	if err := errors.Join(s.Submit(t.Context(), protocol.Reload{}), w.lent.Emit(event.Folded{Edits: []event.Edit{{First: "none", Last: "none"}}})); err != nil {
		t.Fatal(err)
	}
	close(release)
	c.Ended("p")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for env, err := range w.store.Read(t.Context(), s.ID(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := env.Payload.(event.Notice); ok {
			codes = append(codes, n.Code)
		}
	}
	if want := []string{"tools_kept", "reload_failed"}; !slices.Equal(codes, want) {
		t.Errorf("recorded %v", codes)
	}
}

// What an op waits for, Close does not.
func TestCloseEndsWhatIsBeingConfigured(t *testing.T) {
	for name, op := range map[string]protocol.Op{"configure": protocol.Configure{Model: set("scripted/two")}, "reload": protocol.Reload{}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			begun := make(chan struct{})
			held := func(ctx context.Context) error {
				close(begun)
				<-ctx.Done()
				return ctx.Err()
			}
			w.change = func(o *engine.Organs) {
				o.Reload = func(ctx context.Context) ([]event.Notice, error) { return nil, held(ctx) }
				o.Reconfigure = func(ctx context.Context, _ event.Configured) (engine.Working, error) {
					return engine.Working{}, held(ctx)
				}
			}
			s := w.open(t, protocol.Spec{})
			served := make(chan error, 1)
			go func() { served <- s.Submit(context.Background(), op) }()
			<-begun
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := <-served; !errors.Is(err, protocol.ErrClosed) {
				t.Errorf("served with %v", err)
			}
		})
	}
}

// A configuration that cannot be recorded is not worked with, and said again it is.
func TestAConfigurationCountsWhenItIsRecorded(t *testing.T) {
	w := newWorld(t)
	var made []string
	w.change = func(o *engine.Organs) {
		runner, tools := o.Runner, o.Tools
		o.Reconfigure = func(_ context.Context, next event.Configured) (engine.Working, error) {
			return engine.Working{Configured: next, Tools: tools, Runner: func(c event.Configured) (agent.Runner, error) {
				made = append(made, c.Model)
				return runner(c)
			}}, nil
		}
	}
	w.model.Add(providertest.Text("one"), providertest.Text("two"), providertest.Text("three"))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	c.Say("x")
	w.store.FailAppends(errors.New("no space left on device"))
	if err := s.Submit(t.Context(), protocol.Configure{Model: set("scripted/two")}); err == nil {
		t.Error("changed what the journal does not have")
	}
	w.store.FailAppends(nil)
	if c.Say("y"); len(made) > 0 {
		t.Errorf("worked with %v", made)
	}
	if err := s.Submit(t.Context(), protocol.Configure{Model: set("scripted/two")}); err != nil {
		t.Fatal(err)
	}
	if c.Say("z"); !slices.Equal(made, []string{"scripted/two"}) {
		t.Errorf("worked with %v", made)
	}
}

// Another configuration counts, with all that follows from it, also where what the session
// worked with before cannot be closed.
func TestWhatCannotBeClosedDoesNotKeepAConfigurationFromCounting(t *testing.T) {
	w := planned(t)
	w.change = func(o *engine.Organs) {
		runner, tools := o.Runner, o.Tools
		o.Offered = func(c event.Configured) event.Offered { return event.Offered{Efforts: []string{c.WorkMode}} }
		o.Reconfigure = func(_ context.Context, next event.Configured) (engine.Working, error) {
			return engine.Working{Configured: next, Tools: tools, Runner: runner}, nil
		}
	}
	w.stuck = errors.New("the planner hangs")
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	c.Say("x")
	if err := s.Submit(t.Context(), protocol.Configure{WorkMode: set(event.WorkEconomy)}); err != nil {
		t.Errorf("refused: %v", err)
	}
	protocoltest.Wait(t, c.Collector, func(o event.Offered) bool { return slices.Equal(o.Efforts, []string{event.WorkEconomy}) })
	if n := newest[event.Notice](t, s); n.Code != "left_open" || !strings.Contains(n.Text, "the planner hangs") {
		t.Errorf("told %+v", n)
	}
	if p := newest[event.PrefixSet](t, s); p.Reason != "work_mode" {
		t.Errorf("the prefix is of %q", p.Reason)
	}
}
