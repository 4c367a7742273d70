package engine

import (
	"encoding/json"
	"errors"
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

// BenchmarkLoad opens a session of 100 MB, compacted whenever 800 KB were said: from
// its state, as every resume but the first does, and from all of its records. "read"
// is what the first has to read and decode, and nothing else.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	store := jsonl.New(dir, jsonl.Options{Workspace: "/w"})
	long(b, store, 100<<20)
	base := filepath.Join(dir, "long")
	load := func(b *testing.B, prepare func()) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			prepare()
			b.StartTimer()
			s := &origin{id: "long", store: store, j: newJournal(Parts{Now: time.Now, Writer: "test"}, store)}
			log, err := store.Open(b.Context(), "long")
			if err != nil {
				b.Fatal(err)
			}
			s.j.log = log
			if err := errors.Join(s.load(b.Context()), log.Close()); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, name := range []string{".idx", ".state"} {
				data, err := os.ReadFile(base + name)
				if err != nil {
					b.Fatal(err)
				}
				var v state
				_ = json.Unmarshal(data, &v) // the index is two objects, of which the first counts
			}
		}
	})
	b.Run("state", func(b *testing.B) { load(b, func() {}) })
	b.Run("records", func(b *testing.B) {
		load(b, func() { _ = os.Remove(base + ".state") }) // load makes it again
	})
}

// long writes turns of ten calls with results of 8 KB each.
func long(b *testing.B, store session.Store, size int) {
	b.Helper()
	log, err := store.Create(b.Context(), session.Meta{ID: "long", Workspace: "/w"})
	if err != nil {
		b.Fatal(err)
	}
	j := newJournal(Parts{Now: time.Now, Writer: "test"}, store)
	j.id, j.log = "long", log
	n := 0
	id := func(kind string) message.ID { n++; return message.ID(fmt.Sprint(kind, n)) }
	emit := func(p event.Payload) {
		if err := j.emit(p); err != nil {
			b.Fatal(err)
		}
	}
	result := strings.Repeat("\tline := 1234 // of some source \"text\"\n", 200)
	for written, since := 0, 0; written < size; {
		emit(event.UserSaid{Message: message.Message{ID: id("u"), Role: message.User, Content: "go on"}})
		for range 10 {
			c := message.ToolCall{ID: string(id("c")), Name: "read_file", Arguments: `{"path":"x.go"}`}
			emit(event.Replied{Message: message.Message{ID: id("a"), Role: message.Assistant, ToolCalls: []message.ToolCall{c}}})
			emit(event.ToolStarted{Call: c.ID, Kind: "read"})
			emit(event.ToolFinished{Call: c.ID, Status: event.StatusOK, Message: message.Message{
				ID: id("t"), Role: message.ToolRole, ToolCallID: c.ID, Name: "read_file", Content: fmt.Sprint(n) + result,
			}})
			written, since = written+len(result)+600, since+len(result)+600
		}
		if ms := j.folded.messages; since > 800<<10 {
			since = 0
			emit(event.Folded{Edits: []event.Edit{{First: ms[0].ID, Last: ms[len(ms)*9/10].ID, With: []message.Message{
				{ID: id("d"), Role: message.User, Content: result[:4<<10]},
			}}}})
		}
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
}
