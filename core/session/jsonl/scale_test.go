package jsonl_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// manySessions writes n small sessions, as many ended programs would leave them.
func manySessions(t testing.TB, n int) (*jsonl.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sessions")
	noErr(t, os.MkdirAll(dir, 0o700))
	for i := range n {
		at := created.Add(time.Duration(i) * time.Minute)
		id := fmt.Sprintf("%s-%06x", at.Format("20060102-150405"), i)
		path := filepath.Join(dir, id+".jsonl")
		noErr(t, os.WriteFile(path, smallJournal(t, id, i, at), 0o600))
		noErr(t, os.WriteFile(filepath.Join(dir, id+".lock"), []byte(" "), 0o600))
		noErr(t, os.Chtimes(path, at, at))
	}
	return jsonl.New(dir, jsonl.Options{}), dir
}

func smallJournal(t testing.TB, id string, i int, at time.Time) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString(sealed(fmt.Sprintf(`{"format":1,"id":%q,"workspace":"/work","created":%q,"writer":"reasonix 1.0"`, id, at.Format(time.RFC3339))))
	for seq, p := range []event.Payload{
		event.Configured{Model: "deepseek/chat", Effort: "high", WorkMode: "balanced"},
		event.PrefixSet{System: strings.Repeat("rule ", 400)},
		event.PromptQueued{ID: "1", Display: fmt.Sprintf("task %d: mend the fence", i)},
		event.TurnStarted{Prompt: "1"},
		event.Replied{Message: message.Message{Content: strings.Repeat("word ", 100)}, Model: "deepseek/chat", Usage: message.Usage{Input: 10, CacheRead: 90, Output: 5}},
		event.TurnEnded{Prompt: "1", Outcome: event.Completed},
	} {
		line, err := event.Append(nil, event.Envelope{Seq: event.Seq(seq + 1), Time: at.Add(time.Duration(seq) * time.Second), Turn: 1, Payload: p})
		noErr(t, err)
		b.WriteString(sealed(string(line[:len(line)-1])))
	}
	return []byte(b.String())
}

func sealed(body string) string { return body + `,"crc":"` + crcOf(body) + "\"}\n" }

// longSession writes one session of about size bytes, in turns of a hundred records.
func longSession(t testing.TB, size int64) (*jsonl.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sessions")
	noErr(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, string(id)+".jsonl")
	f, err := os.Create(path)
	noErr(t, err)
	out := bufio.NewWriterSize(f, 1<<20)
	out.WriteString(sealed(fmt.Sprintf(`{"format":1,"id":%q,"workspace":"/work"`, id)))
	text := strings.Repeat("the quick brown fox jumps over the lazy dog. ", 80)
	seq := event.Seq(0)
	add := func(turn int, p event.Payload) int {
		seq++
		line, err := event.Append(nil, event.Envelope{Seq: seq, Time: created.Add(time.Duration(seq) * time.Second), Turn: turn, Payload: p})
		noErr(t, err)
		n, err := out.WriteString(sealed(string(line[:len(line)-1])))
		noErr(t, err)
		return n
	}
	var written int64
	for turn := 1; written < size; turn++ {
		written += int64(add(turn, event.TurnStarted{Prompt: "p"}))
		for i := range 33 {
			call := fmt.Sprintf("c%d-%d", turn, i)
			written += int64(add(turn, event.Replied{Model: "p/m", Usage: message.Usage{Input: 1, Output: 1}, Message: message.Message{
				Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: call, Name: "bash", Arguments: `{"command":"ls"}`}},
			}}))
			written += int64(add(turn, event.ToolStarted{Call: call, Title: "ls"}))
			written += int64(add(turn, event.ToolFinished{Call: call, Status: event.StatusOK, Message: message.Message{Role: message.ToolRole, ToolCallID: call, Content: text}}))
		}
		written += int64(add(turn, event.TurnEnded{Prompt: "p", Outcome: event.Completed}))
	}
	noErr(t, out.Flush())
	noErr(t, f.Close())
	return jsonl.New(dir, jsonl.Options{}), dir
}

// allocated is how many bytes f allocated.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A long journal is opened and read from its end in memory that does not grow with it,
// and with an index without reading it.
func TestALongJournalIsNotReadIntoMemory(t *testing.T) {
	s, dir := longSession(t, 12<<20)
	idx := filepath.Join(dir, string(id)+".idx")
	open := func() {
		l, err := s.Open(t.Context(), id)
		noErr(t, err)
		noErr(t, l.Close())
	}
	open() // makes the index
	if _, err := os.Stat(idx); err != nil {
		t.Fatal(err)
	}
	if n := allocated(open); n > 1<<20 {
		t.Errorf("opening 12 MB with an index allocates %d bytes", n)
	}
	in, err := s.Info(t.Context(), id)
	noErr(t, err)
	last := in.Turns[len(in.Turns)-1]
	var got []event.Envelope
	n := allocated(func() { got, _ = readAll(t, s, last.Seq-1) })
	if n > 4<<20 || len(got) != int(in.Last-last.Seq)+1 || got[0].Seq != last.Seq {
		t.Errorf("reading the last turn allocates %d bytes for %d records from %d", n, len(got), got[0].Seq)
	}
	if _, ok := got[0].Payload.(event.TurnStarted); !ok {
		t.Errorf("turn %d begins with %T", last.Turn, got[0].Payload)
	}
}

// The end of a turn writes the index, too.
func BenchmarkAppendTurnEnded(b *testing.B) {
	s, _ := longSession(b, 8<<20)
	l, err := s.Open(b.Context(), id)
	noErr(b, err)
	defer l.Close()
	for b.Loop() {
		ended := event.Envelope{Seq: l.Last() + 1, Time: created, Turn: 1, Payload: event.TurnEnded{Outcome: event.Completed}}
		if err := l.Append(ended); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkListTenThousand(b *testing.B) {
	s, dir := manySessions(b, 10_000)
	list := func(b *testing.B) {
		got, err := s.List(b.Context(), session.Query{})
		if err != nil || len(got) != 10_000 {
			b.Fatal(len(got), err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			noErr(b, os.RemoveAll(filepath.Join(dir, "list.idx")))
			list(b)
		}
	})
	b.Run("warm", func(b *testing.B) {
		list(b)
		for b.Loop() {
			list(b)
		}
	})
	b.Run("newest", func(b *testing.B) {
		for b.Loop() {
			if got, err := s.List(b.Context(), session.Query{Limit: 1}); err != nil || len(got) != 1 {
				b.Fatal(got, err)
			}
		}
	})
}

func BenchmarkLongSession(b *testing.B) {
	const size = 100 << 20
	s, dir := longSession(b, size)
	open := func(b *testing.B) {
		l, err := s.Open(b.Context(), id)
		noErr(b, err)
		noErr(b, l.Close())
	}
	b.Run("read the bytes", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			f, err := os.Open(filepath.Join(dir, string(id)+".jsonl"))
			noErr(b, err)
			buf := make([]byte, 64<<10)
			for err == nil {
				_, err = f.Read(buf)
			}
			f.Close()
		}
	})
	b.Run("open without index", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			noErr(b, os.RemoveAll(filepath.Join(dir, string(id)+".idx")))
			open(b)
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			open(b)
		}
	})
	b.Run("open and read the last turn", func(b *testing.B) {
		in, err := s.Info(b.Context(), id)
		noErr(b, err)
		for b.Loop() {
			open(b)
			if got, _ := readAll(b, s, in.Turns[len(in.Turns)-1].Seq-1); len(got) == 0 {
				b.Fatal("nothing")
			}
		}
	})
	b.Run("read all", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for _, err := range s.Read(b.Context(), id, 0) {
				noErr(b, err)
			}
		}
	})
}
