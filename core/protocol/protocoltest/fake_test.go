package protocoltest_test

import (
	"errors"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
)

func TestFake(t *testing.T) {
	protocoltest.Run(t, func(*testing.T) protocoltest.Rig {
		f := &protocoltest.Fake{}
		return protocoltest.Rig{Open: f, Library: f, Spec: protocol.Spec{Workspace: "/w", Model: "a/b"}, Reply: f.Reply, Hold: f.Hold}
	})
}

func openFake(t *testing.T, f *protocoltest.Fake) protocol.Session {
	t.Helper()
	s, err := f.Open(t.Context(), protocol.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func asking(string) []event.Question {
	return []event.Question{
		{ID: "q1", Kind: event.AskPermission, Options: []event.Option{{ID: "yes"}, {ID: "no"}}},
		{ID: "q2", Kind: event.AskQuestion},
	}
}

func TestClientAnswersByRule(t *testing.T) {
	f := &protocoltest.Fake{Questions: asking}
	f.Reply("done")
	c := protocoltest.NewClient(t, openFake(t, f), func(q event.Question) (event.Answer, bool) {
		if q.Kind == event.AskQuestion {
			return event.Answer{Text: "forty-two"}, true
		}
		return protocoltest.Choose("yes")(q)
	})
	if end := c.Say("do it"); end.Outcome != event.Completed {
		t.Errorf("ended %+v, want completed", end)
	}
	answers := protocoltest.Payloads[event.Answered](c.Durable())
	if len(answers) != 2 || answers[0].Answer.Choice[0] != "yes" || answers[1].Answer.Text != "forty-two" {
		t.Errorf("answers %+v", answers)
	}
	if replies := protocoltest.Payloads[event.Replied](c.Durable()); len(replies) != 1 || replies[0].Message.Content != "done" {
		t.Errorf("replies %+v", replies)
	}
}

func TestClientAnswersWhatWasAskedBeforeItCame(t *testing.T) {
	s := openFake(t, &protocoltest.Fake{Questions: asking})
	silent := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait[event.Asked](t, silent.Collector, nil)
	protocoltest.NewClient(t, s, protocoltest.Choose("no"))
	if end := silent.Ended("p"); end.Outcome != event.Completed {
		t.Errorf("ended %+v, want completed", end)
	}
}

func TestQuestionIsPendingOnce(t *testing.T) {
	s := openFake(t, &protocoltest.Fake{Questions: asking})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait[event.Asked](t, c.Collector, nil)
	if err := s.Submit(t.Context(), protocol.Answer{ID: "q1"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(t.Context(), protocol.Answer{ID: "q1"}); !errors.Is(err, protocol.ErrStale) {
		t.Errorf("answered twice: %v, want ErrStale", err)
	}
	if err := s.Submit(t.Context(), protocol.Cancel{}); err != nil {
		t.Fatal(err)
	}
	if end := c.Ended("p"); end.Outcome != event.Cancelled {
		t.Errorf("ended %+v, want cancelled", end)
	}
}
