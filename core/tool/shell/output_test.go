package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"reasonix/core/tool"
	"reasonix/sandbox"
)

// told feeds chunks to an output and returns what the model is told.
func told(t *testing.T, limit int, call *tool.Call, chunks ...string) string {
	t.Helper()
	o := newOutput(tool.Settings{OutputCap: limit, Temp: t.TempDir()}, call)
	for _, c := range chunks {
		if n, err := io.WriteString(o, c); n != len(c) || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
	}
	text := report{out: o, call: call, exit: sandbox.Exit{Code: 1}}.finished()
	o.remove()
	return text
}

func saved(full *string) *tool.Call {
	return &tool.Call{Save: func(r io.Reader) (string, string, error) {
		data, err := io.ReadAll(r)
		*full = string(data)
		return "0123", "/out/0123.txt", err
	}}
}

func TestOutputWithinTheCapIsWhole(t *testing.T) {
	full := "not saved"
	call := saved(&full)
	text := strings.Repeat("a line of text\n", 60)
	if got := told(t, 1000, call, text[:100], text[100:]); got != text+"exit code 1" || full != "not saved" || call.Full != "" {
		t.Errorf("got %q, saved %q", got, full)
	}
}

func TestOutputOverTheCapKeepsBothEndsAndSavesAll(t *testing.T) {
	for _, unit := range []string{"x", "界", "line %d\n", "界线 %d\n", "\x1b[31m%d\x1b[0m \xff"} {
		for _, limit := range []int{600, 1000, 4096} {
			var raw strings.Builder
			for i := range 5_000 {
				raw.WriteString(strings.ReplaceAll(unit, "%d", fmt.Sprint(i)))
			}
			var full string
			call := saved(&full)
			got := told(t, limit, call, raw.String()[:7], raw.String()[7:5000], raw.String()[5000:])
			if len(got) > limit || len(got) < limit/2 || !utf8.ValidString(got) {
				t.Errorf("%q at most %d: %d bytes, valid %v", unit, limit, len(got), utf8.ValidString(got))
			}
			if full != raw.String() || call.Full != "0123" || !strings.Contains(got, "full output: /out/0123.txt]") {
				t.Errorf("%q: saved %d of %d bytes as %q", unit, len(full), raw.Len(), call.Full)
			}
			plain := clean(raw.String())
			head, rest, _ := strings.Cut(got, "[... ")
			_, tail, _ := strings.Cut(rest, "]\n")
			tail = strings.TrimSuffix(tail, "exit code 1")
			if !strings.HasPrefix(plain, strings.TrimSuffix(head, "\n")) || !strings.HasSuffix(strings.TrimSuffix(plain, "\n"), strings.TrimSuffix(tail, "\n")) {
				t.Errorf("%q: head %.30q, tail %.30q", unit, head, tail)
			}
			left := 0
			if _, err := fmt.Sscan(rest, &left); err != nil || left+len(head)+len(tail) < len(plain) || left+len(head)+len(tail) > len(plain)+2 {
				t.Errorf("%q: %d left out beside %d and %d of %d", unit, left, len(head), len(tail), len(plain))
			}
		}
	}
}

func TestProgressThatReducesToLittleIsWhole(t *testing.T) {
	call := &tool.Call{}
	var chunks []string
	for i := range 20_000 {
		chunks = append(chunks, fmt.Sprintf("\r%d%%", i))
	}
	if got := told(t, 1000, call, chunks...); got != "19999%\nexit code 1" {
		t.Errorf("got %.200q", got)
	}
}

func TestFullOutputThatCannotBeKeptIsTold(t *testing.T) {
	call := &tool.Call{Save: func(io.Reader) (string, string, error) { return "", "", errors.New("disk is full") }}
	if got := told(t, 1000, call, strings.Repeat("x\n", 5000)); !strings.Contains(got, "could not be kept: disk is full]") {
		t.Errorf("got %q", got)
	}
	o := newOutput(tool.Settings{Temp: t.TempDir() + "/gone", OutputCap: 1000}, &tool.Call{})
	_, _ = io.WriteString(o, strings.Repeat("x\n", spoolMemory))
	if got := (report{out: o, call: &tool.Call{}}).finished(); !strings.Contains(got, "could not be kept: open") {
		t.Errorf("got %q", got)
	}
}

func TestSpoolStopsAtItsLimitAndSaysSo(t *testing.T) {
	s := spool{dir: t.TempDir(), limit: 100_000}
	for range 300 {
		s.write([]byte(strings.Repeat("x", 1000)))
	}
	_, path, err := s.save(nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != 100_000 || s.limited() != " (its first 100000 bytes, the rest was not kept)" {
		t.Errorf("%v, %v, %q", info, err, s.limited())
	}
}

func TestFloodKeepsTheFirst64MiBAndTheResultSaysSo(t *testing.T) {
	kept := int64(0)
	call := &tool.Call{Save: func(r io.Reader) (string, string, error) {
		n, err := io.Copy(io.Discard, r)
		kept = n
		return "", "kept.txt", err
	}}
	o := newOutput(tool.Settings{Temp: t.TempDir(), OutputCap: 1000}, call)
	defer o.remove()
	chunk := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range 65 {
		_, _ = o.Write(chunk)
	}
	got := (report{out: o, call: call}).finished()
	if kept != 64<<20 || !strings.Contains(got, "full output (its first 67108864 bytes, the rest was not kept): kept.txt") {
		t.Errorf("%d bytes kept, and the result says %q", kept, got)
	}
}

func TestLiveShowsLinesAndGrowingLinesOnce(t *testing.T) {
	for _, c := range []struct {
		chunks []string
		want   string
	}{
		{[]string{"one\ntw", "o\n"}, "one\ntwo\n"},
		{[]string{".", ".", ".", " ok\nnext"}, "... ok\nnext"},
		{[]string{"10%", "\r20%", "\r30%", "\ndone\n"}, "10%\n30%\ndone\n"},
		{[]string{"\r10%", "\r20%\n"}, "20%\n"},
		{[]string{"\x1b[3", "1mred\n"}, "red\n"},
		{[]string{"\xe4\xb8", "\xad\n"}, "中\n"},
		{[]string{"end"}, "end"},
	} {
		var live strings.Builder
		told(t, 1000, &tool.Call{Out: &live}, c.chunks...)
		if live.String() != c.want {
			t.Errorf("%q: got %q, want %q", c.chunks, live.String(), c.want)
		}
	}
}

func TestLiveIsBounded(t *testing.T) {
	var live strings.Builder
	line := strings.Repeat("x", 999) + "\n"
	var chunks []string
	for range 3000 {
		chunks = append(chunks, line)
	}
	told(t, 1000, &tool.Call{Out: &live}, chunks...)
	if live.Len() > maxLive+len(liveEnd) || !strings.HasSuffix(live.String(), liveEnd) {
		t.Errorf("%d bytes, ending in %q", live.Len(), live.String()[live.Len()-60:])
	}
}
