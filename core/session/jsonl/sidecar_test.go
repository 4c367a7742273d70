package jsonl_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

func TestTheSidecarFollowsTheSession(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	s := jsonl.New(dir, jsonl.Options{Workspace: "/work"})
	l, err := s.Create(t.Context(), session.Meta{ID: id, Created: created})
	noErr(t, err)
	at := created
	seq := event.Seq(0)
	add := func(p event.Payload) {
		t.Helper()
		seq++
		at = at.Add(time.Second)
		noErr(t, l.Append(event.Envelope{Seq: seq, Time: at, Payload: p}))
	}
	want := jsonl.Sidecar{
		Version: 1, ID: id, Model: "p/one", Effort: "high", WorkMode: "balanced", ToolApproval: "ask", Mode: "normal",
		Cwd: "/work", Created: created.UTC(),
	}
	says := func(what string) {
		t.Helper()
		got, err := s.Sidecar(id)
		noErr(t, err)
		want.Updated = got.Updated
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s (-got +want):\n%s", what, d)
		}
	}
	c := event.Configured{Model: "p/one", Effort: "high", WorkMode: "balanced", Approval: "ask", Mode: "normal"}
	add(c)
	says("configured")
	add(event.PromptQueued{ID: "p1", Kind: event.KindPrompt, Display: "look\naround"})
	want.Title = "look"
	says("prompted")

	deferred := c
	deferred.Model, deferred.Effort = "p/two", ""
	l.(interface{ Deferred(*event.Configured) }).Deferred(&deferred)
	want.Queued = &jsonl.SidecarQueued{Model: "p/two", WorkMode: "balanced", ToolApproval: "ask", Mode: "normal"}
	says("deferred")
	add(event.TurnEnded{Prompt: "p1", Outcome: event.Completed})
	want.Outcome = event.Completed
	says("ended")
	l.(interface{ Deferred(*event.Configured) }).Deferred(nil)
	add(deferred)
	want.Queued, want.Model, want.Effort = nil, "p/two", ""
	says("adopted")
	noErr(t, l.Close())
	noErr(t, s.Rename(t.Context(), id, "a tour"))
	want.Title = "a tour"
	says("renamed")
	noErr(t, s.Delete(t.Context(), id))
	if _, err := s.Sidecar(id); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted: %v", err)
	}
}

func TestAMovedSessionIsWholeInItsNewPlace(t *testing.T) {
	home := t.TempDir()
	at := func(name string) *jsonl.Store {
		return jsonl.New(filepath.Join(home, name, "sessions"), jsonl.Options{
			Workspace: "/" + name, Beside: []string{filepath.Join(home, name, "checkpoints")},
		})
	}
	was, is := at("was"), at("is")
	l, err := was.Create(t.Context(), session.Meta{ID: id, Created: created})
	noErr(t, err)
	noErr(t, l.Append(event.Envelope{Seq: 1, Time: created, Payload: event.Configured{Model: "p/m"}}))
	var locked *session.LockedError
	if err := is.Move(was, id); !errors.As(err, &locked) {
		t.Errorf("while it is written: %v", err)
	}
	noErr(t, l.Close())
	kept := filepath.Join(home, "was", "checkpoints", string(id))
	noErr(t, os.MkdirAll(kept, 0o700))
	noErr(t, os.WriteFile(filepath.Join(kept, "file"), nil, 0o600))

	noErr(t, is.Move(was, id))
	if err := was.Move(was, id); err != nil {
		t.Errorf("to where it is: %v", err)
	}
	if _, err := was.Info(t.Context(), id); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("it is still there: %v", err)
	}
	side, err := is.Sidecar(id)
	noErr(t, err)
	if side.Cwd != "/is" || side.Model != "p/m" {
		t.Errorf("%+v", side)
	}
	if _, err := os.Stat(filepath.Join(home, "is", "checkpoints", string(id), "file")); err != nil {
		t.Error(err)
	}
	l, err = is.Open(t.Context(), id)
	noErr(t, err)
	if l.Last() != 1 {
		t.Errorf("it ends with record %d", l.Last())
	}
	noErr(t, l.Close())
	if left, err := os.ReadDir(filepath.Join(home, "was", "sessions")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := is.Move(was, "20260102-150405-ffffff"); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("of nothing: %v", err)
	}
}
