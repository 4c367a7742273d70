package history_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/history"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

var epoch = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// world is a home directory with projects.
type world struct {
	t    testing.TB
	home string
}

func newWorld(t testing.TB) world { return world{t, t.TempDir()} }

func (w world) sessions(project string) string {
	return filepath.Join(w.home, "projects", project, "sessions")
}

func (w world) history(project string) *history.History {
	return history.New(history.Below(w.home, w.sessions(project)), time.Now)
}

// journal is a session being written.
type journal struct {
	world
	log  session.Log
	id   event.SessionID
	path string
	turn int
}

func (w world) journal(project, id string) *journal {
	w.t.Helper()
	store := jsonl.New(w.sessions(project), jsonl.Options{Workspace: "/work/" + project, Writer: "test"})
	log, err := store.Create(w.t.Context(), session.Meta{ID: event.SessionID(id), Created: epoch})
	if err != nil {
		w.t.Fatal(err)
	}
	j := &journal{world: w, log: log, id: event.SessionID(id), path: filepath.Join(w.sessions(project), id+".jsonl")}
	w.t.Cleanup(j.close)
	return j
}

func (j *journal) close() {
	if err := j.log.Close(); err != nil {
		j.t.Error(err)
	}
}

func (j *journal) emit(p event.Payload) event.Seq {
	j.t.Helper()
	seq := j.log.Last() + 1
	if err := j.log.Append(event.Envelope{Seq: seq, Time: epoch.Add(time.Duration(seq) * time.Second), Turn: j.turn, Payload: p}); err != nil {
		j.t.Fatal(err)
	}
	return seq
}

func (j *journal) user(text string) event.Seq {
	j.t.Helper()
	j.turn++
	return j.emit(event.UserSaid{Display: text, Message: message.Message{Role: message.User, Content: text + "\n\nadded by itself: zebra"}})
}

func (j *journal) reply(text string, calls ...message.ToolCall) event.Seq {
	j.t.Helper()
	m := message.Message{Role: message.Assistant, Content: text, ToolCalls: calls, Reasoning: []message.Reasoning{{Text: "okapi"}}}
	return j.emit(event.Replied{Message: m})
}

func (j *journal) result(name, title, text string) event.Seq {
	j.t.Helper()
	return j.emit(event.ToolFinished{Title: title, Status: event.StatusOK, Message: message.Message{Role: message.ToolRole, Name: name, Content: text}})
}

func search(t testing.TB, h *history.History, q history.Query) history.Result {
	t.Helper()
	if q.Scope == "" {
		q.Scope = history.Project
	}
	r, err := h.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// places are the hits as session:seq.
func places(r history.Result) []string {
	var list []string
	for _, h := range r.Hits {
		list = append(list, fmt.Sprintf("%s:%d", h.Session, h.Seq))
	}
	return list
}
