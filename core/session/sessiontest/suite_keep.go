package sessiontest

import (
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
)

func infoSays(t *testing.T, s session.Store) {
	l := create(t, s, first)
	configured := event.Configured{Model: "p/m", Title: "Fence"}
	for i, p := range []event.Payload{
		configured,
		event.PromptQueued{ID: "1", Display: "mend"},
		event.TurnStarted{Prompt: "1"},
		event.TurnEnded{Prompt: "1", Outcome: event.Completed},
		event.TurnStarted{Prompt: "2"},
	} {
		seq := event.Seq(i + 1)
		must(t, l.Append(event.Envelope{Seq: seq, Time: at(seq), Turn: max(0, i/2), Payload: p}))
	}
	in, err := s.Info(t.Context(), first)
	must(t, err)
	turns := []session.TurnAt{{Turn: 1, Seq: 3}, {Turn: 2, Seq: 5}}
	if in.Title != "Fence" || in.Model != "p/m" || in.Last != 5 || in.Holder == "" || in.Bytes == 0 ||
		!reflect.DeepEqual(in.Effective, configured) || !reflect.DeepEqual(in.Turns, turns) {
		t.Errorf("open: %+v", in)
	}
	list, err := s.List(t.Context(), session.Query{})
	must(t, err)
	if len(list) != 1 || list[0] != in.Meta {
		t.Errorf("info %+v, list %+v", in.Meta, list)
	}
	must(t, l.Close())
	if in, err = s.Info(t.Context(), first); err != nil || in.Holder != "" {
		t.Errorf("closed: held by %q, %v", in.Holder, err)
	}
}

func copyOutlives(t *testing.T, s session.Store) {
	l := create(t, s, first)
	hash, _, err := s.Save(t.Context(), first, strings.NewReader("picture"))
	must(t, err)
	shown := event.Envelope{Seq: 2, Time: at(2), Payload: event.PromptQueued{Attachments: []message.Attachment{{Hash: hash}}}}
	must(t, l.Append(note(1), shown, note(3)))
	must(t, s.Copy(t.Context(), first, 2, session.Meta{ID: second, Created: at(0)})) // beside its writer
	must(t, s.Copy(t.Context(), first, 0, session.Meta{ID: third, Created: at(0), Parent: "other"}))
	must(t, l.Close())
	must(t, s.Delete(t.Context(), first))

	wantEvents(t, s, second, 0, note(1), shown)
	wantEvents(t, s, third, 0, note(1), shown, note(3))
	if data, err := s.Load(t.Context(), second, hash); err != nil || string(data) != "picture" {
		t.Errorf("what it shows: %q, %v", data, err)
	}
	for id, parent := range map[event.SessionID]event.SessionID{second: first, third: "other"} {
		if in, err := s.Info(t.Context(), id); err != nil || in.Parent != parent || in.Workspace != "/w" || !in.Created.Equal(at(0)) {
			t.Errorf("%s: %+v, %v, want the parent %s and its workspace", id, in.Meta, err, parent)
		}
	}
	again, err := s.Open(t.Context(), second)
	must(t, err)
	must(t, again.Append(note(3)))
	must(t, again.Close())
	wantEvents(t, s, second, 2, note(3))
}

func copyIsMadeOnce(t *testing.T, s session.Store) {
	must(t, create(t, s, first).Append(note(1), note(2)))
	must(t, s.Copy(t.Context(), first, 9, session.Meta{ID: second}))
	wantEvents(t, s, second, 0, note(1), note(2))
	if err := s.Copy(t.Context(), first, 0, session.Meta{ID: second}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("copied twice: %v", err)
	}
	if err := s.Copy(t.Context(), first, 0, session.Meta{ID: "../x"}); err == nil {
		t.Error("copied to ../x")
	}
}

func renameChangesTheTitle(t *testing.T, s session.Store) {
	l := create(t, s, first)
	must(t, l.Append(
		event.Envelope{Seq: 1, Time: at(1), Payload: event.Configured{Model: "p/m", Effort: "high"}},
		event.Envelope{Seq: 2, Time: at(2), Payload: event.PromptQueued{ID: "1", Display: "mend the fence"}},
	))
	var locked *session.LockedError
	if err := s.Rename(t.Context(), first, "Fence"); !errors.As(err, &locked) {
		t.Errorf("while it is written: %v, want a *LockedError", err)
	}
	must(t, l.Close())
	must(t, create(t, s, second).Close())
	for _, c := range []struct{ title, want string }{{"Fence", "Fence"}, {"", "mend the fence"}} {
		must(t, s.Rename(t.Context(), first, c.title))
		in, err := s.Info(t.Context(), first)
		must(t, err)
		if in.Title != c.want || in.Model != "p/m" || in.Effective.Effort != "high" || !in.Updated.Equal(at(2)) {
			t.Errorf("renamed to %q: %+v", c.title, in)
		}
	}
	if got := listed(t, s, session.Query{}); !slices.Equal(got, []event.SessionID{second, first}) {
		t.Errorf("list: %v, want the renamed one where it was", got)
	}
}

func stateIsKept(t *testing.T, s session.Store) {
	l := create(t, s, first)
	if state, at := l.Kept(); state != nil || at != 0 {
		t.Errorf("a new one has %q of %d", state, at)
	}
	must(t, l.Append(note(1), note(2)))
	l.Keep([]byte("two"))
	must(t, l.Append(note(3)))
	if state, at := l.Kept(); string(state) != "two" || at != 2 {
		t.Errorf("got %q of %d", state, at)
	}
	must(t, l.Close())
	must(t, s.Copy(t.Context(), first, 1, session.Meta{ID: second, Created: at(0)}))
	for id, want := range map[event.SessionID]string{first: "two", second: ""} {
		again, err := s.Open(t.Context(), id)
		must(t, err)
		if state, _ := again.Kept(); string(state) != want {
			t.Errorf("%s, opened again: %q, want %q", id, state, want)
		}
		must(t, again.Close())
	}
}
