package jsonl_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// lived is what a session of every kind of record an index looks at says.
func lived() []event.Envelope {
	first := event.Configured{Model: "p/m", Effort: "low", Approval: "ask"}
	second := event.Configured{Model: "p/n", Effort: "low", Approval: "ask", Title: "Fence"}
	eur := func(amount float64) *event.Money { return &event.Money{Amount: amount, Currency: "EUR"} }
	calls := message.Message{Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: "c1", Name: "bash"}, {ID: `c"2`, Name: "edit_file"}}}
	payloads := []event.Payload{
		event.Opened{Reason: event.OpenedNew},
		first,
		event.PrefixSet{System: "s"},
		event.PromptQueued{ID: "1", Display: "mend\nthe fence"},
		event.TurnStarted{Prompt: "1"},
		event.UserSaid{Prompt: "1"},
		event.Replied{Model: "p/m", Usage: message.Usage{Input: 10, Output: 2}, Cost: eur(0.5)},
		event.TurnEnded{Prompt: "1", Outcome: event.Limit, Reason: "steps", Detail: "too many"},
		event.Folded{Stage: "prune"},
		event.PromptQueued{ID: "2", Display: "paint it"},
		event.PromptQueued{ID: "3", Display: "and sell it"},
		event.TurnStarted{Prompt: "2"},
		event.UserSaid{Prompt: "2"},
		event.Replied{Model: "p/m", Usage: message.Usage{CacheRead: 30, Output: 1}, Cost: eur(0.25), Message: calls},
		event.ToolStarted{Call: "c1", Title: "ls"},
		event.ToolStarted{Call: `c"2`, Title: "Edit x"},
		event.ToolFinished{Call: "c1", Status: event.StatusOK},
		event.Asked{Question: event.Question{ID: "q", Title: "Edit x?"}},
		second,
	}
	var all []event.Envelope
	for i, p := range payloads {
		turn := 0
		if i >= 4 {
			turn = 1
		}
		if i >= 11 {
			turn = 2
		}
		all = append(all, event.Envelope{Seq: event.Seq(i + 1), Time: created.Add(time.Duration(i) * 3 * time.Hour), Turn: turn, Payload: p})
	}
	return all
}

func wantLived() session.Info {
	day := func(d string, n int, u message.Usage, amount float64) session.Spend {
		return session.Spend{Day: d, Model: "p/m", Requests: n, Usage: u, Amount: amount, Currency: "EUR"}
	}
	return session.Info{
		Meta: session.Meta{
			Format: 1, ID: id, Workspace: "/work", Created: created, Writer: "reasonix 1.0",
			Title: "Fence", Model: "p/n", Updated: created.Add(54 * time.Hour),
		},
		Last: 19, Turns: []session.TurnAt{{Turn: 1, Seq: 5}, {Turn: 2, Seq: 12}},
		Unfinished: &session.Unfinished{
			Turn: 2, Prompt: "2", Question: "Edit x?",
			Calls: []session.PendingCall{{ID: `c"2`, Name: "edit_file", Title: "Edit x", Started: true}},
		},
		Effective: event.Configured{Model: "p/m", Effort: "low", Approval: "ask", Title: "Fence"},
		Queued:    &event.Configured{Model: "p/n", Effort: "low", Approval: "ask", Title: "Fence"},
		Waiting:   []event.PromptQueued{{ID: "3", Display: "and sell it"}},
		Usage:     message.Usage{Input: 10, Output: 3, CacheRead: 30},
		Spent: []session.Spend{
			day("2026-01-03", 1, message.Usage{Input: 10, Output: 2}, 0.5),
			day("2026-01-04", 1, message.Usage{CacheRead: 30, Output: 1}, 0.25),
		},
		Prefix: 3, Folds: []event.Seq{9},
	}
}

func wantInfo(t *testing.T, s *jsonl.Store, want session.Info) {
	t.Helper()
	got, err := s.Info(t.Context(), id)
	noErr(t, err)
	got.Journal, got.Bytes = "", 0
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("info (-got +want):\n%s", d)
	}
}

// What the writer kept, what a reader finds without an index, and what it finds with an
// old one are the same.
func TestIndexIsTheSameHoweverItWasMade(t *testing.T) {
	s, dir := newJournal(t, lived()...)
	idx := filepath.Join(dir, string(id)+".idx")
	written, err := os.ReadFile(idx)
	noErr(t, err)
	wantInfo(t, s, wantLived())

	noErr(t, os.Remove(idx))
	wantInfo(t, s, wantLived())
	rebuilt, err := os.ReadFile(idx)
	noErr(t, err)
	if d := cmp.Diff(string(rebuilt), string(written)); d != "" {
		t.Errorf("rebuilt (-got +want):\n%s", d)
	}

	for n := range lived() { // an index of a process that was killed n records later
		s, dir := newJournal(t, lived()[:n]...)
		old, err := os.ReadFile(filepath.Join(dir, string(id)+".idx"))
		if n == 0 {
			continue // no record, no index
		}
		noErr(t, err)
		l, err := s.Open(t.Context(), id)
		noErr(t, err)
		noErr(t, l.Append(lived()[n:]...))
		noErr(t, l.Close())
		noErr(t, os.WriteFile(filepath.Join(dir, string(id)+".idx"), old, 0o600))
		wantInfo(t, s, wantLived())
	}
}

// An index is written when a turn ends, so that a kill leaves one.
func TestIndexIsWrittenWhenATurnEnds(t *testing.T) {
	s, dir := newJournal(t)
	l, err := s.Open(t.Context(), id)
	noErr(t, err)
	idx := filepath.Join(dir, string(id)+".idx")
	noErr(t, l.Append(note(1)))
	if data, _ := os.ReadFile(idx); bytes.Contains(data, []byte(`"last":1`)) {
		t.Error("written within a turn")
	}
	noErr(t, l.Append(event.Envelope{Seq: 2, Payload: event.TurnEnded{Outcome: event.Completed}}))
	if data, err := os.ReadFile(idx); err != nil || !bytes.Contains(data, []byte(`"last":2`)) {
		t.Errorf("behind the turn's end: %s, %v", data, err)
	}
	noErr(t, l.Close())
}

// What is wrong in an index changes nothing but time.
func TestAWrongIndexIsNotBelieved(t *testing.T) {
	other, otherDir := newJournal(t, notes(1, 30)...)
	_ = other
	foreign, err := os.ReadFile(filepath.Join(otherDir, string(id)+".idx"))
	noErr(t, err)
	for name, spoil := range map[string]func(idx, journal string) error{
		"empty":             func(idx, _ string) error { return os.WriteFile(idx, nil, 0o600) },
		"garbage":           func(idx, _ string) error { return os.WriteFile(idx, []byte("\x00\xff{}\n\n"), 0o600) },
		"of other records":  func(idx, _ string) error { return os.WriteFile(idx, foreign, 0o600) },
		"a directory":       func(idx, _ string) error { return os.Mkdir(idx, 0o700) },
		"journal was cut":   func(_, journal string) error { return os.Truncate(journal, 2000) },
		"journal is edited": func(_, journal string) error { return editFile(journal, "mend", "MEND") },
		"index is edited":   func(idx, _ string) error { return editFile(idx, `"last":19`, `"last":18`) },
		"half an index":     func(idx, _ string) error { return os.Truncate(idx, 700) },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newJournal(t, lived()...)
			idx, journal := filepath.Join(dir, string(id)+".idx"), filepath.Join(dir, string(id)+".jsonl")
			if !strings.Contains(name, "journal") && !strings.Contains(name, "index") {
				noErr(t, os.Remove(idx))
			}
			noErr(t, spoil(idx, journal))
			before, damage := readAll(t, s, 0)
			in, err := s.Info(t.Context(), id)
			noErr(t, err)
			fresh, freshDir := newJournal(t)
			data, err := os.ReadFile(journal)
			noErr(t, err)
			noErr(t, os.WriteFile(filepath.Join(freshDir, string(id)+".jsonl"), data, 0o600))
			want, err := fresh.Info(t.Context(), id)
			noErr(t, err)
			in.Journal, want.Journal = "", ""
			if d := cmp.Diff(in, want); d != "" {
				t.Errorf("info (-got +want):\n%s", d)
			}
			if len(damage) > 0 != (in.Damaged > 0) && name != "journal was cut" {
				t.Errorf("%d damaged, read finds %v", in.Damaged, damage)
			}
			appendOne(t, s)
			if after, _ := readAll(t, s, 0); len(after) != len(before)+1 {
				t.Errorf("%d records after an append to %d", len(after), len(before))
			}
		})
	}
}

func editFile(path, old, now string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed := bytes.Replace(data, []byte(old), []byte(now), 1)
	if bytes.Equal(changed, data) {
		return fmt.Errorf("%s does not hold %q", path, old)
	}
	return os.WriteFile(path, changed, 0o600)
}

// Reading from the middle begins at a mark, and gives what reading all of it gives.
func TestReadFromAnywhereIsTheEndOfReadingAll(t *testing.T) {
	s, dir := longSession(t, 2<<20)
	_, err := s.Info(t.Context(), id) // makes the index
	noErr(t, err)
	all, _ := readAll(t, s, 0)
	check := func(what string) {
		t.Helper()
		for after := event.Seq(0); after <= event.Seq(len(all))+1; after += 97 {
			got, damage := readAll(t, s, after)
			want := all[min(int(after), len(all)):]
			if len(got) != len(want) || len(damage) > 0 || len(got) > 0 && (got[0].Seq != want[0].Seq || got[len(got)-1].Seq != want[len(want)-1].Seq) {
				t.Fatalf("%s, after %d: %d records, damage %v, want %d", what, after, len(got), damage, len(want))
			}
		}
	}
	check("with its index")
	noErr(t, editFile(filepath.Join(dir, string(id)+".jsonl"), "\n", "\n\n\n")) // every place moves
	check("with an index of other places")
}

// List says the same from its cache, from indexes, and from the journals alone.
func TestListIsTheSameHoweverItWasMade(t *testing.T) {
	s, dir := manySessions(t, 100)
	want, err := s.List(t.Context(), session.Query{})
	noErr(t, err)
	if len(want) != 100 || want[0].Title != "task 99: mend the fence" || want[0].Outcome != event.Completed {
		t.Fatalf("%d sessions, first %+v", len(want), want[0])
	}
	same := func(what string) {
		t.Helper()
		got, err := s.List(t.Context(), session.Query{})
		noErr(t, err)
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s (-got +want):\n%s", what, d)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "list.idx")); err != nil {
		t.Fatal(err)
	}
	same("from the cache")
	for _, m := range want {
		_, err := s.Info(t.Context(), m.ID)
		noErr(t, err)
	}
	noErr(t, os.Remove(filepath.Join(dir, "list.idx")))
	same("from the indexes")
	noErr(t, os.WriteFile(filepath.Join(dir, "list.idx"), []byte("reasonix session list 0\n\x00\t\t\n"), 0o600))
	same("over a broken cache")
	whole, err := os.ReadFile(filepath.Join(dir, "list.idx"))
	noErr(t, err)
	for n := 0; n < len(whole); n += 997 {
		noErr(t, os.WriteFile(filepath.Join(dir, "list.idx"), whole[:n], 0o600))
		same("over a cut cache")
	}

	l, err := s.Open(t.Context(), want[50].ID)
	noErr(t, err)
	noErr(t, l.Append(event.Envelope{Seq: 7, Time: created, Payload: event.Configured{Title: "tab\there\\and\nthere"}}))
	noErr(t, l.Close())
	for range 2 {
		got, err := s.List(t.Context(), session.Query{})
		noErr(t, err)
		if got[0].ID != want[50].ID || got[0].Title != "tab\there\\and\nthere" {
			t.Errorf("the one written to last: %+v", got[0])
		}
	}
	noErr(t, s.Delete(t.Context(), want[50].ID))
	if got, err := s.List(t.Context(), session.Query{}); err != nil || len(got) != 99 {
		t.Errorf("%d sessions after deleting one, %v", len(got), err)
	}
}

// A title in the middle of a long session is shown, and giving one is no use of it.
func TestRenameAtRest(t *testing.T) {
	s, dir := newJournal(t, lived()...)
	journal := filepath.Join(dir, string(id)+".jsonl")
	noErr(t, os.Chtimes(journal, created, created))
	noErr(t, s.Rename(t.Context(), id, " a\x1b[31m \n title "+strings.Repeat("x", 300)))
	in, err := s.Info(t.Context(), id)
	noErr(t, err)
	if want := "a[31m title " + strings.Repeat("x", 188); in.Title != want || !in.Updated.Equal(created.Add(54*time.Hour)) || in.Model != "p/n" {
		t.Errorf("renamed: %+v, want title %q", in.Meta, want)
	}
	if info, err := os.Stat(journal); err != nil || !info.ModTime().Equal(created) {
		t.Errorf("the journal's time is %v, %v", info.ModTime(), err)
	}
	if wantLived().Unfinished.Turn != in.Unfinished.Turn {
		t.Error("a title ended the turn")
	}
}

// A prompt that ends beside the turn that runs does not end that.
func TestAPromptThatEndsBesideATurnIsNotItsEnd(t *testing.T) {
	records := []event.Payload{
		event.PromptQueued{ID: "1", Display: "x"},
		event.TurnStarted{Prompt: "1"},
		event.PromptQueued{ID: "2", Display: "y"},
		event.TurnEnded{Prompt: "2", Outcome: event.Cancelled},
	}
	var all []event.Envelope
	for i, p := range records {
		all = append(all, event.Envelope{Seq: event.Seq(i + 1), Turn: 1, Payload: p})
	}
	s, _ := newJournal(t, all...)
	in, err := s.Info(t.Context(), id)
	noErr(t, err)
	if in.Unfinished == nil || in.Unfinished.Prompt != "1" || in.Outcome != "" || len(in.Waiting) != 1 {
		t.Errorf("%+v, outcome %q, waiting %+v", in.Unfinished, in.Outcome, in.Waiting)
	}
}
