package view_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/view"
)

var when = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// script numbers payloads as a session would: all in turn 1.
func script(payloads ...event.Payload) []event.Envelope {
	var all []event.Envelope
	seq := event.Seq(0)
	for _, p := range payloads {
		e := event.Envelope{Time: when, Turn: 1, Payload: p}
		if event.KindOf(p).Class == event.Durable {
			seq++
			e.Seq = seq
		}
		all = append(all, e)
	}
	return all
}

func fold(s view.State, events ...event.Envelope) view.State {
	for _, e := range events {
		s = view.Apply(s, e)
	}
	return s
}

func after(payloads ...event.Payload) view.State { return fold(view.State{}, script(payloads...)...) }

func wantSame[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

var (
	money = event.Money{Amount: 0.5, Currency: "USD"}
	usage = message.Usage{Input: 10, Output: 2}
	calls = event.Replied{
		Message: message.Message{
			ID: "m1", Role: message.Assistant, Content: "let me look",
			Reasoning: []message.Reasoning{{Text: "hm, "}, {Text: "files"}},
			ToolCalls: []message.ToolCall{{ID: "a", Name: "ls", Arguments: "{}"}, {ID: "b", Name: "bash", Arguments: `{"command":"rm x"}`}},
		},
		Model: "p/m", Finish: event.FinishCalls, Usage: usage, Cost: &money, Attempts: 1,
	}
	done = event.ToolFinished{Call: "a", Status: event.StatusOK, Message: message.Message{Role: message.ToolRole, Content: "files"}}
)

// effects has a row for each kind of event: what came before, and an event that
// changes what is drawn.
func effects() map[string][]event.Payload {
	question := event.Asked{Question: event.Question{ID: "q"}}
	rows := [][]event.Payload{
		{event.Opened{Reason: event.OpenedNew}},
		{event.Configured{Model: "p/m"}},
		{event.PrefixSet{Hash: "h", Tools: []message.ToolSchema{{Name: "ls"}}}},
		{event.Repaired{Answered: []string{"a"}}},
		{event.Offered{Efforts: []string{"high"}}},
		{event.ServerChanged{Name: "docs", State: event.ServerReady}},
		{event.CaughtUp{Last: 9}},
		{event.Notice{Text: "careful"}},
		{event.Ended{}},
		{event.PromptQueued{ID: "p"}},
		{event.TurnStarted{Prompt: "p"}},
		{event.UserSaid{Prompt: "p", Display: "hello"}},
		{event.TurnEnded{Prompt: "p", Outcome: event.Completed}},
		{event.Phase{Name: event.PhaseModel}},
		{event.TextDelta{Message: "m", Text: "x"}},
		{event.ReasoningDelta{Message: "m", Text: "x"}},
		{event.CallDelta{Message: "m", Name: "ls"}},
		{event.TextDelta{Message: "m", Text: "x"}, event.Retrying{Discard: "m", Attempt: 2}},
		{calls},
		{event.ContextUsed{Tokens: 5}},
		{event.Folded{Stage: event.FoldSnip}},
		{calls, event.ToolStarted{Call: "a", Title: "list"}},
		{calls, event.ToolOutput{Call: "a", Text: "f"}},
		{calls, event.ToolProgress{Call: "a", Done: 1}},
		{calls, done},
		{calls, event.Rewound{Was: "m"}},
		{event.Planned{Todos: []event.Todo{{Text: "look"}}}},
		{event.JobStarted{Job: "bash-1"}},
		{event.JobStarted{Job: "bash-1"}, event.JobEnded{Job: "bash-1", Status: event.JobDone}},
		{event.ChildStarted{Session: "c"}},
		{event.ChildEnded{Session: "c", Usage: usage}},
		{question},
		{question, event.Answered{ID: "q"}},
		{event.Granted{Rule: "bash(ls)"}},
		{event.HookRan{Hook: "format"}},
		{event.Unknown{Type: "later.thing"}},
	}
	byType := map[string][]event.Payload{}
	for _, row := range rows {
		byType[event.KindOf(row[len(row)-1]).Type] = row
	}
	return byType
}

func TestEveryKindIsDrawn(t *testing.T) {
	rows := effects()
	for _, k := range append(event.Kinds(), event.Kind{Type: "later.thing"}) {
		switch k.Type {
		case "files.changed": // the diffs of its call say the same to people
			continue
		case "session.rewinding": // the Rewound behind it says what came of it
			continue
		}
		row := rows[k.Type]
		if row == nil {
			t.Errorf("%s: no row says what it draws", k.Type)
			continue
		}
		events := script(row...)
		before := fold(view.State{}, events[:len(events)-1]...)
		got := view.Apply(before, events[len(events)-1])
		before.Last = got.Last
		if cmp.Equal(got, before) {
			t.Errorf("%s changes nothing", k.Type)
		}
	}
}

func turnOfOneCall() []event.Envelope {
	exit := 1
	return script(
		event.Opened{Reason: event.OpenedNew, Workspace: "/w"},
		event.Configured{Model: "p/m"},
		event.PromptQueued{ID: "p1", Display: "what is here?"},
		event.TurnStarted{Prompt: "p1"},
		event.UserSaid{Prompt: "p1", Display: "what is here?", Message: message.Message{ID: "u1", Role: message.User, Content: "date\nwhat is here?"}},
		event.Phase{Name: event.PhaseModel},
		event.ReasoningDelta{Message: "m1", Text: "hm, files"},
		event.TextDelta{Message: "m1", Text: "let me "},
		event.TextDelta{Message: "m1", Offset: 7, Text: "look"},
		event.CallDelta{Message: "m1", Index: 1, Name: "bash", Bytes: 3},
		event.CallDelta{Message: "m1", Index: 0, Name: "ls", Bytes: 2},
		calls,
		event.ToolStarted{Call: "a", Title: "list .", Kind: "read", Rule: "read-only", Held: "a box"},
		event.ToolOutput{Call: "a", Text: "fi"},
		event.Asked{Question: event.Question{ID: "q1", Call: "b"}},
		event.Answered{ID: "q1", By: event.ByUser},
		event.ToolFinished{
			Call: "b", Title: "run rm x", Status: event.StatusDenied, Rule: "ask", Reason: "you said no",
			Message: message.Message{Role: message.ToolRole, Content: "denied: you said no"},
		},
		event.ToolFinished{
			Call: "a", Status: event.StatusOK, Message: message.Message{Role: message.ToolRole, Content: "files"},
			Exit: &exit, Diffs: []event.Diff{{Path: "x"}}, Full: "hash", Took: time.Second,
		},
		event.Replied{Message: message.Message{ID: "m2", Role: message.Assistant, Content: "one file"}, Model: "p/m", Finish: event.FinishStop, Usage: usage, Cost: &money},
		event.TurnEnded{Prompt: "p1", Outcome: event.Completed, Steps: 1, Usage: usage.Add(usage)},
		event.Phase{Name: event.PhaseIdle},
	)
}

func TestTurnBecomesAConversation(t *testing.T) {
	exit := 1
	ended := event.TurnEnded{Prompt: "p1", Outcome: event.Completed, Steps: 1, Usage: usage.Add(usage)}
	got := fold(view.State{}, turnOfOneCall()...)
	wantSame(t, "state", got, view.State{
		Last: 13, At: when, First: "what is here?", Words: event.Words{Message: "m2", Text: "one file"}, Opened: event.Opened{Reason: event.OpenedNew, Workspace: "/w"}, Configured: event.Configured{Model: "p/m"},
		Phase: event.Phase{Name: event.PhaseIdle}, Turn: 1, Ended: &ended, Usage: usage.Add(usage),
		Cost: []event.Money{{Amount: 1, Currency: "USD"}},
		Messages: []*view.Message{
			{ID: "u1", Role: message.User, Turn: 1, Time: when, Prompt: "p1", Text: "what is here?"},
			{
				ID: "m1", Role: message.Assistant, Turn: 1, Time: when, Text: "let me look", Reasoning: "hm, files",
				Model: "p/m", Finish: event.FinishCalls, Usage: usage, Cost: &money, Attempts: 1,
				Calls: []view.Call{
					{
						ID: "a", Name: "ls", Arguments: "{}", Title: "list .", Kind: "read", Rule: "read-only", Held: "a box", Started: true,
						Status: event.StatusOK, Output: view.Stream{Text: "files"}, Exit: &exit,
						Diffs: []event.Diff{{Path: "x"}}, Full: "hash", Took: time.Second,
					},
					{
						ID: "b", Name: "bash", Arguments: `{"command":"rm x"}`, Title: "run rm x", Rule: "ask",
						Status: event.StatusDenied, Reason: "you said no", Output: view.Stream{Text: "denied: you said no"},
					},
				},
			},
			{ID: "m2", Role: message.Assistant, Turn: 1, Time: when, Text: "one file", Model: "p/m", Finish: event.FinishStop, Usage: usage, Cost: &money},
		},
		Denials: []view.Denial{{Call: "b", Tool: "bash", Title: "run rm x", Rule: "ask", Reason: "you said no", Turn: 1}},
	})
}

// Reading twice, as after a lost connection, ends where reading once does.
func TestRepeatedEventsAreHarmless(t *testing.T) {
	events := turnOfOneCall()
	want := fold(view.State{}, events...)
	for i := range events {
		s := fold(view.State{}, events[:i]...)
		s = fold(s, events[:i]...) // once more from the start
		s = fold(s, events[i:]...)
		wantSame(t, fmt.Sprintf("repeated at %d", i), s, want)
	}
}

func TestApplyChangesNoOlderState(t *testing.T) {
	events := append(turnOfOneCall(),
		event.Envelope{Seq: 14, Payload: event.Notice{Text: "a"}}, event.Envelope{Seq: 15, Payload: event.Granted{Rule: "r"}})
	var s view.State
	var states []view.State
	var texts []string
	text := func(s view.State) string {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, e := range events {
		states, texts = append(states, s), append(texts, text(s))
		for _, other := range events { // every future, not only the one that came
			other.Seq = 0
			view.Apply(s, other)
		}
		s = view.Apply(s, e)
	}
	for i, s := range states {
		wantSame(t, fmt.Sprintf("state %d", i), text(s), texts[i])
	}
}

func BenchmarkReplay(b *testing.B) {
	turn := turnOfOneCall()
	b.ReportAllocs()
	for b.Loop() {
		var s view.State
		for range 500 {
			for _, e := range turn {
				e.Seq = 0
				s = view.Apply(s, e)
			}
		}
	}
}
