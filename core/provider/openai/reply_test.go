package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// What a profile says of the replay is what its protocol does.
func TestProtocolComesFromTheProfile(t *testing.T) {
	for _, profile := range append(provider.Profiles(), provider.Generic()) {
		own, err := protocolOf("auto", profile)
		if err != nil {
			t.Errorf("%s: %v", profile.Name, err)
			continue
		}
		named, _ := protocolOf(profile.Protocol, profile)
		if own.maxName != profile.LimitName || own.replay != named.replay && profile.Protocol != "auto" {
			t.Errorf("%s: %+v by its profile, %+v by its protocol", profile.Name, own, named)
		}
	}
	if _, err := protocolOf("other", provider.Generic()); err == nil {
		t.Error("an unknown protocol is one")
	}
}

func TestRepliesAreBounded(t *testing.T) {
	call := func(i int, args string) []byte {
		return fmt.Appendf(nil, `{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"n","arguments":"%s"}}]}}]}`, i, i, args)
	}
	many := newReply(1)
	for i := range maxCalls + 1 {
		many.apply(nil, call(i, ""))
	}
	large := newReply(1)
	for range 17 {
		large.apply(nil, call(0, strings.Repeat("x", 1<<20)))
	}
	for name, r := range map[string]*reply{"many calls": many, "large arguments": large} {
		chunks, f := r.end(true)
		if f == nil || f.kind != provider.KindRequest || f.retryable || len(chunks) > 0 {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

func TestShapesThatAreNearlyRight(t *testing.T) {
	want := []message.ToolCall{{ID: "7", Name: "n", Arguments: "{}"}}
	for _, fields := range []string{
		`"tool_calls":{"id":7,"function":{"name":"n","arguments":"{}"}}`,
		`"tool_calls":[{"index":"0","id":"7","type":{"a":[]},"function":{"name":"n","arguments":"{}","x":null}}],"tool_calls":"none"`,
		`"tool_calls":[{"id":"7","function":"f","name":"n","arguments":"{}"},null,3]`,
		`"content":7,"reasoning_details":"none","reasoning":null,"tool_calls":[{"id":"7","function":{"name":"n"}}]`,
	} {
		r := newReply(1)
		r.apply(nil, []byte(`{"id":["x"],"choices":["none",{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{`+fields+`},"finish_reason":"stop"}]}`))
		chunks, f := r.end(true)
		if f != nil {
			t.Errorf("%s: %+v", fields, f)
			continue
		}
		var got []message.ToolCall
		for _, c := range chunks {
			if c.Call != nil {
				got = append(got, *c.Call)
			}
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: got - want +\n%s", fields, diff)
		}
	}
}

func TestEscapes(t *testing.T) {
	for in, want := range map[string]string{
		`"a\b\f\n\r\t\"\\\/\u0041\u00E9\ud83d\ude00"`: "a\b\f\n\r\t\"\\/Aé😀",
		`"\u12"`:       `\u12`,
		`"\uzzzz"`:     `\uzzzz`,
		`"\ud83dx"`:    "\uFFFDx",
		`"\q"`:         "q",
		`"ends in \\"`: `ends in \`,
	} {
		w := walker{b: []byte(in)}
		if got := valid(w.text().String()); got != want || w.bad {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	for _, cut := range []string{`"a`, `"a\`, `"a\"`} {
		w := walker{b: []byte(cut)}
		if w.text(); !w.bad {
			t.Errorf("%s: not noticed to be cut", cut)
		}
	}
}
