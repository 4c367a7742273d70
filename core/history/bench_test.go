package history_test

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/history"
	"reasonix/core/message"
)

// generator writes text like that of real sessions: words by Zipf's law out of a
// large vocabulary, identifiers, paths and numbers that occur once.
type generator struct {
	r    *rand.Rand
	zipf *rand.Zipf
}

func newGenerator() generator {
	r := rand.New(rand.NewPCG(5, 6))
	return generator{r, rand.NewZipf(r, 1.1, 4, 200_000)}
}

func (g generator) word() string {
	n := g.zipf.Uint64()
	var b strings.Builder
	for k := n + 1; k > 0; k /= 20 {
		b.WriteString([]string{"ba", "co", "di", "fu", "ge", "hi", "ko", "lu", "ma", "ne", "po", "qu", "ra", "se", "ti", "vo", "wa", "xe", "yu", "zo"}[k%20])
	}
	return b.String()
}

func (g generator) text(bytes int) string {
	var b strings.Builder
	for b.Len() < bytes {
		switch g.r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "%s/%s/%s.go:%d: ", g.word(), g.word(), g.word(), g.r.IntN(900))
		case 1:
			w := g.word()
			fmt.Fprintf(&b, "%s%s%s(", w, strings.ToUpper(w[:1]), g.word())
		case 2:
			fmt.Fprintf(&b, "%08x\n", g.r.Uint32())
		default:
			b.WriteString(g.word() + " ")
		}
	}
	return b.String()
}

// generate fills a project with about total bytes of journals of 2 MB.
func generate(b *testing.B, dir string, total int) (bytes int64) {
	b.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	g := newGenerator()
	table := crc32.MakeTable(crc32.Castagnoli)
	for n := 0; bytes < int64(total); n++ {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("20260102-150405-%06x.jsonl", n)))
		if err != nil {
			b.Fatal(err)
		}
		w := bufio.NewWriter(f)
		write := func(object []byte) {
			object = object[:len(object)-1]
			fmt.Fprintf(w, "%s,\"crc\":\"%08x\"}\n", object, crc32.Checksum(object, table))
			bytes += int64(len(object)) + 18
		}
		write(fmt.Appendf(nil, `{"format":1,"id":"20260102-150405-%06x","workspace":"/work/app"}`, n))
		seq := event.Seq(0)
		emit := func(turn int, p event.Payload) {
			seq++
			object, err := event.Append(nil, event.Envelope{Seq: seq, Time: epoch, Turn: turn, Payload: p})
			if err != nil {
				b.Fatal(err)
			}
			write(object)
		}
		for begun, turn := bytes, 1; bytes-begun < 2<<20; turn++ {
			emit(turn, event.UserSaid{Display: g.text(200)})
			for call := range 10 {
				id := strconv.Itoa(call)
				emit(turn, event.Replied{Message: message.Message{Role: message.Assistant, Content: g.text(150), ToolCalls: []message.ToolCall{{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":%q}`, g.word()+"/"+g.word()+".go")}}}})
				emit(turn, event.ToolStarted{Call: id, Title: g.text(40), Kind: "read"})
				emit(turn, event.ToolFinished{Call: id, Title: g.text(40), Status: event.StatusOK, Message: message.Message{Role: message.ToolRole, Name: "read_file", Content: g.text(g.r.IntN(9000))}})
			}
			emit(turn, event.Replied{Message: message.Message{Role: message.Assistant, Content: g.text(900)}})
			emit(turn, event.TurnEnded{Outcome: event.Completed})
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return bytes
}

// size is how many bytes of journals BenchmarkHistory makes: HISTORY_MB, or 40 MB.
func size(b *testing.B) int {
	mb, err := strconv.Atoi(os.Getenv("HISTORY_MB"))
	if err != nil {
		mb = 40
	}
	b.Logf("%d MB of journals", mb)
	return mb << 20
}

// BenchmarkHistory measures, on generated journals, building their index, searching
// with the index in place, and searching after a session has grown by a record.
func BenchmarkHistory(b *testing.B) {
	w := world{b, b.TempDir()}
	dir := w.sessions("app")
	total := generate(b, dir, size(b))
	h := w.history("app")
	index := indexOf(w, "app")
	b.Run("build", func(b *testing.B) {
		b.SetBytes(total)
		for b.Loop() {
			if err := os.RemoveAll(index); err != nil {
				b.Fatal(err)
			}
			search(b, h, history.Query{Text: "baco"})
		}
		info, err := os.Stat(index)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/float64(total), "index/journal")
	})
	search(b, h, history.Query{Text: "baco"})
	g := newGenerator()
	for name, next := range map[string]func() string{
		"common": func() string { return "co di fu ge hi" },
		"mixed":  func() string { return g.word() + " " + g.word() + " " + g.word() + " " + g.word() },
		"absent": func() string { return "jjjj" },
	} {
		b.Run("search/"+name, func(b *testing.B) {
			for b.Loop() {
				search(b, h, history.Query{Text: next()})
			}
		})
	}
	b.Run("search/grown", func(b *testing.B) {
		j := w.journal("app", "20260103-000000-ffffff")
		for b.Loop() {
			j.result("bash", "run", g.text(2000))
			search(b, h, history.Query{Text: g.word() + " " + g.word(), Current: j.id})
		}
	})
	b.Run("show", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Show(b.Context(), history.Window{Session: "20260102-150405-000001", Around: 700, Before: 5, After: 5}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
