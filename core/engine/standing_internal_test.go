package engine

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
	"reasonix/core/view"
)

// stood is what a Standing says of a state.
func stood(s view.State) event.Standing {
	if s.Ended != nil { // a reader of the record has all of it
		ended := s.Ended.Briefly()
		s.Ended = &ended
	}
	return event.Standing{
		First: s.First, Turn: s.Turn, Running: s.Running, Ended: s.Ended, Queue: s.Queue, Pending: s.Pending,
		Todos: s.Todos, Jobs: s.Jobs, Usage: s.Usage, Cost: s.Cost, Words: s.Words, At: s.At, Closed: s.Closed, Context: s.Context,
	}
}

// joinedAt is what a reader makes of a session that begins behind the record after.
func joinedAt(t *testing.T, j *journal, after event.Seq) view.State {
	t.Helper()
	var s view.State
	for e, err := range j.events(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		if s = view.Apply(s, e); s.CaughtUp {
			break
		}
	}
	return s
}

func sameStanding(a, b view.State) string { return cmp.Diff(stood(a), stood(b), cmpopts.EquateEmpty()) }

// Who reads all records of a session and who reads none know the same of where it
// stands: of one that runs, of one that was resumed with its state or without, and of
// one that is only looked at.
func TestAReaderThatSkippedTheReplayKnowsWhereTheSessionStands(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		store := jsonl.New(dir, jsonl.Options{Workspace: "/w"})
		a := &author{Rand: rng}
		a.session(t, store, "s", 40+rng.IntN(160), 20+rng.IntN(30), func() {})
		for _, how := range []string{"with the state", "without"} {
			s, _ := loaded(t, store, "s")
			whole := joinedAt(t, s.j, 0)
			for _, after := range []event.Seq{s.j.seq, s.j.seq + 9, event.Tail} {
				if d := sameStanding(joinedAt(t, s.j, after), whole); d != "" {
					t.Fatalf("seed %d, %s, behind %d (-), all records (+):\n%s", seed, how, after, d)
				}
			}
			if at := whole; at.Last != s.j.seq || !at.CaughtUp {
				t.Fatalf("seed %d: read up to %d of %d", seed, at.Last, s.j.seq)
			}
			note(seen, stood(whole))
			if err := os.RemoveAll(filepath.Join(dir, "s.state")); err != nil {
				t.Fatal(err)
			}
		}
		w := &watch{j: newJournal(Parts{Now: time.Now}, store)}
		w.j.id = "s"
		if err := w.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := sameStanding(joinedAt(t, w.j, event.Tail), joinedAt(t, w.j, 0)); d != "" {
			t.Fatalf("seed %d, looked at, no record (-), all records (+):\n%s", seed, d)
		}
	}
	for _, what := range []string{"running", "ended", "queue", "pending", "todos", "jobs", "cost", "words", "closed", "context", "first"} {
		if !seen[what] {
			t.Errorf("no session had %s in its standing", what)
		}
	}
}

func note(seen map[string]bool, s event.Standing) {
	for what, had := range map[string]bool{
		"running": s.Running != "", "ended": s.Ended != nil, "queue": len(s.Queue) > 0, "pending": len(s.Pending) > 0,
		"todos": len(s.Todos) > 0, "jobs": len(s.Jobs) > 0, "cost": len(s.Cost) > 1, "words": s.Words.Text != "",
		"closed": s.Closed, "context": s.Context != event.ContextUsed{}, "first": s.First != "",
	} {
		seen[what] = seen[what] || had
	}
}

// What a reader was given stays as it was, whatever happens next.
func TestAStandingThatWasGivenDoesNotChange(t *testing.T) {
	store := jsonl.New(t.TempDir(), jsonl.Options{Workspace: "/w"})
	log, err := store.Create(t.Context(), session.Meta{ID: "s", Workspace: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	j := newJournal(Parts{Now: time.Now}, store)
	j.id, j.log = "s", log
	emit := func(all ...event.Payload) {
		t.Helper()
		for _, p := range all {
			if err := j.emit(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	emit(event.PromptQueued{ID: "1"}, event.PromptQueued{ID: "2"}, event.JobStarted{Job: "a"}, event.JobStarted{Job: "b"},
		event.Asked{Question: event.Question{ID: "x"}}, event.Asked{Question: event.Question{ID: "y"}},
		event.Replied{Cost: &event.Money{Amount: 1, Currency: "USD"}})
	given := joinedAt(t, j, event.Tail)
	emit(event.UserSaid{Prompt: "1"}, event.PromptQueued{ID: "3"}, event.JobEnded{Job: "a"}, event.JobStarted{Job: "c"},
		event.Answered{ID: "x"}, event.Asked{Question: event.Question{ID: "z"}}, event.Replied{Cost: &event.Money{Amount: 1, Currency: "USD"}})
	if len(given.Queue) != 2 || given.Queue[0].ID != "1" || given.Jobs[0].Job != "a" || given.Pending[0].ID != "x" || given.Cost[0].Amount != 1 {
		t.Errorf("got %+v", stood(given))
	}
	if now := joinedAt(t, j, event.Tail); now.Queue[0].ID != "2" || now.Jobs[1].Job != "c" || now.Cost[0].Amount != 2 {
		t.Errorf("got %+v", stood(now))
	}
}

// How full the window is as it was told, with the window's size, is better than what the
// journal knows of it.
func TestAStandingSaysHowFullTheWindowIs(t *testing.T) {
	store := jsonl.New(t.TempDir(), jsonl.Options{Workspace: "/w"})
	j := newJournal(Parts{Now: time.Now}, store)
	used := event.ContextUsed{Tokens: 9, Window: 100}
	if err := j.emit(used); err != nil {
		t.Fatal(err)
	}
	if got := joinedAt(t, j, event.Tail).Context; got != used {
		t.Errorf("got %+v", got)
	}
}
