package acp_test

import (
	"testing"
	"time"

	"reasonix/core/protocol/protocoltest"
)

// A steer that its turn did not read is played behind it: the prompt's answer
// comes when both are through, so that the session is free again by then.
func TestALateSteerIsPlayedBeforeTheAnswer(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	s.fake.Reply("one", "two", "three")
	session := s.open(t.TempDir())
	release := s.fake.Hold()
	id := s.prompt(session, "x")
	for _, word := range []string{"also y", "and z"} {
		var got struct {
			Disposition string
			Seq         int
		}
		s.result("_reasonix.io/session/steer", said(session, word), &got)
		if got.Disposition != "steered" || got.Seq == 0 {
			t.Errorf("%+v", got)
		}
	}
	release()
	if got := s.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if got := s.text(session); got != "onetwothree" {
		t.Errorf("before the answer came %q", got)
	}
	if got := s.stopped(s.prompt(session, "next")); got != "end_turn" {
		t.Errorf("the next one stopped with %s", got)
	}
}

// A cancel stops the steers that wait, too.
func TestACancelStopsLateSteersToo(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	defer s.fake.Hold()()
	session := s.open(t.TempDir())
	for range 100 {
		id := s.prompt(session, "x")
		for range 3 {
			if m := s.call("_reasonix.io/session/steer", said(session, "y")); m.Error != nil {
				t.Fatal(m.raw)
			}
		}
		s.write(notification("session/cancel", object{"sessionId": session}))
		if got := s.stopped(id); got != "cancelled" {
			t.Fatalf("stopped with %s", got)
		}
		s.forget()
	}
}

// idle waits until nothing runs in the session.
func (s *served) idle(session string) {
	s.t.Helper()
	s.until(session, func(state, _ string) bool { return state == "idle" })
}

// until waits until the session is in a state, with an outcome of its last turn, that fits.
func (s *served) until(session string, fits func(state, outcome string) bool) {
	s.t.Helper()
	for late := time.Now().Add(10 * time.Second); ; {
		var got struct{ State, Outcome string }
		s.result("_reasonix.io/session/status", object{"sessionId": session}, &got)
		if fits(got.State, got.Outcome) {
			return
		}
		if time.Now().After(late) {
			s.t.Fatalf("the session is %s still, %q", got.State, got.Outcome)
		}
	}
}

// So it is when no prompt waits for the turn, because a steer began it.
func TestACancelStopsLateSteersOfATurnThatASteerBegan(t *testing.T) {
	for _, whenIdle := range []string{"prompt", "queue"} {
		s := serve(t, &protocoltest.Fake{})
		defer s.fake.Hold()() // what is played does not end by itself
		session := s.open(t.TempDir())
		word := said(session, "x")
		word["whenIdle"] = whenIdle
		for range 3 { // the first begins a turn
			if m := s.call("_reasonix.io/session/steer", word); m.Error != nil {
				t.Fatal(m.raw)
			}
		}
		s.write(notification("session/cancel", object{"sessionId": session}))
		s.idle(session)
		next := s.prompt(session, "next") // which is refused while a turn runs
		s.write(notification("session/cancel", object{"sessionId": session}))
		if got := s.stopped(next); got != "cancelled" {
			t.Errorf("%s: the next prompt stopped with %s", whenIdle, got)
		}
	}
}

// A prompt behind a cancel begins the next turn: nobody has to wait for the cancelled one
// to end. Another cancel stops it as well.
func TestAPromptBehindACancelIsTheNextTurn(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	session := s.open(t.TempDir())
	release := s.fake.Hold()
	for range 200 {
		first := s.prompt(session, "x")
		s.write(notification("session/cancel", object{"sessionId": session}))
		second := s.prompt(session, "y")
		s.write(notification("session/cancel", object{"sessionId": session}))
		if a, b := s.stopped(first), s.stopped(second); a != "cancelled" || b != "cancelled" {
			t.Fatalf("stopped with %s and %s", a, b)
		}
		s.forget()
	}
	first := s.prompt(session, "x")
	s.write(notification("session/cancel", object{"sessionId": session}))
	last := s.prompt(session, "z")
	release()
	if a, b := s.stopped(first), s.stopped(last); a != "cancelled" || b != "end_turn" {
		t.Errorf("stopped with %s and %s", a, b)
	}
}

// A steer behind a cancel is not for the turn that is cancelled, and not stopped with it.
func TestASteerBehindACancelIsForTheNextTurn(t *testing.T) {
	for _, whenIdle := range []string{"error", "prompt", "queue"} {
		s := serve(t, &protocoltest.Fake{})
		session := s.open(t.TempDir())
		for range 100 {
			release := s.fake.Hold()
			id := s.prompt(session, "x")
			word := said(session, "y")
			word["whenIdle"] = whenIdle
			s.write(notification("session/cancel", object{"sessionId": session}))
			m := s.call("_reasonix.io/session/steer", word)
			release()
			if got := s.stopped(id); got != "cancelled" {
				t.Fatalf("%s: stopped with %s", whenIdle, got)
			}
			if refused := m.Error != nil; refused != (whenIdle == "error") {
				t.Fatalf("%s: %s", whenIdle, m.raw)
			}
			if whenIdle != "error" {
				s.until(session, func(state, outcome string) bool { return state == "idle" && outcome == "completed" })
			}
			s.forget()
		}
	}
}
