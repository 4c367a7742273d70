package jsonl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// bigSession is a session whose middle a list must not need.
func bigSession(t testing.TB, s *jsonl.Store, id event.SessionID, replies int) {
	t.Helper()
	l, err := s.Create(t.Context(), session.Meta{ID: id, Created: created})
	noErr(t, err)
	seq := event.Seq(0)
	add := func(p event.Payload) {
		seq++
		noErr(t, l.Append(event.Envelope{Seq: seq, Time: created.Add(time.Duration(seq)), Payload: p}))
	}
	add(event.Configured{Model: "a/b"})
	add(event.PrefixSet{System: strings.Repeat("rule ", 10_000)})
	add(event.PromptQueued{Display: "  first line of the prompt \nsecond"})
	for range replies {
		add(event.Replied{Message: message.Message{Content: strings.Repeat("word ", 2000)}})
	}
	add(event.TurnEnded{Outcome: event.Completed})
	noErr(t, l.Close())
}

func TestListReadsBeginningAndEndOfABigSession(t *testing.T) {
	s := jsonl.New(filepath.Join(t.TempDir(), "s"), jsonl.Options{Workspace: "/w", Writer: "x 1"})
	bigSession(t, s, id, 100)
	list, err := s.List(t.Context(), session.Query{})
	noErr(t, err)
	want := session.Meta{
		Format: 1, ID: id, Workspace: "/w", Created: created, Writer: "x 1",
		Title: "first line of the prompt", Model: "a/b", Outcome: event.Completed, Updated: created.Add(104),
	}
	if len(list) != 1 || list[0] != want {
		t.Errorf("got %+v, want %+v", list, want)
	}
}

func TestListLeavesOutWhatIsNoSession(t *testing.T) {
	s, dir := newJournal(t, note(1))
	for name, text := range map[string]string{
		"empty.jsonl": "", "garbage.jsonl": "\x00\x01\n\n{}\n", "bad name.jsonl": "x", "notes.txt": "x", "index.jsonl": "{}\n",
	} {
		noErr(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	noErr(t, os.Mkdir(filepath.Join(dir, "dir.jsonl"), 0o700))
	list, err := s.List(t.Context(), session.Query{})
	if err != nil || len(list) != 1 || list[0].ID != id {
		t.Errorf("got %+v, %v, want the one session", list, err)
	}
}

func TestListShowsASessionWhoseHeaderIsDamaged(t *testing.T) {
	s, dir := newJournal(t, event.Envelope{Seq: 1, Payload: event.PromptQueued{Display: "hello"}})
	edit(t, dir, func(text string) string { return "?" + text[1:] })
	list, err := s.List(t.Context(), session.Query{})
	if err != nil || len(list) != 1 || list[0].Title != "hello" {
		t.Errorf("got %+v, %v, want it with its title", list, err)
	}
}

func TestListPagesBehindADeletedSession(t *testing.T) {
	s := jsonl.New(filepath.Join(t.TempDir(), "s"), jsonl.Options{})
	for i := range 4 {
		l, err := s.Create(t.Context(), session.Meta{ID: event.SessionID(fmt.Sprintf("2026010%d-000000-aaaaaa", i))})
		noErr(t, err)
		noErr(t, l.Close())
	}
	noErr(t, s.Delete(t.Context(), "20260102-000000-aaaaaa"))
	list, err := s.List(t.Context(), session.Query{Before: "20260102-000000-aaaaaa"})
	if err != nil || len(list) != 2 || list[0].ID != "20260101-000000-aaaaaa" {
		t.Errorf("got %+v, %v, want the two older ones", list, err)
	}
}

func TestLongPromptMakesAShortTitle(t *testing.T) {
	s, _ := newJournal(t, event.Envelope{Seq: 1, Payload: event.PromptQueued{Display: strings.Repeat("漢", 200)}})
	list, err := s.List(t.Context(), session.Query{})
	if want := strings.Repeat("漢", 80) + "…"; err != nil || list[0].Title != want {
		t.Errorf("got %+v, %v, want %s", list, err, want)
	}
}

func BenchmarkList(b *testing.B) {
	s := jsonl.New(filepath.Join(b.TempDir(), "s"), jsonl.Options{})
	for i := range 50 {
		bigSession(b, s, event.SessionID(fmt.Sprintf("20260102-1504%02d-aaaaaa", i)), 10)
	}
	for b.Loop() {
		if list, err := s.List(b.Context(), session.Query{}); err != nil || len(list) != 50 {
			b.Fatal(len(list), err)
		}
	}
}
