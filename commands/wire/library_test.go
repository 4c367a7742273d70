package wire

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// shelved makes sessions in workspaces of a home, one a second, and returns their ids.
func shelved(t *testing.T, w World, workspaces ...string) (ids []event.SessionID) {
	t.Helper()
	for i, workspace := range workspaces {
		at := time.Date(2026, 1, 2, 15, 4, i, 0, time.UTC)
		id := event.SessionID(fmt.Sprintf("20260102-1504%02d-abcdef", i))
		log, err := w.shelves().of(workspace).Create(t.Context(), session.Meta{ID: id, Created: at})
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(log.Append(
			event.Envelope{Seq: 1, Time: at, Payload: event.Configured{Model: "p/m"}},
			event.Envelope{Seq: 2, Time: at, Payload: event.PromptQueued{ID: "p", Display: "task " + strings.Repeat("x", i)}},
		), log.Close())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func idsOf(infos []protocol.Info) (ids []event.SessionID) {
	for _, in := range infos {
		ids = append(ids, in.ID)
	}
	return ids
}

func TestSessionsAreFoundInEveryWorkspace(t *testing.T) {
	w := World{Home: t.TempDir(), Version: "v0", Now: time.Now}
	a, b := t.TempDir(), t.TempDir()
	ids := shelved(t, w, a, b, a, b, a)
	host, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	newest := slices.Clone(ids)
	slices.Reverse(newest)
	for name, c := range map[string]struct {
		q    protocol.Query
		want []event.SessionID
	}{
		"all":                     {protocol.Query{}, newest},
		"one page":                {protocol.Query{Limit: 2}, newest[:2]},
		"the next":                {protocol.Query{Limit: 2, Before: newest[1]}, newest[2:4]},
		"the last":                {protocol.Query{Limit: 2, Before: newest[3]}, newest[4:]},
		"behind one that is gone": {protocol.Query{Before: "20260102-150402-000000"}, newest[3:]},
		"behind one that moved":   {protocol.Query{Before: newest[4], Updated: time.Date(2026, 1, 2, 15, 4, 2, 0, time.UTC).UnixNano()}, newest[3:]},
		"a workspace, paged":      {protocol.Query{Workspace: a, Limit: 1, Before: "gone", Updated: time.Date(2026, 1, 2, 15, 4, 4, 0, time.UTC).UnixNano()}, ids[4:5]},
		"a workspace":             {protocol.Query{Workspace: a}, []event.SessionID{ids[4], ids[2], ids[0]}},
		"an id":                   {protocol.Query{Text: string(ids[1])}, []event.SessionID{ids[1]}},
		"an id there":             {protocol.Query{Text: string(ids[1]), Workspace: a}, nil},
		"words":                   {protocol.Query{Text: "XXXX TASK"}, []event.SessionID{ids[4]}},
		"other words":             {protocol.Query{Text: "nothing"}, nil},
	} {
		got, err := host.Sessions(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(idsOf(got), c.want) {
			t.Errorf("%s: %v, want %v", name, idsOf(got), c.want)
		}
	}
}

func TestASessionMovesToAnotherWorkspace(t *testing.T) {
	w := World{Home: t.TempDir(), Version: "v0", Environ: os.Environ(), Now: time.Now}
	config := "default_model = \"p/m\"\n[[providers]]\nname = \"p\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\napi_key_env = \"\"\n"
	if err := os.WriteFile(filepath.Join(w.Home, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	was, is := t.TempDir(), t.TempDir()
	id := shelved(t, w, was)[0]
	l := library{shelves: w.shelves()}
	if err := l.move(protocol.Spec{Session: id, From: was, Workspace: is}); err != nil {
		t.Fatal(err)
	}
	host, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]protocol.Query{"all": {}, "there": {Workspace: is}, "id": {Text: string(id)}} {
		got, err := host.Sessions(t.Context(), q)
		if err != nil || len(got) != 1 || got[0].Workspace != is {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := host.Sessions(t.Context(), protocol.Query{Workspace: was}); err != nil || len(got) != 0 {
		t.Errorf("where it was: %v, %v", got, err)
	}
	if err := l.move(protocol.Spec{Session: "20200101-000000-abcdef", From: was, Workspace: is}); !errors.Is(err, protocol.ErrUnknown) {
		t.Errorf("of nothing: %v", err)
	}
}
