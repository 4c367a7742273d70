package event_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var when = time.Date(2026, 1, 2, 15, 4, 5, 60_000_000, time.UTC)

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestKindNamesAreUniqueAndWellFormed(t *testing.T) {
	shape := regexp.MustCompile(`^[a-z]+\.[a-z]+(_[a-z]+)*$`)
	names, types := map[string]bool{}, map[string]bool{}
	for _, k := range event.Kinds() {
		goType := fmt.Sprintf("%T", k.Zero)
		if names[k.Type] || types[goType] {
			t.Errorf("%s (%s) is listed twice", k.Type, goType)
		}
		if names[k.Type], types[goType] = true, true; !shape.MatchString(k.Type) {
			t.Errorf("%s is not noun.word", k.Type)
		}
		if got := event.KindOf(k.Zero); got.Type != k.Type || got.Class != k.Class {
			t.Errorf("KindOf(%s) is %s", goType, got.Type)
		}
	}
}

func TestEveryKindRoundTrips(t *testing.T) {
	for _, k := range event.Kinds() {
		for _, p := range []event.Payload{filled(k.Zero), k.Zero} {
			for _, want := range []event.Envelope{
				{Seq: 7, Time: when, Turn: 3, Payload: p}, {Payload: p}, {Turn: 1, Payload: p}, {Time: when, Payload: p},
			} {
				line, err := event.Append(nil, want)
				noErr(t, err)
				if bytes.ContainsAny(line, "\n\r") || !json.Valid(line) {
					t.Errorf("%s: not one line of JSON: %s", k.Type, line)
				}
				got, err := event.Decode(line)
				noErr(t, err)
				if d := cmp.Diff(got, want); d != "" {
					t.Errorf("%s (-got +want):\n%s", k.Type, d)
				}
			}
		}
	}
}

// The names and forms in the golden file are a contract: a line may gain members and
// changes in no other way.
func TestJSONIsStable(t *testing.T) {
	var got []byte
	for _, k := range event.Kinds() {
		e := event.Envelope{Time: when, Turn: 1, Payload: filled(k.Zero)}
		if k.Class == event.Durable {
			e.Seq = 1
		}
		var err error
		got, err = event.Append(got, e)
		noErr(t, err)
		got = append(got, '\n')
	}
	golden := filepath.Join("testdata", "kinds.golden")
	if *update {
		noErr(t, os.MkdirAll("testdata", 0o755))
		noErr(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	noErr(t, err)
	if d := cmp.Diff(strings.Split(string(got), "\n"), strings.Split(string(want), "\n")); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestZeroFieldsAreLeftOut(t *testing.T) {
	for _, k := range event.Kinds() {
		line, err := event.Append(nil, event.Envelope{Payload: k.Zero})
		noErr(t, err)
		if want := `{"type":"` + k.Type + `","data":{}}`; string(line) != want && !strings.Contains(string(line), `"role":""`) {
			t.Errorf("got %s, want %s", line, want)
		}
	}
}

func TestPointersToZeroAreKept(t *testing.T) {
	zero, empty := 0, ""
	want := event.ToolFinished{Exit: &zero, Diffs: []event.Diff{{Old: &empty}}}
	line, err := event.Append(nil, event.Envelope{Payload: want})
	noErr(t, err)
	got, err := event.Decode(line)
	noErr(t, err)
	if d := cmp.Diff(got.Payload, event.Payload(want)); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestUnknownTypeIsPassedOnByteForByte(t *testing.T) {
	for _, line := range []string{
		`{"seq":3,"time":"2026-01-02T15:04:05.06Z","turn":2,"type":"later.thing","data":{"z":1, "a":[1e400,"\u00e9<"],"a":null}}`,
		`{"type":"later.thing","data":[ ]}`,
		`{"type":"later.thing","data":{}}`,
		`{"type":"lätér \"x\"","data":17}`,
	} {
		e, err := event.Decode([]byte(line))
		noErr(t, err)
		if _, ok := e.Payload.(event.Unknown); !ok {
			t.Errorf("%s: %T, want Unknown", line, e.Payload)
		}
		got, err := event.Append(nil, e)
		noErr(t, err)
		if string(got) != line {
			t.Errorf("got  %s\nwant %s", got, line)
		}
	}
}

func TestDecodeTakesAnyOrderAndFurtherMembers(t *testing.T) {
	want := event.Envelope{Seq: 2, Time: when, Turn: 1, Payload: event.Notice{Text: "x"}}
	for _, line := range []string{
		` {"data":{"text":"x"},"turn":1,"type":"session.notice","time":"2026-01-02T15:04:05.06Z","seq":2} `,
		`{"seq":2,"time":"2026-01-02T15:04:05.06Z","turn":1,"type":"session.notice","data":{"text":"x"},"crc":"12345678"}`,
		`{"seq":2,"time":"2026-01-02T15:04:05.06Z","turn":1,"type":"session.notice","data":{"text":"x","new":[1]}}`,
		"{\n\"seq\": 2,\"time\":\"2026-01-02T15:04:05.06Z\",\"turn\":1,\"type\":\"session.notice\",\"data\":{\"text\":\"x\"}\n}",
	} {
		got, err := event.Decode([]byte(line))
		noErr(t, err)
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s (-got +want):\n%s", line, d)
		}
	}
	got, err := event.Decode([]byte(`{"type":"session.notice"}`))
	noErr(t, err)
	if d := cmp.Diff(got.Payload, event.Payload(event.Notice{})); d != "" {
		t.Errorf("without data (-got +want):\n%s", d)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, line := range []string{
		``, `{`, `null`, `[]`, `17`, `{}`, `{"type":""}`, `{"type":7}`, `{"seq":-1,"type":"session.notice"}`,
		`{"type":"session.notice","data":7}`, `{"type":"session.notice","data":{"text":7}}`,
		`{"type":"session.notice","data":{}`, `{"type":"session.notice","data":{}}}`, `{"type":"later.thing","data":{"a"}}`,
		`{"seq":01,"type":"session.notice","data":{}}`, `{"time":"yesterday","type":"session.notice","data":{}}`,
		`{"time":"9999-12-31T23:59:59-01:00","type":"session.notice","data":{}}`,
	} {
		if e, err := event.Decode([]byte(line)); err == nil {
			t.Errorf("%s: decoded as %+v", line, e)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	for _, e := range []event.Envelope{
		{},
		{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), Payload: event.Notice{}},
		{Payload: event.Unknown{}},
		{Payload: event.Unknown{Type: "x.y", Data: []byte("{")}},
		{Payload: event.Asked{Question: event.Question{Schema: []byte("nope")}}},
	} {
		if line, err := event.Append([]byte("before"), e); err == nil {
			t.Errorf("%+v: encoded as %s", e, line)
		}
	}
}

func TestUnknownDataOfSeveralLinesBecomesOne(t *testing.T) {
	line, err := event.Append(nil, event.Envelope{Payload: event.Unknown{Type: "x.y", Data: []byte("{\n \"a\": \"<\"\n}")}})
	noErr(t, err)
	if want := `{"type":"x.y","data":{"a":"<"}}`; string(line) != want {
		t.Errorf("got %s, want %s", line, want)
	}
}

func TestAppendTakesTimeInUTC(t *testing.T) {
	at := when.In(time.FixedZone("", 3600))
	line, err := event.Append([]byte("x"), event.Envelope{Seq: 1, Time: at, Payload: event.Ended{}})
	noErr(t, err)
	if want := `x{"seq":1,"time":"2026-01-02T15:04:05.06Z","type":"session.ended","data":{}}`; string(line) != want {
		t.Errorf("got %s, want %s", line, want)
	}
}

func TestEnvelopeIsJSON(t *testing.T) {
	want := []event.Envelope{{Seq: 1, Time: when, Payload: event.Notice{Text: "x"}}}
	data, err := json.MarshalIndent(want, "", "  ")
	noErr(t, err)
	var got []event.Envelope
	noErr(t, json.Unmarshal(data, &got))
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	if err := json.Unmarshal([]byte(`[{"type":7}]`), &got); err == nil {
		t.Error("no error for a bad envelope")
	}
}

func reply() event.Envelope {
	return event.Envelope{Seq: 12345, Time: when, Turn: 12, Payload: event.Replied{
		Message: message.Message{
			ID: "m17", Role: message.Assistant, Content: strings.Repeat("some text of a reply\n", 40),
			ToolCalls: []message.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"path":"core/event/event.go"}`}},
		},
		Model: "a/b", Finish: event.FinishCalls, Usage: message.Usage{Input: 1234, Output: 99, CacheRead: 9000},
	}}
}

func BenchmarkAppend(b *testing.B) {
	e := reply()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		buf, err = event.Append(buf[:0], e)
		noErr(b, err)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecode(b *testing.B) {
	line, err := event.Append(nil, reply())
	noErr(b, err)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := event.Decode(line)
		noErr(b, err)
	}
}
