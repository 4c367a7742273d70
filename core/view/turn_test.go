package view_test

import (
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/view"
)

func TestQueueHoldsWhatTheModelHasNotRead(t *testing.T) {
	first := event.PromptQueued{ID: "1", Display: "first"}
	second := event.PromptQueued{ID: "2", Display: "second"}
	steer := event.PromptQueued{ID: "3", Kind: event.KindSteer, Display: "left"}
	events := []event.Payload{
		first,
		event.TurnStarted{Prompt: "1"},
		event.UserSaid{Prompt: "1"},
		second, steer,
		event.UserSaid{Prompt: "3"},
		event.TurnEnded{Prompt: "2", Outcome: event.Cancelled},
	}
	for n, want := range [][]event.PromptQueued{
		nil, {first}, {first}, nil, {second}, {second, steer}, {second}, nil,
	} {
		s := after(events[:n]...)
		wantSame(t, "queue", s.Queue, want)
		if running := event.PromptID(""); n >= 2 && s.Running != "1" || n < 2 && s.Running != running {
			t.Errorf("after %d: running %q", n, s.Running)
		}
	}
}

// SE-03: what a killed process had under way is not under way in the next.
func TestSE03ResumingEndsWhatWasUnderWay(t *testing.T) {
	s := after(
		event.Opened{Reason: event.OpenedNew}, event.TurnStarted{Prompt: "1"}, event.PromptQueued{ID: "2"},
		event.TextDelta{Message: "m", Text: "half"}, event.Phase{Name: event.PhaseModel},
		event.Asked{Question: event.Question{ID: "q"}}, event.Opened{Reason: event.OpenedResumed},
	)
	wantSame(t, "state", s, view.State{
		Last: 5, At: when, Turn: 1, Opened: event.Opened{Reason: event.OpenedResumed}, Queue: []event.PromptQueued{{ID: "2"}},
	})
}

func TestReaderThatSkippedTheReplay(t *testing.T) {
	s := fold(view.State{},
		event.Envelope{Payload: event.CaughtUp{Last: 40, Configured: event.Configured{Model: "p/m"}, Tools: []string{"ls"}}},
		event.Envelope{Seq: 40, Turn: 3, Payload: event.Notice{Text: "seen by others"}},
		event.Envelope{Turn: 3, Payload: event.ToolOutput{Call: "a", Offset: 5, Text: "more"}},
		event.Envelope{Seq: 41, Turn: 3, Time: when, Payload: done},
	)
	wantSame(t, "state", s, view.State{
		Last: 41, At: when, CaughtUp: true, Configured: event.Configured{Model: "p/m"}, Tools: []string{"ls"},
		Messages: []*view.Message{{
			Role: message.Assistant, Turn: 3,
			Calls: []view.Call{{ID: "a", Status: event.StatusOK, Output: view.Stream{Text: "files"}}},
		}},
	})
}

// Some endpoints name the first call of every reply alike.
func TestCallIDsMayComeAgain(t *testing.T) {
	again := calls
	again.Message.ID = "m2"
	s := after(calls, done, again, event.ToolStarted{Call: "a", Title: "second"})
	if first := s.Messages[0].Calls[0]; first.Title != "" || first.Status != event.StatusOK {
		t.Errorf("first: %+v", first)
	}
	if second := s.Messages[1].Calls[0]; second.Title != "second" || second.Status != "" {
		t.Errorf("second: %+v", second)
	}
}

// A call that runs once more is one call, which says how it ran last.
func TestACallThatRunsOnceMore(t *testing.T) {
	first := event.ToolStarted{Call: "a", Title: "make", Kind: "execute", Rule: "posture yolo", Held: "bwrap", Paths: []string{"/w/x"}}
	for _, c := range []struct {
		again      event.ToolStarted
		rule, held string
	}{
		{event.ToolStarted{Call: "a", Title: "make", Kind: "execute", Rule: "let out", Held: "not sandboxed"}, "let out", "not sandboxed"},
		{event.ToolStarted{Call: "a", Rule: "released"}, "released", "bwrap"},
	} {
		s := after(calls, first, c.again)
		got := s.Messages[0].Calls[0]
		if got.Title != "make" || got.Kind != "execute" || got.Rule != c.rule || got.Held != c.held || len(got.Paths) != 1 || len(s.Messages) != 1 {
			t.Errorf("%+v", got)
		}
	}
}

func TestNoticesOfTheOpeningAreShownOnce(t *testing.T) {
	notice := event.Notice{Text: "not sandboxed"}
	for _, before := range [][]event.Payload{nil, {notice}} {
		s := after(append(before, event.CaughtUp{Last: 1, Notices: []event.Notice{notice}})...)
		wantSame(t, "notices", s.Notices, []view.Notice{{Notice: notice}})
	}
}

func TestNoticesKnowTheirPlace(t *testing.T) {
	s := after(event.Notice{Text: "a"}, calls, event.Notice{Text: "b"})
	wantSame(t, "notices", s.Notices, []view.Notice{
		{Notice: event.Notice{Text: "a"}}, {Notice: event.Notice{Text: "b"}, After: 1},
	})
}
