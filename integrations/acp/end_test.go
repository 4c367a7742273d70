package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/integrations/acp"
)

func TestEndOfInputAnswersWhatIsOwed(t *testing.T) {
	fake := &protocoltest.Fake{Questions: func(text string) []event.Question {
		if text == "ask" {
			return asking(event.AllowOnce)("")
		}
		return nil
	}}
	s := serve(t, fake)
	defer s.fake.Hold()()
	waits, runs, steered := s.open(t.TempDir()), s.open(t.TempDir()), s.open(t.TempDir())
	ids := []string{s.prompt(waits, "ask"), s.prompt(runs, "x"), s.prompt(steered, "x")}
	s.call("_reasonix.io/session/steer", said(steered, "y"))
	s.asked()
	s.in.Close()
	if err := s.ends(); err != nil {
		t.Errorf("serve: %v", err)
	}
	for _, id := range ids {
		if got := s.stopped(id); got != "cancelled" {
			t.Errorf("prompt %s stopped with %s", id, got)
		}
	}
}

// AC-04: a client that left is noticed at the first message it misses.
func TestAC04ALostClientEndsTheServer(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	session := s.open(t.TempDir())
	s.out.Close()
	s.prompt(session, "x")
	if err := s.ends(); err != nil {
		t.Errorf("serve: %v", err)
	}
}

// A client that closes our input and reads nothing more is not waited for.
func TestAClientThatStoppedReadingIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &protocoltest.Fake{}
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error)
		go func() { done <- acp.Serve(t.Context(), protocol.Host{Opener: fake}, acp.Options{}, inR, outW) }()
		go fmt.Fprintf(inW, "%s\n", `{"id":1,"method":"session/new","params":{"cwd":`+fmt.Sprintf("%q", t.TempDir())+`}}`)
		var opened rpc
		if err := json.NewDecoder(outR).Decode(&opened); err != nil {
			t.Fatal(err)
		}
		checkMessage(t, "session/new", opened)
		var r struct{ SessionID string }
		decode(t, opened.Result, &r)
		fmt.Fprintf(inW, `{"id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n", r.SessionID)
		inW.Close()
		begun := time.Now()
		if err := <-done; !errors.Is(err, acp.ErrUnread) {
			t.Errorf("serve: %v, want ErrUnread", err)
		}
		if took := time.Since(begun); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
		outR.Close()
	})
}

func TestACancelledContextEndsTheServer(t *testing.T) {
	fake := &protocoltest.Fake{}
	defer fake.Hold()()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := newClient(t, inW, outR)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- acp.Serve(ctx, protocol.Host{Opener: fake}, acp.Options{}, inR, outW)
		outW.Close()
	}()
	id := c.prompt(c.open(t.TempDir()), "x")
	c.next("the reply begins", func(m rpc) bool { return m.Method == "session/update" })
	cancel()
	if err := <-done; err != nil {
		t.Errorf("serve: %v", err)
	}
	if got := c.stopped(id); got != "cancelled" {
		t.Errorf("stopped with %s", got)
	}
	inW.Close()
	<-c.ended
}

// What was denied in one turn is told with the answer to its prompt, and with no other.
func TestDenialsAreOfTheirOwnTurn(t *testing.T) {
	denied := event.ToolFinished{Call: "c", Title: "web", Status: event.StatusDenied, Reason: "the user denied it"}
	for name, c := range map[string]struct {
		turn []event.Payload
		want int
	}{
		"of a turn that no request waited for": {[]event.Payload{
			event.TurnStarted{Prompt: "steered"},
			denied,
			event.TurnEnded{Prompt: "steered", Outcome: event.Completed},
			event.TurnStarted{},
			event.TurnEnded{Outcome: event.Completed},
		}, 0},
		"a prompt that waited is taken back meanwhile": {[]event.Payload{
			event.TurnStarted{}, denied, event.TurnEnded{Prompt: "waiting", Outcome: event.Cancelled}, event.TurnEnded{Outcome: event.Completed},
		}, 1},
	} {
		_, answer := play(t, c.turn...)
		result, _ := answer.Data.(object)
		said, _ := result["_meta"].(object)
		ours, _ := said["reasonix.io"].(object)
		if all, _ := ours["denials"].([]any); len(all) != c.want {
			t.Errorf("%s: %v", name, result)
		}
	}
}
