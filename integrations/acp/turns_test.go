package acp_test

import (
	"testing"

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
		if got.Disposition != "queued" || got.Seq == 0 { // the fake reads nothing while it replies
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
