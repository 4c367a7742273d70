package acpwire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"reasonix/integrations/internal/acpwire"
)

// What a chunk writes of itself is byte for byte what encoding/json would.
func FuzzChunkUpdate(f *testing.F) {
	for _, text := range []string{"", "some words", "a\"b\\c\n\r\t\b\f\x00\x1f\x7f", "<&>", "\u2028\u2029é😀", "\xff\xfe a", "\xe2\x80"} {
		f.Add("20260102-150405-a1b2c3", "m1", text)
	}
	f.Fuzz(func(t *testing.T, session, message, text string) {
		chunk := acpwire.Chunk{SessionUpdate: acpwire.AgentMessage, MessageID: message, Content: acpwire.TextBlock(text)}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(acpwire.Update{SessionID: session, Update: chunk}); err != nil {
			t.Fatal(err)
		}
		update := acpwire.ChunkUpdate{SessionID: session, Chunk: chunk}
		if got := string(update.AppendJSON(nil)); got != strings.TrimSuffix(want.String(), "\n") {
			t.Errorf("got  %s\nwant %s", got, want.String())
		}
	})
}

func TestPairsAreAListOrAnObject(t *testing.T) {
	for text, want := range map[string]string{
		`[{"name":"A","value":"1"},{"name":"B","value":"2"}]`: `{"A":"1","B":"2"}`,
		`{"A":"1"}`: `{"A":"1"}`, `[]`: `{}`, `null`: `null`,
	} {
		var p acpwire.Pairs
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := json.Marshal(map[string]string(p)); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	var p acpwire.Pairs
	if json.Unmarshal([]byte(`5`), &p) == nil {
		t.Error("a number is read as pairs")
	}
}
