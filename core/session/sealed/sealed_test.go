package sealed_test

import (
	"strings"
	"testing"

	"reasonix/core/session/sealed"
)

func TestASealedLineIsUnsealedAndRestored(t *testing.T) {
	for _, object := range []string{`{"a":1}`, `{"seq":7,"type":"x","data":{"crc":"00000000"}}`, `{"t":"漢🙂"}`} {
		made := sealed.Line(append([]byte("before "), object...), len("before "))
		text := strings.TrimPrefix(string(made), "before ")
		if !strings.HasSuffix(text, "\"}\n") || len(text) != len(object)+sealed.Len {
			t.Fatalf("sealed: %q", text)
		}
		l := []byte(strings.TrimSuffix(text, "\n"))
		got, ok := sealed.Open(l)
		if !ok || string(got) != object {
			t.Errorf("got %q of %q", got, text)
		}
		sealed.Restore(l)
		if string(l)+"\n" != text || !sealed.HasSeal(l) || !strings.Contains(text, sealed.Checksum(l)) {
			t.Errorf("restored: %q", l)
		}
	}
}

func TestALineThatDoesNotCheckStaysAsItIs(t *testing.T) {
	good := string(sealed.Line([]byte(`{"seq":1,"type":"x"}`), 0))
	good = strings.TrimSuffix(good, "\n")
	for i := range good {
		for _, bad := range []string{good[:i], good[:i] + string(good[i]^1) + good[i+1:]} {
			l := []byte(bad)
			if _, ok := sealed.Open(l); ok || string(l) != bad {
				t.Errorf("%q passes, or was changed to %q", bad, l)
			}
		}
	}
}

func TestTheBeginningOfARecordIsRead(t *testing.T) {
	for _, c := range []struct {
		object string
		seq    uint64
		name   string
	}{
		{`{"seq":42,"time":"2026-01-02T15:04:05Z","turn":3,"type":"user.said","data":{"type":"no"}}`, 42, "user.said"},
		{`{"type":"x"}`, 0, "x"},
		{`{"seq":}`, 0, ""},
		{`{"seq":99999999999999999999,`, 9999999999999999999, ""},
		{``, 0, ""},
		{`{"seq":1,"` + strings.Repeat("a", 300) + `"type":"far"`, 1, ""},
	} {
		if got, name := sealed.Seq([]byte(c.object)), string(sealed.Type([]byte(c.object))); uint64(got) != c.seq || name != c.name {
			t.Errorf("%.40q: %d %q", c.object, got, name)
		}
	}
}
