package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
)

// shelf is a Checkpoints of two files that every call changes from "1" to "2".
type shelf struct {
	mu      sync.Mutex
	now     map[string]string
	most    int                         // files that Restore puts back before it stops; -1: all
	restore func()                      // called when Restore ends
	found   []event.File                // by Recover
	recover func(context.Context) error // called when it ends; may be nil
	forgot  int                         // calls of Forget
}

const before, after = "1", "2"

func newShelf() *shelf {
	return &shelf{now: map[string]string{"/work/a": before, "/work/b": before}, most: -1}
}

func (c *shelf) Begin(context.Context, bool) error { return nil }

func (c *shelf) End(context.Context) (files []event.File, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range []string{"/work/a", "/work/b"} {
		files = append(files, event.File{Path: path, Before: c.now[path], After: after, ModeWas: "100644", Mode: "100644"})
		c.now[path] = after
	}
	return files, nil
}

func (c *shelf) Between(context.Context) ([]event.File, error) { return nil, nil }

func (c *shelf) Recover(ctx context.Context) ([]event.File, bool, error) {
	if c.recover != nil {
		if err := c.recover(ctx); err != nil {
			return nil, false, err
		}
	}
	return c.found, true, nil
}

func (c *shelf) Forget() error { c.forgot++; return nil }

func (c *shelf) Restore(_ context.Context, files []event.File) (done []event.File, kept []event.Kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range files {
		switch now := c.now[f.Path]; {
		case now == f.Before:
		case now != f.After:
			kept = append(kept, event.Kept{Path: f.Path, Reason: "it was changed by somebody else since"})
		case c.most == 0:
			kept = append(kept, event.Kept{Path: f.Path, Reason: "stopped"})
		default:
			c.most--
			c.now[f.Path] = f.Before
			done = append(done, event.File{Path: f.Path, Before: now, After: f.Before, ModeWas: f.Mode, Mode: f.ModeWas})
		}
	}
	if c.restore != nil {
		c.restore()
	}
	return done, kept
}

// half is a session whose rewind to before its only prompt put back one file of two and
// could not be recorded. It is still open.
func half(t *testing.T) (*world, *shelf, protocol.Session, *protocoltest.Client) {
	t.Helper()
	var n atomic.Int64
	w, c := newWorld(t, touch(&n)), newShelf()
	w.change = func(o *engine.Organs) { o.Checkpoints = c }
	w.model.Add(one("touch"), providertest.Text("done"))
	s := w.open(t, protocol.Spec{})
	client := protocoltest.NewClient(t, s, nil)
	client.Say("first")
	c.most, c.restore = 1, func() { w.store.FailAppends(errors.New("no space left on device")) }
	to := protocoltest.Payloads[event.UserSaid](client.Durable())[0].Message.ID
	if err := s.Submit(t.Context(), protocol.Rewind{To: to, Conversation: true, Files: true}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("the rewind: %v", err)
	}
	c.most, c.restore = -1, nil
	return w, c, s, client
}

// utter says text.
func utter(t *testing.T, c *protocoltest.Client, text string) event.TurnEnded {
	t.Helper()
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: event.PromptID(text), Text: text}); err != nil {
		t.Fatal(err)
	}
	return c.Ended(event.PromptID(text))
}

// said are the prompts that the newest request has.
func (w *world) said() (texts []string) {
	requests := w.model.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == "user" {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// goesOn says something, opens the session again and wants all of it there.
func (w *world) goesOn(t *testing.T, s protocol.Session, c *protocoltest.Client) *protocoltest.Client {
	t.Helper()
	w.model.Add(providertest.Text("done"), providertest.Text("done"))
	if ended := utter(t, c, "important"); ended.Outcome != event.Completed {
		t.Fatalf("%+v", ended)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: s.ID()}), nil)
	utter(t, again, "last")
	if got := w.said(); !slices.Equal(got, []string{"first", "important", "last"}) {
		t.Errorf("the conversation is %q", got)
	}
	return again
}

func rewounds(c *protocoltest.Client) []event.Rewound {
	return protocoltest.Payloads[event.Rewound](c.Durable())
}

// told are the codes of what an opening had to say.
func told(c *protocoltest.Client) (codes []string) {
	for _, at := range protocoltest.Payloads[event.CaughtUp](c.Events()) {
		for _, n := range at.Notices {
			codes = append(codes, n.Code)
		}
	}
	return codes
}

// A rewind that could not be recorded is given up by the next prompt, and what it did put
// back is recorded then: it goes back no further, now or later.
func TestARewindThatFailedIsGivenUpByTheNextPrompt(t *testing.T) {
	w, c, s, client := half(t)
	w.store.FailAppends(nil)
	again := w.goesOn(t, s, client)
	all := rewounds(again)
	if len(all) != 1 || all[0].Head != all[0].Was || len(all[0].Files) != 1 || all[0].Files[0].Path != "/work/b" {
		t.Fatalf("%+v", all)
	}
	if len(all[0].Kept) != 1 || all[0].Kept[0].Path != "/work/a" {
		t.Errorf("kept %+v", all[0].Kept)
	}
	if c.now["/work/a"] != after || c.now["/work/b"] != before {
		t.Errorf("the files are %v", c.now)
	}
}

// One whose session was closed before anything else was said is finished by the next
// opening, which says so.
func TestARewindThatFailedIsFinishedByTheNextOpening(t *testing.T) {
	w, c, s, _ := half(t)
	_ = s.Close() // the disk is full
	w.store.FailAppends(nil)
	client := protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: s.ID()}), nil)
	w.model.Add(providertest.Text("done"))
	utter(t, client, "other")
	if got := w.said(); !slices.Equal(got, []string{"other"}) {
		t.Errorf("the conversation is %q", got)
	}
	if all := rewounds(client); len(all) != 1 || len(all[0].Files) != 2 || c.now["/work/a"] != before {
		t.Errorf("%+v, files %v", all, c.now)
	}
	if got := told(client); !slices.Contains(got, "rewind_finished") {
		t.Errorf("told %q", got)
	}
}

// While somebody else writes the workspace it cannot be finished; that is told, and who
// goes on keeps the conversation.
func TestARewindThatCannotBeFinishedIsTold(t *testing.T) {
	w, c, s, _ := half(t)
	_ = s.Close() // the disk is full
	w.store.FailAppends(nil)
	held := true
	w.change = func(o *engine.Organs) {
		o.Checkpoints = c
		o.Lease = func(ctx context.Context, waiting func(string)) (func() error, error) {
			if held {
				waiting("pid 7")
				return nil, context.DeadlineExceeded
			}
			return func() error { return nil }, nil
		}
	}
	opened := w.open(t, protocol.Spec{Session: s.ID()})
	client := protocoltest.NewClient(t, opened, nil)
	protocoltest.Wait[event.CaughtUp](t, client.Collector, nil)
	if got := told(client); !slices.Contains(got, "rewind_unfinished") {
		t.Errorf("told %q", got)
	}
	held = false
	w.goesOn(t, opened, client)
	if c.now["/work/a"] != after {
		t.Errorf("files %v", c.now)
	}
}

// A fork begins where its parent's conversation ends; the rewind is the parent's.
func TestAForkDoesNotFinishARewind(t *testing.T) {
	w, c, s, _ := half(t)
	_ = s.Close() // the disk is full
	w.store.FailAppends(nil)
	fork := w.open(t, protocol.Spec{Fork: protocol.Fork{Session: s.ID()}})
	again := w.goesOn(t, fork, protocoltest.NewClient(t, fork, nil))
	if n := len(rewounds(again)); n > 0 || c.now["/work/a"] != after {
		t.Errorf("%d rewinds, files %v", n, c.now)
	}
}

// Who asks for a rewind again gets it, and undoes it with one step.
func TestARewindThatFailedCanBeTriedAgain(t *testing.T) {
	w, c, s, client := half(t)
	w.store.FailAppends(nil)
	to := protocoltest.Payloads[event.UserSaid](client.Durable())[0].Message.ID
	if err := s.Submit(t.Context(), protocol.Rewind{To: to, Conversation: true, Files: true}); err != nil {
		t.Fatal(err)
	}
	if c.now["/work/a"] != before || c.now["/work/b"] != before {
		t.Errorf("files %v", c.now)
	}
	all := func() []event.Rewound { return rewounds(client) }
	protocoltest.Until(t, "two records", func() bool { return len(all()) == 2 })
	if err := s.Submit(t.Context(), protocol.Rewind{To: all()[1].Was, Conversation: true, Files: true}); err != nil {
		t.Fatal(err)
	}
	if c.now["/work/a"] != after || c.now["/work/b"] != after {
		t.Errorf("undone: files %v", c.now)
	}
}

// cutOff is a journal whose process ended while the call "cut" ran.
func (w *world) cutOff(t *testing.T) event.SessionID {
	t.Helper()
	id := event.SessionID("20260101-000000-00000c")
	log, err := w.store.Create(t.Context(), session.Meta{ID: id, Workspace: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []event.Payload{
		event.Configured{Model: "scripted/one"},
		event.PrefixSet{System: "be brief"},
		event.UserSaid{Prompt: "p", Message: message.Message{ID: "1", Role: message.User, Content: "x"}},
		event.Replied{Message: message.Message{ID: "2", Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: "cut", Name: "touch", Arguments: "{}"}}}},
		event.ToolStarted{Call: "cut", Kind: "execute"},
	} {
		if err := log.Append(event.Envelope{Seq: event.Seq(i + 1), Time: time.Now(), Turn: 1, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return id
}

// An opening that was stopped, by a kill, Ctrl-C or an error, leaves what a call changed to
// the next one; what it was told is forgotten once it is in the journal.
func TestWhatACallChangedIsFoundOutByALaterOpening(t *testing.T) {
	found := []event.File{{Path: "/work/a", Before: before, After: after, ModeWas: "100644", Mode: "100644"}}
	for name, stopped := range map[string]func(t *testing.T, w *world, c *shelf, id event.SessionID){
		"killed behind its first records": func(t *testing.T, w *world, c *shelf, id event.SessionID) {
			c.recover = func(context.Context) error { w.store.FailAppends(errors.New("killed")); return nil }
			if _, err := w.Open(t.Context(), protocol.Spec{Session: id, Workspace: "/work"}); err == nil {
				t.Fatal("it opened")
			}
			w.store.FailAppends(nil)
		},
		"cancelled": func(t *testing.T, w *world, c *shelf, id event.SessionID) {
			ctx, cancel := context.WithCancel(t.Context())
			c.recover = func(ctx context.Context) error { cancel(); return ctx.Err() }
			if _, err := w.Open(ctx, protocol.Spec{Session: id, Workspace: "/work"}); !errors.Is(err, context.Canceled) {
				t.Fatalf("%v", err)
			}
		},
		"an error": func(t *testing.T, w *world, c *shelf, id event.SessionID) {
			c.recover = func(context.Context) error { return errors.New("no look") }
			s := w.open(t, protocol.Spec{Session: id})
			client := protocoltest.NewClient(t, s, nil)
			protocoltest.Wait[event.CaughtUp](t, client.Collector, nil)
			if got := told(client); !slices.Contains(got, "checkpoint_failed") {
				t.Errorf("told %q", got)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := newWorld(t), newShelf()
			w.change = func(o *engine.Organs) { o.Checkpoints = c }
			id := w.cutOff(t)
			c.found = found
			stopped(t, w, c, id)
			if c.forgot > 0 {
				t.Error("forgotten before it was recorded")
			}
			c.recover = nil
			client := protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: id}), nil)
			protocoltest.Wait[event.CaughtUp](t, client.Collector, nil)
			all := protocoltest.Payloads[event.FilesChanged](client.Durable())
			if len(all) != 1 || all[0].Call != "cut" || len(all[0].Files) != 1 || c.forgot != 1 {
				t.Errorf("%+v, forgotten %d times", all, c.forgot)
			}
		})
	}
}

// What the opening could not find out is tried once more before the first call.
func TestWhatACallChangedIsFoundOutBeforeTheNextCall(t *testing.T) {
	var n atomic.Int64
	w, c := newWorld(t, touch(&n)), newShelf()
	w.change = func(o *engine.Organs) { o.Checkpoints = c }
	id := w.cutOff(t)
	c.found = []event.File{{Path: "/work/a", Before: before, After: after, ModeWas: "100644", Mode: "100644"}}
	c.recover = func(context.Context) error { return errors.New("no look") }
	client := protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: id}), nil)
	protocoltest.Wait[event.CaughtUp](t, client.Collector, nil)
	c.recover = nil
	w.model.Add(one("touch"), providertest.Text("done"))
	utter(t, client, "go on")
	var calls []string
	for _, f := range protocoltest.Payloads[event.FilesChanged](client.Durable()) {
		calls = append(calls, f.Call)
	}
	if len(calls) != 2 || calls[0] != "cut" || c.forgot != 1 {
		t.Errorf("recorded %q, forgotten %d times", calls, c.forgot)
	}
}
