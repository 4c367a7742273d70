//go:build bench && unix

package acp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/provider/providertest"
	"reasonix/core/session/jsonl"
)

// TestMeasureLongSession measures what it takes to open a session of SIZE MB (128): the
// answers to session/resume, the first of which finds nothing kept of the session but its
// journal and those behind a turn find more, and to session/load, which reads all of it.
func TestMeasureLongSession(t *testing.T) {
	size := 128
	if n, err := strconv.Atoi(os.Getenv("SIZE")); err == nil && n > 0 {
		size = n
	}
	home := t.TempDir()
	host := engineWith(t, home, providertest.New(t, providertest.Text("Hello."), providertest.Text("Hello again.")), "")
	timed := &timing{Opener: host.Opener}
	host.Opener = timed
	dir := t.TempDir()
	in, out := serveBench(t, host)
	c := &plainClient{b: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	var opened struct{ Result struct{ SessionID string } }
	decode(t, []byte(c.call("session/new", mustJSON(object{"cwd": dir, "mcpServers": []any{}}))), &opened)
	session := opened.Result.SessionID
	c.call("session/prompt", mustJSON(said(session, "hello")))
	c.call("session/close", mustJSON(object{"sessionId": session}))
	lengthen(t, jsonl.New(jsonl.Dir(home, dir), jsonl.Options{Workspace: dir}), event.SessionID(session), size<<20)
	found, err := filepath.Glob(filepath.Join(home, "projects", "*", "sessions", session+".jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	journal, err := os.Stat(found[0])
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("journal of %.1f MB\n", float64(journal.Size())/1e6)
	for i, method := range []string{"session/resume", "session/resume", "session/resume", "session/load", "session/load"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := time.Now()
		c.call(method, mustJSON(object{"sessionId": session, "cwd": dir, "mcpServers": []any{}}))
		took := time.Since(begun)
		runtime.ReadMemStats(&after)
		fmt.Printf("%-16s %8.1f ms, the opening itself %8.1f ms; %8.1f MB allocated\n", method, took.Seconds()*1e3, timed.took.Seconds()*1e3, float64(after.TotalAlloc-before.TotalAlloc)/1e6)
		if i == 0 {
			c.call("session/prompt", mustJSON(said(session, "hello again")))
		}
		c.call("session/close", mustJSON(object{"sessionId": session}))
	}
	in.Close()
	_, _ = io.Copy(io.Discard, out)
}

// timing is an opener that keeps how long it took.
type timing struct {
	protocol.Opener
	took time.Duration
}

func (o *timing) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	begun := time.Now()
	defer func() { o.took = time.Since(begun) }()
	return o.Opener.Open(ctx, spec)
}

// lengthen appends turns with calls until the journal has size bytes more, and compacts
// the conversation to next to nothing at its end.
func lengthen(t *testing.T, store *jsonl.Store, id event.SessionID, size int) {
	t.Helper()
	log, err := store.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("\tline := 1234 // of some source \"text\"\n", 200)
	first, last := message.ID("u0"), message.ID("")
	turn := 1
	put := func(all ...event.Payload) {
		for _, p := range all {
			if err := log.Append(event.Envelope{Seq: log.Last() + 1, Time: time.Now(), Turn: turn, Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for written := 0; written < size; written += len(text) + 1000 {
		turn++
		n := strconv.Itoa(turn - 2)
		prompt := event.PromptID("p" + n)
		last = message.ID("a" + n)
		put(event.PromptQueued{ID: prompt, Kind: event.KindPrompt, Display: "go on"}, event.TurnStarted{Prompt: prompt},
			event.UserSaid{Prompt: prompt, Display: "go on", Message: message.Message{ID: message.ID("u" + n), Role: message.User, Content: "go on"}},
			event.Replied{Message: message.Message{ID: message.ID("m" + n), Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: "c" + n, Name: "read_file", Arguments: `{"path":"x.go"}`}}}},
			event.ToolStarted{Call: "c" + n, Kind: "read"},
			event.ToolFinished{Call: "c" + n, Status: event.StatusOK, Message: message.Message{ID: message.ID("r" + n), Role: message.ToolRole, ToolCallID: "c" + n, Name: "read_file", Content: text}},
			event.Replied{Message: message.Message{ID: last, Role: message.Assistant, Content: "done"}},
			event.TurnEnded{Prompt: prompt, Outcome: event.Completed})
	}
	put(event.Folded{Before: 200_000, After: 2000, Edits: []event.Edit{{First: first, Last: last, With: []message.Message{{ID: "d", Role: message.User, Content: "all was read"}}}}})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}
