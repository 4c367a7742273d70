package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/session"
	"reasonix/core/session/sessiontest"
)

// recorded is a recorder over a journal of its own, and what is in that.
func recorded(t *testing.T) (*recorder, func() []event.Payload) {
	t.Helper()
	store := sessiontest.Memory()
	log, err := store.Create(t.Context(), session.Meta{ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	j := newJournal(Parts{Now: time.Now}, store)
	j.id, j.log = "s", log
	return &recorder{j: j, now: time.Now}, func() (all []event.Payload) {
		for e, err := range store.Read(t.Context(), "s", 0) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e.Payload)
		}
		return all
	}
}

func typesOf(all []event.Payload) (types []string) {
	for _, p := range all {
		types = append(types, event.KindOf(p).Type)
	}
	return types
}

// What is in no journal did not happen, for the parts either.
func TestPartsHearWhatTheJournalTook(t *testing.T) {
	rec, _ := recorded(t)
	var heard []string
	for _, name := range []string{"a", "b"} {
		rec.parts = append(rec.parts, func(p event.Payload) { heard = append(heard, name+" "+event.KindOf(p).Type) })
	}
	if err := rec.emit(event.Planned{}); err != nil {
		t.Fatal(err)
	}
	if err := rec.j.close(); err != nil {
		t.Fatal(err)
	}
	if err := rec.emit(event.Ended{}); !errors.Is(err, protocol.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if want := []string{"a plan.changed", "b plan.changed"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v", heard)
	}
}

func TestTallyEndsATurnInOneWord(t *testing.T) {
	stop := &agent.Stop{Outcome: event.Limit, Reason: "steps"}
	for _, c := range []struct {
		name    string
		refused bool
		err     error
		outcome event.Outcome
		reason  string
	}{
		{"nothing went wrong", false, nil, event.Completed, ""},
		{"nobody was there to be asked", true, nil, event.Denied, "nobody_to_ask"},
		{"the loop stopped", true, fmt.Errorf("wrapped: %w", stop), event.Limit, "steps"},
		{"a fault", true, errors.New("disk"), event.Internal, ""},
	} {
		var sum tally
		sum.follow(event.Replied{Message: message.Message{ToolCalls: []message.ToolCall{{}}}, Usage: message.Usage{Input: 3}})
		sum.follow(event.Answered{Usage: message.Usage{Input: 4}, Cost: &event.Money{Amount: 2, Currency: "USD"}})
		if c.refused {
			sum.refuse()
		}
		got := sum.outcome(c.err)
		if got.Outcome != c.outcome || got.Reason != c.reason || got.Steps != 1 || got.Usage.Input != 7 || got.Cost.Amount != 2 {
			t.Errorf("%s: %+v", c.name, got)
		}
		if sum.reset(time.Now()); sum.outcome(nil).Usage != (message.Usage{}) {
			t.Errorf("%s: the next turn begins with %+v", c.name, sum.outcome(nil))
		}
	}
}

// Commands that an earlier process accepted are turns of their own; the rest is said in
// the next turn, in its order.
func TestCommandsThatWaitAreTurnsOfTheirOwn(t *testing.T) {
	v := voice{
		commands: func(text string) (Command, bool, error) {
			return Command{Op: protocol.Reload{}}, text == "/reload", nil
		},
		waiting: []event.PromptQueued{{ID: "1", Display: "a"}, {ID: "2", Display: "/reload"}, {ID: "3", Display: "/reload", Literal: true}, {ID: "4", Display: "/reload", Kind: event.KindSteer}},
	}
	if got := v.takeCommands(); len(got) != 1 || got[0].ID != "2" {
		t.Errorf("turns: %+v", got)
	}
	if len(v.waiting) != 3 || v.waiting[0].ID != "1" || v.waiting[2].ID != "4" || len(v.takeCommands()) != 0 {
		t.Errorf("waiting: %+v", v.waiting)
	}
}

func TestAPromptIsCancelledBeforeItsTurn(t *testing.T) {
	rec, journal := recorded(t)
	q := turns{rec: rec, queue: []event.PromptQueued{{ID: "1"}, {ID: "2"}, {ID: "3"}}}
	for _, id := range []event.PromptID{"2", "2", "", "9"} {
		if err := q.cancel(protocol.Cancel{Prompt: id, Reason: "sigint"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(q.queue) != 2 || q.queue[1].ID != "3" {
		t.Errorf("queue %+v", q.queue)
	}
	all := journal()
	if len(all) != 1 || all[0].(event.TurnEnded).Prompt != "2" || all[0].(event.TurnEnded).Reason != "sigint" {
		t.Errorf("journal %+v", all)
	}
}

func TestATurnTakesTheWorkspaceOnce(t *testing.T) {
	rec, _ := recorded(t)
	var log []string
	tr := tracker{rec: rec, hooks: &hooks{}, lease: func(context.Context, func(string)) (func() error, error) {
		log = append(log, "taken")
		return func() error { log = append(log, "given back"); return nil }, nil
	}}
	for range 2 {
		for range 3 {
			if _, err := tr.writing(t.Context(), agent.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(tr.giveBack(), tr.giveBack()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"taken", "given back", "taken", "given back"}; !slices.Equal(log, want) {
		t.Errorf("got %v", log)
	}
}

// restoring puts nothing back and says what was recorded before it was asked to.
type restoring struct {
	Checkpoints
	journal func() []event.Payload
	before  []string
}

func (r *restoring) Restore(_ context.Context, files []event.File) ([]event.File, []event.Kept) {
	r.before = typesOf(r.journal())
	return files, nil
}

func TestARewindIsRecordedBeforeAFileIsTouched(t *testing.T) {
	rec, journal := recorded(t)
	for _, p := range []event.Payload{
		event.UserSaid{Message: message.Message{ID: "u"}},
		event.FilesChanged{Files: []event.File{{Path: "/a", Mode: "100644", After: "1"}}},
		event.Replied{Message: message.Message{ID: "m", Content: "done"}},
	} {
		if err := rec.emit(p); err != nil {
			t.Fatal(err)
		}
	}
	points := &restoring{journal: journal}
	busy := errors.New("taken")
	r := rewinder{j: rec.j, checkpoints: points, lease: func(context.Context, func(string)) (func() error, error) { return nil, busy }}
	if err := r.rewind(protocol.Rewind{To: "u", Files: true, Conversation: true}); !errors.Is(err, busy) {
		t.Errorf("while another one writes: %v", err)
	}
	r.lease = nil
	if err := r.rewind(protocol.Rewind{To: "u", Files: true, Conversation: true}); err != nil {
		t.Fatal(err)
	}
	if n := len(points.before); n != 4 || points.before[3] != "session.rewinding" {
		t.Errorf("before: %v", points.before)
	}
	if got := typesOf(journal()); got[len(got)-1] != "session.rewound" || r.unfinished() != nil {
		t.Errorf("after: %v", got)
	}
}

// What turns ran on is closed before they run on something else, and made when needed.
func TestWorksAreMadeWhenATurnNeedsThem(t *testing.T) {
	rec, _ := recorded(t)
	if err := rec.emit(prefixSet("s", nil, "new")); err != nil {
		t.Fatal(err)
	}
	made := 0
	loop := func(event.Configured) (agent.Runner, error) { made++; return nil, errors.New("no model") }
	w := works{rec: rec, loop: loop}
	if _, _, err := w.input(); err == nil || made != 1 {
		t.Errorf("made %d: %v", made, err)
	}
	w.loop = func(event.Configured) (agent.Runner, error) { made++; return runs{}, nil }
	for range 2 {
		if _, in, err := w.input(); err != nil || len(in.Messages) != 1 {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if err := w.change(w.loop, nil); err != nil || w.runner != nil || made != 2 {
		t.Errorf("made %d: %v", made, err)
	}
}

type runs struct{}

func (runs) Run(context.Context, agent.Input) error { return nil }
