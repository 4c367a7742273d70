package acp

import (
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/integrations/internal/acpwire"
)

// Activity is what is recorded and what streams, not that somebody looks.
func TestLastActivityIsOfWhatHappens(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 2, 15, minute, 0, 0, time.UTC) }
	var s status
	for _, c := range []struct {
		told event.Envelope
		want int
	}{
		{event.Envelope{Time: at(30), Payload: event.CaughtUp{Last: 7, Standing: event.Standing{At: at(1)}}}, 1},
		{event.Envelope{Time: at(31), Payload: event.Offered{}}, 1},
		{event.Envelope{Time: at(31), Payload: event.Phase{Name: event.PhaseIdle}}, 1},
		{event.Envelope{Time: at(32), Seq: 8, Payload: event.TurnStarted{}}, 32},
		{event.Envelope{Time: at(33), Payload: event.TextDelta{Text: "x"}}, 33},
		{event.Envelope{Time: at(34), Payload: event.ReasoningDelta{Text: "x"}}, 34},
		{event.Envelope{Time: at(35), Payload: event.Notice{}}, 34},
	} {
		s.apply(c.told)
		if got := s.folded().LastActivity; got != stamp(at(c.want)) {
			t.Errorf("%T: %s, want %s", c.told.Payload, got, stamp(at(c.want)))
		}
	}
}

// A command of which the client says neither code nor signal did not succeed.
func TestACommandWithoutAnEndIsNoSuccess(t *testing.T) {
	two := 2
	for _, c := range []struct {
		exit acpwire.TerminalExit
		want int
		ok   bool
	}{{acpwire.TerminalExit{ExitCode: &two}, 2, true}, {acpwire.TerminalExit{Signal: "KILL"}, 128, true}, {acpwire.TerminalExit{}, 0, false}} {
		if code, err := exitCode(c.exit); code != c.want || (err == nil) != c.ok {
			t.Errorf("%+v: %d, %v", c.exit, code, err)
		}
	}
}
