package jsonl_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

const stated event.SessionID = "20260102-150405-5ca1ab"

// withState is a closed session of four records, with a state of the first two.
func withState(t *testing.T) (*jsonl.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s := jsonl.New(dir, jsonl.Options{Workspace: "/w"})
	l, err := s.Create(t.Context(), session.Meta{ID: stated})
	if err != nil {
		t.Fatal(err)
	}
	add := func(text string) {
		e := event.Envelope{Seq: l.Last() + 1, Payload: event.Notice{Text: text}}
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	add("one")
	add("two")
	l.Keep([]byte("the state"))
	add("three")
	add("four")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return s, filepath.Join(dir, string(stated))
}

// kept is what the next opening finds.
func kept(t *testing.T, s *jsonl.Store) string {
	t.Helper()
	l, err := s.Open(t.Context(), stated)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	state, _ := l.Kept()
	return string(state)
}

// A process that was killed leaves an index that is shorter than the journal. Records of
// the state that were edited then, to the same length, are read like any other: whoever
// has made the index longer since.
func TestAStateIsNotBelievedOfAnEditInAJournalThatGrew(t *testing.T) {
	for _, edited := range []bool{false, true} {
		for _, looked := range []bool{false, true} {
			s, base := withState(t)
			index, err := os.ReadFile(base + ".idx")
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.Open(t.Context(), stated)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Append(event.Envelope{Seq: l.Last() + 1, Payload: event.Notice{Text: strings.Repeat("long ", 30_000)}}); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(base+".idx", index, 0o600); err != nil { // as it was when the process was killed
				t.Fatal(err)
			}
			want := "the state"
			if edited {
				data, err := os.ReadFile(base + ".jsonl")
				if err != nil {
					t.Fatal(err)
				}
				data = bytes.Replace(data, []byte("one"), []byte("off"), 1)
				if err := os.WriteFile(base+".jsonl", data, 0o600); err != nil {
					t.Fatal(err)
				}
				want = ""
			}
			if looked {
				if _, err := s.Info(t.Context(), stated); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if got := kept(t, s); got != want {
					t.Errorf("edited %t, looked at %t: kept %q, want %q", edited, looked, got, want)
				}
			}
		}
	}
}

// A state is believed only where the journal is what it was made of. Whatever is wrong
// with it or with the index costs time alone.
func TestAStateIsBelievedOnlyOfItsJournal(t *testing.T) {
	edit := func(path string, at int, b byte) func(t *testing.T, base string) {
		return func(t *testing.T, base string) {
			data, err := os.ReadFile(base + path)
			if err != nil {
				t.Fatal(err)
			}
			data[at] = b
			if err := os.WriteFile(base+path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(base+path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, base string)
		want   string
	}{
		"nothing is wrong":      {func(*testing.T, string) {}, "the state"},
		"the state is damaged":  {edit(".state", 3, 'X'), ""},
		"a record is edited":    {edit(".jsonl", 250, 'X'), ""},
		"the index is damaged":  {edit(".idx", 20, 'X'), ""},
		"the index is gone":     {func(_ *testing.T, base string) { os.Remove(base + ".idx") }, ""},
		"the state is gone":     {func(_ *testing.T, base string) { os.Remove(base + ".state") }, ""},
		"the journal was cut":   {func(_ *testing.T, base string) { os.Truncate(base+".jsonl", 300) }, ""},
		"it was cut and is new": {func(_ *testing.T, base string) { os.Truncate(base+".jsonl", 300); os.Remove(base + ".idx") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, base := withState(t)
			c.damage(t, base)
			if _, err := s.Info(t.Context(), stated); err != nil { // makes a wrong index anew
				t.Fatal(err)
			}
			for range 2 {
				if got := kept(t, s); got != c.want {
					t.Errorf("kept %q, want %q", got, c.want)
				}
			}
		})
	}
}
