//go:build bench && linux

package commands_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// foldEvery is how many bytes of a long session lie between two compactions: about a
// window of 200,000 tokens.
const foldEvery = 800 << 10

// TestMeasureLongResume measures resumes of a session of SIZE MB (200) that was
// compacted again and again, as whole processes: the first, which reads every record,
// and those that begin with the state. Beside them stands how long it takes to read the
// bytes that such a resume needs.
func TestMeasureLongResume(t *testing.T) {
	size := int64(200)
	if n, err := strconv.ParseInt(os.Getenv("SIZE"), 10, 64); err == nil && n > 0 {
		size = n
	}
	b := newBench(t)
	p := b.programs[0]
	b.model.play(hello())
	b.run(t, p, p.args(false, "hello"), b.dir) // what is found out about the machine is kept
	home := strings.TrimPrefix(p.env[0], "REASONIX_HOME=")
	store := jsonl.New(jsonl.Dir(home, b.dir), jsonl.Options{Workspace: b.dir})
	list, err := store.List(t.Context(), session.Query{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	id := list[0].ID
	lengthen(t, store, id, size<<20)
	base := filepath.Join(jsonl.Dir(home, b.dir), string(id))
	report := func(what string) time.Duration {
		b.model.play(hello())
		began := time.Now()
		r := b.run(t, p, p.args(true, "and now?"), b.dir)
		first := r.exchanges[0].arrived.Sub(began)
		fmt.Printf("%-28s first request after %8.1f ms, CPU %8.1f ms, peak RSS %6.1f MB\n", what, ms(first), ms(r.cpu), mb(r.rss))
		return first
	}
	short := report("before anything is known")
	var all []time.Duration
	for range b.runs {
		all = append(all, report("from the state"))
	}
	var needed int64
	began := time.Now()
	for _, name := range []string{".idx", ".state"} {
		data, err := os.ReadFile(base + name)
		if err != nil {
			t.Fatal(err)
		}
		needed += int64(len(data))
	}
	reading := time.Since(began)
	slices.Sort(all)
	fmt.Printf("journal %d MB; needed beside its end: %.2f MB, read in %.2f ms; all of it is %.0f times as slow\n",
		size, mb(needed), ms(reading), float64(short)/float64(all[len(all)/2]))
}

// lengthen appends turns with calls and compactions until a journal has size bytes.
func lengthen(t *testing.T, store *jsonl.Store, id event.SessionID, size int64) {
	t.Helper()
	log, err := store.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	w := longWriter{t: t, log: log, rng: rng}
	for w.written < size {
		w.turn()
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

type longWriter struct {
	t             *testing.T
	log           session.Log
	rng           *rand.Rand
	turns, n      int
	written, last int64
	first, end    message.ID // of what the next compaction replaces
}

func (w *longWriter) id(kind string) message.ID {
	w.n++
	return message.ID(fmt.Sprintf("%s%d", kind, w.n))
}

func (w *longWriter) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "\tline := %d // of some source \"text\"\n", w.rng.IntN(1e6))
	}
	return b.String()
}

func (w *longWriter) turn() {
	w.turns++
	prompt := event.PromptID(fmt.Sprintf("long%d", w.turns))
	user := message.Message{ID: w.id("u"), Role: message.User, Content: w.text(200)}
	if w.first == "" {
		w.first = user.ID
	}
	records := []event.Payload{
		event.PromptQueued{ID: prompt, Display: user.Content}, event.TurnStarted{Prompt: prompt}, event.UserSaid{Prompt: prompt, Message: user},
	}
	for range 10 {
		call := string(w.id("c"))
		result := w.text(8 << 10)
		w.written += int64(len(result)) + 1200
		records = append(records,
			event.Replied{Model: "m/bench", Message: message.Message{
				ID: w.id("a"), Role: message.Assistant, Content: w.text(300),
				ToolCalls: []message.ToolCall{{ID: call, Name: "read_file", Arguments: `{"path":"x.go"}`}},
			}},
			event.ToolStarted{Call: call, Kind: "read"},
			event.ToolFinished{Call: call, Status: event.StatusOK, Message: message.Message{
				ID: w.id("t"), Role: message.ToolRole, ToolCallID: call, Name: "read_file", Content: result,
			}})
	}
	w.end = w.id("a")
	records = append(records,
		event.Replied{Model: "m/bench", Message: message.Message{ID: w.end, Role: message.Assistant, Content: "done"}},
		event.TurnEnded{Prompt: prompt, Outcome: event.Completed})
	if w.written-w.last > foldEvery {
		digest := message.Message{ID: w.id("d"), Role: message.User, Content: w.text(4 << 10)}
		records = append(records, event.Folded{Before: 200_000, After: 2000, Edits: []event.Edit{{First: w.first, Last: w.end, With: []message.Message{digest}}}})
		w.first, w.last = digest.ID, w.written
	}
	envs := make([]event.Envelope, len(records))
	for i, p := range records {
		envs[i] = event.Envelope{Seq: w.log.Last() + event.Seq(i) + 1, Time: time.Now(), Turn: w.turns, Payload: p}
	}
	if err := w.log.Append(envs...); err != nil {
		w.t.Fatal(err)
	}
}
