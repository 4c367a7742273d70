package event

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

// FuzzDecode checks that the quick reader of our own lines never disagrees with the
// general one, and that what is decoded encodes to a line that decodes to the same.
func FuzzDecode(f *testing.F) {
	for i, k := range Kinds() {
		line, err := Append(nil, Envelope{Seq: Seq(i), Time: time.Unix(0, int64(i)), Turn: i % 3, Payload: k.Zero})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	for _, line := range []string{
		`{"seq":1,"type":"later.thing","data":{"a":[1, 2]}}`,
		`{"seq":1,"type":"session.notice","data":{"text":"\ud800\u2028<"},"seq":2}`,
		`{"seq":1,"time":"2026-01-02T15:04:05+01:00","turn":-1,"type":"x","data": null }`,
		`{"time":"0000-01-01T00:00:00+01:00","type":"x","data":{}}`,
		`{"turn":3,"type":"tool.finished","data":{"exit":0,"took":12,"message":{"role":"tool","content":"x"}}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		general, gerr := decodeAny(line)
		if own, ok := decodeOwn(line); ok && (gerr != nil || !reflect.DeepEqual(own, general)) {
			t.Fatalf("quick: %+v\ngeneral: %+v, %v", own, general, gerr)
		}
		e, err := Decode(line)
		if !bytes.Equal(line, before) {
			t.Fatal("the line was changed")
		}
		if err != nil {
			return
		}
		again, err := Append(nil, e)
		if err != nil {
			t.Fatalf("decoded and not encoded: %v", err)
		}
		if bytes.ContainsAny(again, "\n\r") {
			t.Fatalf("several lines: %q", again)
		}
		back, err := Decode(again)
		if err != nil {
			t.Fatalf("encoded and not decoded: %v\n%s", err, again)
		}
		more, err := Append(nil, back)
		if err != nil || !bytes.Equal(more, again) {
			t.Fatalf("encoded again: %v\n%s\n%s", err, again, more)
		}
	})
}
