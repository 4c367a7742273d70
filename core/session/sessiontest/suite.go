package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"testing"

	"reasonix/core/event"
	"reasonix/core/session"
)

const (
	first  event.SessionID = "20260102-150405-aaaaaa"
	second event.SessionID = "20260102-150406-bbbbbb"
	third  event.SessionID = "20260102-150407-cccccc"
)

// Run tests a store. open returns an empty one that lives as long as t.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s session.Store)
	}{
		{"what is appended is read", appendedIsRead},
		{"every kind of event survives", everyKindSurvives},
		{"a batch is whole or not there", batchIsWhole},
		{"a log goes on where it ended", logGoesOn},
		{"a session has one writer", oneWriter},
		{"an id is made once", idIsMadeOnce},
		{"what is not there is unknown", unknown},
		{"readers beside a writer see a prefix", readersSeeAPrefix},
		{"a read can be left and cancelled", readCanBeLeft},
		{"a list is newest first and paged", listIsPaged},
		{"a list shows title, model and outcome", listShows},
		{"saved bytes are loaded", savedIsLoaded},
		{"info is what the journal says", infoSays},
		{"a copy outlives what it was made of", copyOutlives},
		{"a copy is made once and of what is there", copyIsMadeOnce},
		{"a title changes nothing else", renameChangesTheTitle},
		{"a state is kept beside its records", stateIsKept},
		{"deleted is gone", deletedIsGone},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func note(seq event.Seq) event.Envelope {
	return event.Envelope{Seq: seq, Time: at(seq), Payload: event.Notice{Text: fmt.Sprintf("note %d", seq)}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, s session.Store, id event.SessionID) session.Log {
	t.Helper()
	l, err := s.Create(t.Context(), session.Meta{ID: id, Workspace: "/w", Created: at(0), Parent: "p", Writer: "test"})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// wantEvents compares what Read yields behind after.
func wantEvents(t *testing.T, s session.Store, id event.SessionID, after event.Seq, want ...event.Envelope) {
	t.Helper()
	var got []event.Envelope
	for e, err := range s.Read(t.Context(), id, after) {
		must(t, err)
		got = append(got, e)
	}
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("event %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

func appendedIsRead(t *testing.T, s session.Store) {
	l := create(t, s, first)
	wantEvents(t, s, first, 0)
	if l.Last() != 0 || l.Torn() != nil {
		t.Errorf("new session: last %d, torn %v", l.Last(), l.Torn())
	}
	must(t, l.Append(note(1)))
	must(t, l.Append())
	must(t, l.Append(note(2), note(3)))
	must(t, l.Sync())
	if l.Last() != 3 {
		t.Errorf("last %d, want 3", l.Last())
	}
	wantEvents(t, s, first, 0, note(1), note(2), note(3))
	wantEvents(t, s, first, 2, note(3))
	wantEvents(t, s, first, 3)
	wantEvents(t, s, first, event.Tail)
}

func everyKindSurvives(t *testing.T, s session.Store) {
	var all []event.Envelope
	for _, k := range event.Kinds() {
		if k.Class == event.Durable {
			seq := event.Seq(len(all) + 1)
			all = append(all, event.Envelope{Seq: seq, Time: at(seq), Turn: 1, Payload: k.Zero})
		}
	}
	seq := event.Seq(len(all) + 1)
	all = append(all, event.Envelope{Seq: seq, Payload: event.Unknown{Type: "x.y", Data: []byte(`{"z": [1]}`)}})
	must(t, create(t, s, first).Append(all...))
	wantEvents(t, s, first, 0, all...)
}

func batchIsWhole(t *testing.T, s session.Store) {
	l := create(t, s, first)
	must(t, l.Append(note(1)))
	for _, bad := range [][]event.Envelope{
		{note(1)}, {note(3)}, {note(0)}, {note(2), note(2)}, {note(2), {Seq: 3}},
	} {
		if err := l.Append(bad...); err == nil {
			t.Errorf("appended %v behind 1", bad)
		}
	}
	if l.Last() != 1 {
		t.Errorf("last %d, want 1", l.Last())
	}
	must(t, l.Append(note(2)))
	wantEvents(t, s, first, 0, note(1), note(2))
}

func logGoesOn(t *testing.T, s session.Store) {
	l := create(t, s, first)
	must(t, l.Append(note(1), note(2)))
	must(t, l.Close())
	must(t, l.Close())
	if err := l.Append(note(3)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	if err := l.Sync(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("sync after close: %v", err)
	}
	again, err := s.Open(t.Context(), first)
	must(t, err)
	if again.Last() != 2 || again.Torn() != nil {
		t.Errorf("reopened: last %d, torn %v", again.Last(), again.Torn())
	}
	must(t, again.Append(note(3)))
	must(t, again.Close())
	wantEvents(t, s, first, 0, note(1), note(2), note(3))
}

func oneWriter(t *testing.T, s session.Store) {
	l := create(t, s, first)
	_, err := s.Open(t.Context(), first)
	locked, ok := errors.AsType[*session.LockedError](err)
	if !ok || locked.ID != first || locked.Holder == "" {
		t.Fatalf("second writer: %v, want a *LockedError with its holder", err)
	}
	if err := s.Delete(t.Context(), first); !errors.As(err, &locked) {
		t.Errorf("delete: %v, want a *LockedError", err)
	}
	must(t, l.Append(note(1)))
	must(t, l.Close())
	again, err := s.Open(t.Context(), first)
	must(t, err)
	must(t, l.Close()) // a late second Close frees nothing
	if _, err := s.Open(t.Context(), first); !errors.As(err, &locked) {
		t.Errorf("third writer: %v, want a *LockedError", err)
	}
	must(t, again.Close())
}

func idIsMadeOnce(t *testing.T, s session.Store) {
	must(t, create(t, s, first).Close())
	if _, err := s.Create(t.Context(), session.Meta{ID: first}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made twice: %v", err)
	}
	for _, bad := range []event.SessionID{"", "../x", "a/b", ".."} {
		if _, err := s.Create(t.Context(), session.Meta{ID: bad}); err == nil {
			t.Errorf("made %q", bad)
		}
	}
	l, err := s.Open(t.Context(), first)
	must(t, err) // the refused ones hold no lock
	must(t, l.Close())
}

func unknown(t *testing.T, s session.Store) {
	for _, id := range []event.SessionID{first, "", "../x", "a/b"} {
		if _, err := s.Open(t.Context(), id); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("open %q: %v", id, err)
		}
		if err := s.Delete(t.Context(), id); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("delete %q: %v", id, err)
		}
		if _, err := s.Info(t.Context(), id); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("info of %q: %v", id, err)
		}
		if err := s.Copy(t.Context(), id, 0, session.Meta{ID: second}); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("copy of %q: %v", id, err)
		}
		if err := s.Rename(t.Context(), id, "x"); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("rename %q: %v", id, err)
		}
		if _, _, err := s.Save(t.Context(), id, strings.NewReader("x")); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("save beside %q: %v", id, err)
		}
		n := 0
		for _, err := range s.Read(t.Context(), id, 0) {
			if n++; n > 1 || !errors.Is(err, session.ErrUnknown) {
				t.Errorf("read %q yields %d: %v", id, n, err)
			}
		}
	}
	if list, err := s.List(t.Context(), session.Query{}); err != nil || len(list) > 0 {
		t.Errorf("list: %v, %v", list, err)
	}
}

func readersSeeAPrefix(t *testing.T, s session.Store) {
	const total = 200
	l := create(t, s, first)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for last := event.Seq(0); last < total; {
				want := last
				for e, err := range s.Read(t.Context(), first, last) {
					if want++; err != nil || e.Seq != want {
						t.Errorf("read %d, %v, want %d", e.Seq, err, want)
						return
					}
				}
				last = want
			}
		})
	}
	for seq := event.Seq(1); seq <= total; seq++ {
		if err := l.Append(note(seq)); err != nil {
			t.Error(err)
			break
		}
	}
	wg.Wait()
}

func readCanBeLeft(t *testing.T, s session.Store) {
	must(t, create(t, s, first).Append(note(1), note(2), note(3)))
	for e, err := range s.Read(t.Context(), first, 0) {
		must(t, err)
		if e.Seq == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range s.Read(ctx, first, 0) {
		if n++; n > 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled read yields %d: %v", n, err)
		}
	}
	if n != 1 {
		t.Errorf("cancelled read yields %d times, want once", n)
	}
}
