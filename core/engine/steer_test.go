package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
)

// waiting is a tool that runs until it is let go.
type waiting struct {
	fn
	inCall, goOn chan struct{}
}

func newWaiting() waiting {
	w := waiting{inCall: make(chan struct{}), goOn: make(chan struct{})}
	w.fn = fn{"wait", true, func(context.Context) (string, error) { close(w.inCall); <-w.goOn; return "waited", nil }}
	return w
}

// steered is a session with commands in the middle of a turn. References in what is
// said are expanded, and one to a missing file cannot be.
func steered(t *testing.T) (*world, *protocoltest.Client, waiting) {
	t.Helper()
	wait := newWaiting()
	w := newWorld(t, wait)
	w.change = func(o *engine.Organs) {
		o.Prepare = append(o.Prepare, func(_ context.Context, said *event.UserSaid) error {
			if strings.Contains(said.Display, "@missing") {
				return errors.New("there is no file missing")
			}
			said.Message.Content = strings.ReplaceAll(said.Message.Content, "@file", "the text of file")
			return nil
		})
	}
	c := commanded(t, w)
	w.model.Add(one("wait"), providertest.Text("done"))
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	<-wait.inCall
	return w, c, wait
}

func steer(t *testing.T, c *protocoltest.Client, text string) {
	t.Helper()
	if err := c.Session.Submit(t.Context(), protocol.Steer{ID: event.PromptID(text), Text: text}); err != nil {
		t.Fatal(err)
	}
}

// What a steer may be does not depend on whether a turn runs.
func TestASteerIsCheckedLikeAPromptWheneverItComes(t *testing.T) {
	_, c, wait := steered(t)
	check := func(when string) {
		for text, want := range map[string]string{
			"/nope x": "there is no command /nope", "/quit": "/quit cannot be used here",
			"/count": "a command cannot steer: send it as a prompt", "/rename x": "a command cannot steer: send it as a prompt",
		} {
			var bad *protocol.BadOp
			err := c.Session.Submit(t.Context(), protocol.Steer{ID: "s", Text: text})
			if !errors.As(err, &bad) || bad.Op != "Steer" || bad.Field != "Text" || bad.Reason != want {
				t.Errorf("%s: %s: %v", when, text, err)
			}
		}
	}
	check("in a turn")
	close(wait.goOn)
	c.Ended("p")
	check("idle")
	if queued := protocoltest.Payloads[event.PromptQueued](c.Durable()); len(queued) != 1 {
		t.Errorf("accepted: %+v", queued)
	}
}

func TestASteerIsReadAsAPromptIs(t *testing.T) {
	w, c, wait := steered(t)
	for _, text := range []string{"/say hello", "see @file", "see @missing", "go on"} {
		steer(t, c, text)
	}
	close(wait.goOn)
	if ended := c.Ended("p"); ended.Outcome != event.Completed {
		t.Errorf("%+v", ended)
	}
	var read []string
	for _, m := range w.model.Requests()[1].Messages[4:] {
		read = append(read, m.Content)
	}
	if got := strings.Join(read, "|"); got != "read this: hello|see the text of file|go on" {
		t.Errorf("the model read %s", got)
	}
	if ended := c.Ended("see @missing"); ended.Outcome != event.Internal || !strings.Contains(ended.Detail, "there is no file missing") {
		t.Errorf("what cannot be said: %+v", ended)
	}
	if n := notices(c, "prompt_not_said"); len(n) != 1 {
		t.Errorf("notices %+v", n)
	}
	w.model.CheckPrefix(t)
}

// What the turn did not take is read the same way in a turn of its own.
func TestASteerThatIsLeftOverIsReadAsAPromptIs(t *testing.T) {
	w, c, wait := steered(t)
	steer(t, c, "/say see @file")
	if err := c.Session.Submit(t.Context(), protocol.Cancel{Prompt: "p"}); err != nil {
		t.Fatal(err)
	}
	close(wait.goOn)
	c.Ended("p")
	if ended := c.Ended("/say see @file"); ended.Outcome != event.Completed {
		t.Errorf("%+v", ended)
	}
	if got := w.model.Requests()[1].Last().Content; got != "read this: see the text of file" {
		t.Errorf("the model read %q", got)
	}
}

// Prompts that an earlier process accepted and never began are not lost: what is a
// command is done, in a turn of its own, and the model reads the rest. One that was to
// steer does nothing in the place of a turn.
func TestCommandsThatWaitedOutliveTheirProcess(t *testing.T) {
	w := newWorld(t)
	id := event.SessionID("20260101-000000-00000c")
	log, err := w.store.Create(t.Context(), session.Meta{ID: id, Workspace: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []event.Payload{
		event.Configured{Model: "scripted/one"},
		event.PrefixSet{System: "be brief"},
		event.UserSaid{Prompt: "0", Message: message.Message{ID: "1", Role: message.User, Content: "x"}},
		event.Replied{Message: message.Message{ID: "2", Role: message.Assistant, Content: "y"}},
		event.PromptQueued{ID: "a", Kind: event.KindPrompt, Display: "/rename my work"},
		event.PromptQueued{ID: "b", Kind: event.KindPrompt, Display: "/say hello"},
		event.PromptQueued{ID: "c", Kind: event.KindPrompt, Display: "/count"},
		event.PromptQueued{ID: "d", Kind: event.KindSteer, Display: "/count in vain"},
		event.Ended{Reason: "closed"},
	} {
		if err := log.Append(event.Envelope{Seq: event.Seq(i + 1), Time: time.Now(), Turn: 1, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	c := commandedIn(t, w, protocol.Spec{Session: id})
	w.model.Add(providertest.Text("ok"))
	say(t, c, "p")
	for _, id := range []event.PromptID{"a", "c"} {
		if ended := c.Ended(id); ended.Outcome != event.Completed {
			t.Errorf("%s: %+v", id, ended)
		}
	}
	if configured := protocoltest.Payloads[event.Configured](c.Durable()); configured[len(configured)-1].Title != "my work" {
		t.Errorf("configured %+v", configured)
	}
	var read []string
	for _, m := range w.model.Requests()[0].Messages[3:] {
		read = append(read, m.Content)
	}
	if got := strings.Join(read, "|"); got != "read this: hello|/count in vain|more" || len(w.model.Requests()) != 1 {
		t.Errorf("the model read %s", got)
	}
}

// What the hooks of the start said waits until a message of the user has it.
func TestTheStartsContextSurvivesABlockedPrompt(t *testing.T) {
	w := newWorld(t)
	w.hooks = hooks{
		hook.SessionStart: func(hook.Input) hook.Verdict { return hook.Verdict{Context: "on branch main"} },
		hook.UserPromptSubmit: func(in hook.Input) hook.Verdict {
			return hook.Verdict{Block: in.Prompt == "secret", Reason: "no", By: "h"}
		},
	}
	w.model.Add(providertest.Text("ok"), providertest.Text("ok"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	for _, text := range []string{"secret", "first", "second"} {
		c.Say(text)
	}
	first, second := w.model.Requests()[0].Last().Content, w.model.Requests()[1].Last().Content
	if !strings.Contains(first, "on branch main") || second != "second" {
		t.Errorf("the model read %q, then %q", first, second)
	}
}
