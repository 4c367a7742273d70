package provider_test

import (
	"errors"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// joined writes contents with a comma between them, and refuses "bad" after it
// has already written something.
type joined struct{}

var errBad = errors.New("bad")

func (joined) Encode(dst []byte, batch []message.Message) ([]byte, error) {
	for _, m := range batch {
		if len(dst) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m.Content...)
		if m.Content == "bad" {
			return dst, errBad
		}
	}
	return dst, nil
}

func say(texts ...string) []message.Message {
	out := make([]message.Message, len(texts))
	for i, s := range texts {
		out[i] = message.Message{Role: message.User, Content: s}
	}
	return out
}

// check compares the whole visible state of a wire.
func check(t *testing.T, w *provider.Wire, bytes string, n int) {
	t.Helper()
	if got := string(w.Bytes()); got != bytes || w.Len() != n {
		t.Errorf("got %q with %d messages, want %q with %d", got, w.Len(), bytes, n)
	}
}

func TestWireGrowsByBatches(t *testing.T) {
	w := provider.NewWire(joined{})
	check(t, w, "", 0)
	for _, step := range []struct {
		batch []message.Message
		bytes string
		n     int
	}{
		{say("a"), "a", 1},
		{nil, "a", 1},
		{say("b", "c"), "a,b,c", 3},
	} {
		if err := w.Append(step.batch...); err != nil {
			t.Fatal(err)
		}
		check(t, w, step.bytes, step.n)
	}
}

func TestWireKeepsNothingOfAFailedBatch(t *testing.T) {
	w := provider.NewWire(joined{})
	if err := w.Append(say("a")...); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(say("b", "bad")...); !errors.Is(err, errBad) {
		t.Errorf("got %v", err)
	}
	check(t, w, "a", 1)
	if err := w.Append(say("c")...); err != nil {
		t.Fatal(err)
	}
	check(t, w, "a,c", 2)
}

func TestWireTruncatesWholeBatches(t *testing.T) {
	for _, tt := range []struct {
		to    int
		bytes string
		n     int
	}{
		{9, "a,b,c,d", 4},
		{4, "a,b,c,d", 4},
		{3, "a,b,c", 3},
		{2, "a", 1}, // b and c are one batch
		{1, "a", 1},
		{0, "", 0},
		{-1, "", 0},
	} {
		w := provider.NewWire(joined{})
		for _, batch := range [][]message.Message{say("a"), say("b", "c"), say("d")} {
			if err := w.Append(batch...); err != nil {
				t.Fatal(err)
			}
		}
		w.Truncate(tt.to)
		check(t, w, tt.bytes, tt.n)
	}
}
