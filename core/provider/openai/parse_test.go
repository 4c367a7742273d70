package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse wants every JSON object to be read, strings to be what encoding/json
// says they are, and what was cut to be noticed.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"choices":[{"index":0,"delta":{"content":"a\n\u00e9\ud83d\ude00\/"},"finish_reason":null}],"usage":{"prompt_tokens":1e2}}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":{"a":[1,{}]}}}]}}]}`))
	f.Add([]byte(`{"error":{"message":"x"},"x_groq":{"usage":{}}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var d delta
		ok := d.parse(in)
		var object map[string]json.RawMessage
		if json.Unmarshal(in, &object) != nil || object == nil {
			return
		}
		if !ok {
			t.Fatalf("not read: %q", in)
		}
		trimmed := strings.TrimSpace(string(in))
		if d.parse([]byte(trimmed[:len(trimmed)-1])) {
			t.Fatalf("not noticed to be cut: %q", trimmed[:len(trimmed)-1])
		}
	})
}

func FuzzString(f *testing.F) {
	f.Add("a\n\x00\"\\é🙂\xff\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		quoted := appendString(nil, s)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Fatalf("%q: %v", quoted, err)
		}
		if back != strings.Map(func(r rune) rune { return r }, s) { // one U+FFFD a byte, as encoding/json does
			t.Errorf("got %q from %q", back, s)
		}
		ascii, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		w := walker{b: ascii}
		if diff := cmp.Diff(valid(w.text().String()), back); diff != "" {
			t.Errorf("got - want +\n%s", diff)
		}
	})
}
