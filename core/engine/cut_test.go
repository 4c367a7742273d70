package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

const (
	scriptedTurns = 30
	cutBytes      = 64 << 10
)

// sample takes one of n cases, others each time, by a seed that is told; REASONIX_SEED in
// the environment takes the same again, and REASONIX_EXHAUSTIVE=1 takes every case.
func sample(t *testing.T, n int) (take func() bool) {
	t.Helper()
	if os.Getenv("REASONIX_EXHAUSTIVE") == "1" {
		return func() bool { return true }
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("REASONIX_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("REASONIX_SEED=%d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	return func() bool { return draw.IntN(n) == 0 }
}

// onDisk is the world's engine over journals in dir.
func (w *world) onDisk(dir string) *engine.Engine {
	return w.over(dir, jsonl.New(dir, jsonl.Options{Workspace: "/work"}))
}

// over is the world's engine over a store.
func (w *world) over(dir string, store session.Store) *engine.Engine {
	var ids, sessions atomic.Int64
	return engine.New(engine.Parts{
		Store: func(string) (session.Store, error) { return store, nil },
		Build: w.build, Now: time.Now, Writer: "test",
		NewID: func() string { return fmt.Sprintf("%s-%d", filepath.Base(dir), ids.Add(1)) },
		NewSession: func() event.SessionID {
			return event.SessionID(fmt.Sprintf("20260101-000000-%06x", sessions.Add(1)))
		},
	})
}

// scripted is the journal of a session of 30 turns with two calls each, and its id.
func scripted(t *testing.T) ([]byte, event.SessionID) {
	t.Helper()
	w := newWorld(t, fn{"look", true, func(context.Context) (string, error) { return strings.Repeat("seen ", 250), nil }}, touch(new(atomic.Int64)))
	w.policy.Mode = permission.Allow
	n := 0
	w.model.Respond(func(*providertest.Received) providertest.Reply {
		if n++; n%2 == 0 {
			return providertest.Text(strings.Repeat("words ", 40))
		}
		return providertest.TextCalls("I look.", providertest.Call{Name: "look"}, providertest.Call{Name: "touch"})
	})
	dir := t.TempDir()
	s, err := w.onDisk(dir).Open(t.Context(), protocol.Spec{Workspace: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	c := protocoltest.NewClient(t, s, nil)
	for i := range scriptedTurns {
		say(t, c, event.PromptID(fmt.Sprint("turn", i)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, string(s.ID())+".jsonl"))
	if err != nil || len(data) < cutBytes {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	return data, s.ID()
}

// resumer resumes damaged journals and has the model asked once more.
type resumer struct {
	*world
	id     event.SessionID
	whole  int // records of the journal before it was damaged
	states map[string]bool
	mu     sync.Mutex
}

// read is what the store makes of a journal: its records, as one word.
func (r *resumer) read(t *testing.T, dir string) (records int, key string) {
	t.Helper()
	var all strings.Builder
	for e, err := range jsonl.New(dir, jsonl.Options{}).Read(t.Context(), r.id, 0) {
		if _, skipped := errors.AsType[*session.DamageError](err); skipped {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		records++
		fmt.Fprint(&all, " ", e.Seq)
	}
	return records, all.String()
}

// resume opens a journal, unless one that loads the same was opened already, and says
// something. The strict server must take what is sent.
func (r *resumer) resume(t *testing.T, what string, data []byte, least int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, string(r.id)+".jsonl"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	records, key := r.read(t, dir)
	if records < least {
		t.Errorf("%s: %d records are left, want %d", what, records, least)
	}
	r.mu.Lock()
	known := r.states[key]
	r.states[key] = true
	r.mu.Unlock()
	if known {
		return
	}
	s, err := r.onDisk(dir).Open(t.Context(), protocol.Spec{Session: r.id, Workspace: "/work"})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer s.Close()
	if ended := say(t, protocoltest.NewClient(t, s, nil), "after"); ended.Outcome != event.Completed {
		t.Errorf("%s: the turn after it: %+v", what, ended)
	}
}

func newResumer(t *testing.T, id event.SessionID, journal []byte) *resumer {
	w := newWorld(t, fn{"look", true, func(context.Context) (string, error) { return "seen", nil }}, touch(new(atomic.Int64)))
	w.model.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("fine") })
	return &resumer{world: w, id: id, whole: bytes.Count(journal, []byte("\n")) - 1, states: map[string]bool{}}
}

// The journal of a session of 30 turns is cut in its last 64 KiB. What a cut loads
// depends on the record it is in alone (the store is cut at every byte in its own
// tests): here records are cut at their ends and within, and what is left is resumed.
func TestSE01ACutSessionGoesOn(t *testing.T) {
	t.Parallel()
	journal, id := scripted(t)
	r := newResumer(t, id, journal)
	var at []int
	records, take := 0, sample(t, 10)
	for start := len(journal) - cutBytes; start < len(journal); {
		end := start + bytes.IndexByte(journal[start:], '\n') + 1
		if take() || end == len(journal) {
			at = append(at, start+1, (start+end)/2, end-1, end)
			records++
		}
		start = end
	}
	for _, cut := range at {
		whole := bytes.Count(journal[:cut], []byte("\n")) - 1
		r.resume(t, fmt.Sprintf("cut at byte %d of %d", cut, len(journal)), journal[:cut], whole)
	}
	if n := len(r.states); n < records {
		t.Errorf("%d states were resumed, want one of each of %d records", n, records)
	}
	if bad := r.model.Rejections(); len(bad) > 0 {
		t.Errorf("the strict server refused: %v", bad)
	}
}

// A byte of a record is flipped: at most that record is lost, and what is left is
// resumed. The records are one of each kind that a conversation is made of, of which
// the long texts are flipped here and there.
func TestAFlippedByteLosesARecordAtMost(t *testing.T) {
	t.Parallel()
	journal, id := scripted(t)
	r := newResumer(t, id, journal)
	lines := bytes.SplitAfter(journal, []byte("\n"))
	take := sample(t, 16)
	for _, kind := range []string{"prompt.queued", "turn.started", "user.said", "model.replied", "tool.started", "tool.finished", "turn.ended"} {
		last := len(lines)/2 + slices.IndexFunc(lines[len(lines)/2:], func(l []byte) bool { return bytes.Contains(l, []byte(`"`+kind+`"`)) })
		start := len(bytes.Join(lines[:last], nil))
		for i := range lines[last] {
			inText := i > 200 && i < len(lines[last])-40 && i%64 != 0 // where one byte is like another
			if inText && kind != "model.replied" || !take() {
				continue
			}
			flipped := bytes.Clone(journal)
			flipped[start+i] ^= 0x20
			r.resume(t, fmt.Sprintf("byte %d of a %s", i, kind), flipped, r.whole-1)
		}
	}
	if bad := r.model.Rejections(); len(bad) > 0 {
		t.Errorf("the strict server refused: %v", bad)
	}
}
