package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/internal/sse"
)

type event struct{ Name, Data string }

// scan reads r to its end.
func scan(r io.Reader, limit int) ([]event, error) {
	s := sse.NewScanner(r, limit)
	var got []event
	for {
		err := s.Fill()
		for e, ok := s.Next(); ok; e, ok = s.Next() {
			got = append(got, event{string(e.Name), string(e.Data)})
		}
		if err != nil {
			return got, err
		}
	}
}

func TestFraming(t *testing.T) {
	two := []event{{"", "one"}, {"", "two"}}
	for _, c := range []struct {
		name, in string
		want     []event
	}{
		{"line feeds", "data: one\n\ndata: two\n\n", two},
		{"carriage returns and line feeds", "data: one\r\n\r\ndata: two\r\n\r\n", two},
		{"carriage returns alone", "data: one\r\rdata: two\r\r", two},
		{"mixed line ends", "data: one\r\n\ndata: two\n\r", two},
		{"no space behind the colon", "data:one\n\ndata:two\n\n", two},
		{"only one space is taken", "data:  one\n\n", []event{{"", " one"}}},
		{"byte order mark", "\xef\xbb\xbfdata: one\n\ndata: two\n\n", two},
		{"no blank line at the end", "data: one\n\ndata: two\n", two},
		{"no line end at the end", "data: one\n\ndata: two", two},
		{"several data lines", "data: {\ndata: }\n\ndata: a\ndata: b\ndata: c\n\n", []event{{"", "{\n}"}, {"", "a\nb\nc"}}},
		{"comments", ": PROCESSING\n\n:\n\ndata: one\n: in the middle\n\n:\ndata: two\n\n", two},
		{"fields without data", "event: x\n\nid: 1\n\nretry: 5\n\ndata: one\n\ndata: two\n\n", two},
		{"event name", "event: error\ndata: bad\n\ndata: next\n\n", []event{{"error", "bad"}, {"", "next"}}},
		{"name behind data", "data: bad\nevent:error\n\n", []event{{"error", "bad"}}},
		{"field without colon", "data\n\nnonsense\ndata: one\n\n", []event{{"", "one"}}},
		{"many blank lines", "\n\n\ndata: one\n\n\n\n\ndata: two\n\n\n", two},
		{"nothing", "", nil},
		{"a mark alone", "\xef\xbb", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":           strings.NewReader(c.in),
				"byte by byte":    iotest.OneByteReader(strings.NewReader(c.in)),
				"with the error":  iotest.DataErrReader(strings.NewReader(c.in)),
				"in half buffers": iotest.HalfReader(strings.NewReader(c.in)),
			} {
				got, err := scan(r, 0)
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: got error %v", how, err)
				}
				if diff := cmp.Diff(got, c.want); diff != "" {
					t.Errorf("%s: got - want +\n%s", how, diff)
				}
			}
		})
	}
}

func TestEventIsThereBeforeTheNextRead(t *testing.T) {
	for _, in := range []string{"data: one\n\n", "data: one\r\n\r\n", "data: one\r\r"} {
		s := sse.NewScanner(strings.NewReader(in), 0)
		if err := s.Fill(); err != nil {
			t.Fatal(err)
		}
		if e, ok := s.Next(); !ok || string(e.Data) != "one" {
			t.Errorf("%q: got %q, %v", in, e.Data, ok)
		}
	}
}

func TestLimit(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for _, in := range []string{
		"data: " + long + "\n\n",
		": " + long,
		strings.Repeat("data: "+long[:1000]+"\n", 100),
	} {
		if _, err := scan(strings.NewReader(in), 50<<10); !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("got error %v", err)
		}
		if _, err := scan(strings.NewReader(in), 200<<10); !errors.Is(err, io.EOF) {
			t.Errorf("below the limit: got error %v", err)
		}
	}
}

func TestReadErrorComesThroughBehindTheEvents(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("data: one\n\ndata: two\n\n"), iotest.ErrReader(broken))
	got, err := scan(r, 0)
	if !errors.Is(err, broken) || len(got) != 2 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestReaderThatNeverDelivers(t *testing.T) {
	if _, err := scan(idle{}, 0); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	r := &endless{piece: []byte("event: message\ndata: {\"a\":1}\n\ndata: a\ndata: b\n\n")}
	s := sse.NewScanner(r, 0)
	step := func() {
		if err := s.Fill(); err != nil {
			t.Fatal(err)
		}
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
	}
	step()
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("got %v allocations a read", n)
	}
}

// endless delivers piece at every read.
type endless struct{ piece []byte }

func (e *endless) Read(p []byte) (int, error) { return copy(p, e.piece), nil }

// reference is the standard's algorithm, on a whole stream and without regard to
// cost.
func reference(in []byte) []event {
	in = bytes.TrimPrefix(in, []byte("\xef\xbb\xbf"))
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(in))
	var got []event
	var name string
	var data []string
	end := func() {
		if joined := strings.Join(data, "\n"); joined != "" {
			got = append(got, event{name, joined})
		}
		name, data = "", nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			end()
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		}
	}
	end()
	return got
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte("data: one\n\ndata:two\r\n\r\n: c\revent: e\rdata: a\ndata: b\n\n"), uint8(1))
	f.Add([]byte("\xef\xbb\xbfdata: x\n\rdata\n\nevent:\n\n"), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		r := &pieces{rest: in, size: int(size) + 1}
		got, err := scan(r, 0)
		if !errors.Is(err, io.EOF) {
			t.Fatalf("got error %v", err)
		}
		if diff := cmp.Diff(got, reference(in)); diff != "" {
			t.Errorf("got - want +\n%s", diff)
		}
	})
}

// pieces delivers size bytes a read.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

func BenchmarkScanner(b *testing.B) {
	delta := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"
	for name, piece := range map[string]string{
		"one event a read":  delta,
		"64 events a read":  strings.Repeat(delta, 64),
		"carriage returns":  strings.ReplaceAll(delta, "\n", "\r"),
		"data on two lines": strings.Replace(delta, `"choices"`, "\ndata: \"choices\"", 1),
	} {
		b.Run(name, func(b *testing.B) {
			s := sse.NewScanner(&endless{piece: []byte(piece)}, 0)
			b.ReportAllocs()
			for n := 0; n < b.N; {
				if err := s.Fill(); err != nil {
					b.Fatal(err)
				}
				for _, ok := s.Next(); ok; _, ok = s.Next() {
					n++
				}
			}
		})
	}
}
