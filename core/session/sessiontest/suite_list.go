package sessiontest

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/session"
)

func listed(t *testing.T, s session.Store, q session.Query) []event.SessionID {
	t.Helper()
	list, err := s.List(t.Context(), q)
	must(t, err)
	ids := []event.SessionID{}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

func listIsPaged(t *testing.T, s session.Store) {
	for _, id := range []event.SessionID{first, second, third} {
		must(t, create(t, s, id).Close())
	}
	for _, c := range []struct {
		q    session.Query
		want []event.SessionID
	}{
		{session.Query{}, []event.SessionID{third, second, first}},
		{session.Query{Limit: 2}, []event.SessionID{third, second}},
		{session.Query{Before: second, Limit: 2}, []event.SessionID{first}},
		{session.Query{Before: first}, []event.SessionID{}},
	} {
		if got := listed(t, s, c.q); !slices.Equal(got, c.want) {
			t.Errorf("list %+v: %v, want %v", c.q, got, c.want)
		}
	}
	// The session written to last comes first, however old it is. A disk's clock may
	// be coarse, so that it takes several writes to see.
	l, err := s.Open(t.Context(), first)
	must(t, err)
	deadline := time.Now().Add(10 * time.Second)
	for listed(t, s, session.Query{Limit: 1})[0] != first {
		if time.Now().After(deadline) {
			t.Fatal("the session written to last is not first")
		}
		must(t, l.Append(note(l.Last()+1)))
	}
	must(t, l.Close())
}

func listShows(t *testing.T, s session.Store) {
	l := create(t, s, first)
	want := session.Meta{Format: 1, ID: first, Workspace: "/w", Created: at(0), Parent: "p", Writer: "test"}
	seq := event.Seq(0)
	step := func(p event.Payload) {
		t.Helper()
		seq++
		must(t, l.Append(event.Envelope{Seq: seq, Time: at(seq), Payload: p}))
		want.Updated = at(seq)
		list, err := s.List(t.Context(), session.Query{})
		must(t, err)
		if len(list) != 1 || list[0] != want {
			t.Errorf("behind %T: %+v, want %+v", p, list, want)
		}
	}
	want.Model = "p/m"
	step(event.Configured{Model: "p/m"})
	want.Title = "mend the fence"
	step(event.PromptQueued{ID: "1", Display: "mend the fence"})
	step(event.TurnStarted{Prompt: "1"})
	want.Outcome = event.Completed
	step(event.TurnEnded{Prompt: "1", Outcome: event.Completed})
	step(event.PromptQueued{ID: "2", Display: "paint it"})
	want.Outcome = ""
	step(event.TurnStarted{Prompt: "2"})
	want.Model, want.Title = "p/n", "Fence"
	step(event.Configured{Model: "p/n", Title: "Fence"})
	want.Outcome = event.Cut
	step(event.TurnEnded{Prompt: "2", Outcome: event.Cut})
}

func savedIsLoaded(t *testing.T, s session.Store) {
	must(t, create(t, s, first).Append(note(1)))
	data := bytes.Repeat([]byte("0123456789abcdef\x00\xff\n"), 10_000)
	hash, path, err := s.Save(t.Context(), first, bytes.NewReader(data))
	must(t, err)
	again, samePath, err := s.Save(t.Context(), first, bytes.NewReader(data))
	must(t, err)
	if hash != again || path != samePath || hash == "" || path == "" {
		t.Errorf("saved twice: %s %s, then %s %s", hash, path, again, samePath)
	}
	got, err := s.Load(t.Context(), first, hash)
	must(t, err)
	if !bytes.Equal(got, data) {
		t.Errorf("loaded %d bytes, want the %d saved", len(got), len(data))
	}
	empty, _, err := s.Save(t.Context(), first, bytes.NewReader(nil))
	must(t, err)
	if got, err := s.Load(t.Context(), first, empty); err != nil || len(got) > 0 {
		t.Errorf("empty: %q, %v", got, err)
	}
	for _, bad := range []string{"", "x", "../" + string(first) + ".jsonl", hash[:len(hash)-1] + "g"} {
		if _, err := s.Load(t.Context(), first, bad); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("load %q: %v", bad, err)
		}
	}
	wantEvents(t, s, first, 0, note(1))
}

func deletedIsGone(t *testing.T, s session.Store) {
	must(t, create(t, s, second).Append(note(1)))
	l := create(t, s, first)
	must(t, l.Append(note(1)))
	hash, _, err := s.Save(t.Context(), first, bytes.NewReader([]byte("x")))
	must(t, err)
	must(t, l.Close())
	must(t, s.Delete(t.Context(), first))
	if _, err := s.Open(t.Context(), first); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("open: %v", err)
	}
	if _, err := s.Load(t.Context(), first, hash); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("load: %v", err)
	}
	if got := listed(t, s, session.Query{}); !slices.Equal(got, []event.SessionID{second}) {
		t.Errorf("list: %v, want the other one", got)
	}
	wantEvents(t, s, second, 0, note(1))
}
