package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
)

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"x", 1},
		{"four", 1},
		{strings.Repeat("code", 100), 100},
		{strings.Repeat("世", 100), 65},
		{strings.Repeat("한", 100), 65},
		{strings.Repeat("é", 100), 50},
		{strings.Repeat("🙂", 10), 15},
		{"\xff\x80", 2}, // no character at all is still no panic
	} {
		if got := provider.Estimate(c.text); got != c.want {
			t.Errorf("%.12q: got %d, want %d", c.text, got, c.want)
		}
		if got := provider.Estimate([]byte(c.text)); got != c.want {
			t.Errorf("%.12q as bytes: got %d, want %d", c.text, got, c.want)
		}
	}
}

func TestEstimateOfTools(t *testing.T) {
	tools := []message.ToolSchema{{Name: "look", Description: "Looks at it.", Parameters: json.RawMessage(`{"type":"object"}`)}}
	if got := provider.EstimateTools(tools); got != 17 { // 1 + 3 + 4.25 + 8
		t.Errorf("got %d", got)
	}
	if got := provider.EstimateTools(nil); got != 0 {
		t.Errorf("no tools: got %d", got)
	}
}

// verbatim writes contents as they are, which stand for encoded messages.
type verbatim struct{}

func (verbatim) Encode(dst []byte, batch []message.Message) ([]byte, error) {
	for _, m := range batch {
		dst = append(dst, m.Content...)
	}
	return dst, nil
}

func TestWireKnowsItsTokens(t *testing.T) {
	frame := func(text string) string { return `{"role":"user","content":"` + text + `"},` }
	picture := `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("A", 1<<20) + `"}}]},`
	w := provider.NewWire(verbatim{})
	for _, step := range []struct {
		add  string
		want int
	}{
		{frame(strings.Repeat("code", 100)), 104},
		{frame(strings.Repeat("世", 100)), 104 + 69},
		{picture, 104 + 69 + 1013},
		// In a text the quotes are escaped: it is no image and no message.
		{frame(`{\"role\":\"url\":\"data:`), 104 + 69 + 1013 + 10},
	} {
		if err := w.Append(message.Message{Content: step.add}); err != nil {
			t.Fatal(err)
		}
		if got := w.Tokens(); got < step.want-2 || got > step.want+2 {
			t.Errorf("%.40s: got %d, want about %d", step.add, got, step.want)
		}
	}
	w.Truncate(1)
	if got := w.Tokens(); got != 104 {
		t.Errorf("truncated: got %d, want 104", got)
	}
	w.Truncate(0)
	if got := w.Tokens(); got != 0 {
		t.Errorf("empty: got %d", got)
	}
}

func TestEstimatesAllocateNothing(t *testing.T) {
	text := strings.Repeat("text 世界 ", 100)
	wire := []byte(text)
	var m provider.Meter
	if n := testing.AllocsPerRun(10, func() {
		_ = provider.Estimate(text) + provider.Estimate(wire) + m.Tokens(text)
		m.Observe(100, 130)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMeterLearnsTheEndpointsTokens(t *testing.T) {
	var m provider.Meter
	if got := m.Scale(1000); got != 1000 {
		t.Errorf("before any count: got %d", got)
	}
	m.Observe(1000, 1300)
	if got := m.Scale(1000); got != 1300 {
		t.Errorf("after one: got %d, want 1300", got)
	}
	m.Observe(2000, 2000)
	if got := m.Scale(1000); got != 1210 {
		t.Errorf("after a lower one: got %d, want 1210", got)
	}
	for range 30 {
		m.Observe(4000, 3200)
	}
	if got := m.Scale(1000); got < 799 || got > 801 {
		t.Errorf("after many: got %d, want 800", got)
	}
	before := m
	for _, wrong := range [][2]int{{1000, 0}, {1000, -5}, {0, 1000}, {1000, 10}, {1000, 9000}, {20, 60}} {
		if m.Observe(wrong[0], wrong[1]); m != before {
			t.Errorf("%v was believed", wrong)
		}
	}
	if got := m.Tokens(strings.Repeat("code", 100)); got != 80 {
		t.Errorf("a text: got %d, want 80", got)
	}
}

func BenchmarkEstimate(b *testing.B) {
	text := []byte(strings.Repeat("func main() {\n\tfmt.Println(\"hello, 世界\")\n}\n", 25_000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_ = provider.Estimate(text)
	}
}
