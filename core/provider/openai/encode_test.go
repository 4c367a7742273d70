package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
	pt "reasonix/core/provider/providertest"
)

// encoded is what a provider makes of messages.
func encoded(t *testing.T, messages []message.Message, change ...func(*provider.Config)) string {
	t.Helper()
	out, err := open(t, pt.New(t), change...).Encode(nil, messages)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte("[" + string(out) + "]")) {
		t.Errorf("not JSON: %s", out)
	}
	return string(out)
}

func TestEncode(t *testing.T) {
	call := func(name, args string) message.Message {
		return message.Message{Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: "i", Name: name, Arguments: args}}}
	}
	called := func(name, args string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"` + name + `","arguments":` + args + `}}]}`
	}
	for _, c := range []struct {
		name string
		in   message.Message
		want string
	}{
		{"system", message.Message{Role: message.System, Content: "be <good> & \"kind\""}, `{"role":"system","content":"be <good> & \"kind\""}`},
		{"control bytes", message.Message{Role: message.User, Content: "a\x00b\tc\r\nd\x1be\x7f\\"}, `{"role":"user","content":"a\u0000b\tc\r\nd\u001be` + "\x7f" + `\\"}`},
		{"invalid UTF-8", message.Message{Role: message.User, Content: "é\xff\"\xe4\xbd好"}, `{"role":"user","content":"é` + "\uFFFD" + `\"` + "\uFFFD\uFFFD" + `好"}`},
		{"line separators stay", message.Message{Role: message.User, Content: "\u2028\u2029"}, "{\"role\":\"user\",\"content\":\"\u2028\u2029\"}"},
		{"nothing said", message.Message{Role: message.User}, `{"role":"user","content":"(empty)"}`},
		{"nothing answered", message.Message{Role: message.Assistant}, `{"role":"assistant","content":"(empty)"}`},
		{"result", message.Message{Role: message.ToolRole, ToolCallID: "i", Name: "ls"}, `{"role":"tool","content":"","tool_call_id":"i"}`},
		{"call", call("ls", `{"a": 1}`), called("ls", `"{\"a\": 1}"`)},
		{"blank arguments", call("ls", " "), called("ls", `"{}"`)},
		{"null arguments", call("ls", "null"), called("ls", `"{}"`)},
		{"broken arguments", call("ls", `{"a": 1`), called("ls", `"{}"`)},
		{"list arguments", call("ls", `[1]`), called("ls", `"{}"`)},
		{"invented name", call("my tool/é", "{}"), called("my_tool__", `"{}"`)},
		{"no name", call("", "{}"), called("unknown", `"{}"`)},
		{"long name", call(strings.Repeat("n", 99), "{}"), called(strings.Repeat("n", 64), `"{}"`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(encoded(t, []message.Message{c.in}), c.want); diff != "" {
				t.Errorf("got - want +\n%s", diff)
			}
		})
	}
}

func TestEncodeAttachments(t *testing.T) {
	png := message.Attachment{MIME: "image/png", Name: "shot.png", Hash: "h1", Size: 3}
	lost := message.Attachment{MIME: "image/png", Name: "lost.png", Hash: "h2"}
	file := message.Attachment{Path: "src/a.go", MIME: "text/plain"}
	asked := message.Message{Role: message.User, Content: "look", Attachments: []message.Attachment{png, file, lost}}
	alone := message.Message{Role: message.User, Attachments: []message.Attachment{png}}
	result := func(id string, a ...message.Attachment) message.Message {
		return message.Message{Role: message.ToolRole, ToolCallID: id, Content: "done", Attachments: a}
	}
	vision := func(c *provider.Config) {
		c.Options.Vision = true
		c.Blob = func(hash string) ([]byte, error) {
			if hash != "h1" {
				return nil, errors.New("gone")
			}
			return []byte("PNG"), nil
		}
	}
	image := `{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}`
	gone := `{"type":"text","text":"[image lost.png is no longer available]"}`
	inWords := `[image shot.png (image/png, 3 bytes): this model is shown no images]`
	for _, c := range []struct {
		name   string
		in     []message.Message
		vision bool
		want   string
	}{
		{"seen", []message.Message{asked}, true, `{"role":"user","content":[{"type":"text","text":"look\n[file: src/a.go]"},` + image + `,` + gone + `]}`},
		{"seen without a word", []message.Message{alone}, true, `{"role":"user","content":[` + image + `]}`},
		{"unseen", []message.Message{alone}, false, `{"role":"user","content":"` + inWords + `"}`},
		{
			"of tools, behind all results",
			[]message.Message{result("a", png), result("b"), {Role: message.User, Content: "well?"}},
			true,
			`{"role":"tool","content":"done","tool_call_id":"a"},{"role":"tool","content":"done","tool_call_id":"b"},` +
				`{"role":"user","content":[{"type":"text","text":"Images returned by the tools above:"},` + image + `]},{"role":"user","content":"well?"}`,
		},
		{"of tools, unseen", []message.Message{result("a", png)}, false, `{"role":"tool","content":"done\n` + inWords + `","tool_call_id":"a"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := func(*provider.Config) {}
			if c.vision {
				change = vision
			}
			if diff := cmp.Diff(encoded(t, c.in, change), c.want); diff != "" {
				t.Errorf("got - want +\n%s", diff)
			}
		})
	}
}

func TestBatchesConcatenate(t *testing.T) {
	p := open(t, pt.New(t))
	all := []message.Message{{Role: message.System, Content: "s"}, {Role: message.User, Content: "u"}, {Role: message.Assistant, Content: "a"}}
	whole, err := p.Encode(nil, all)
	if err != nil {
		t.Fatal(err)
	}
	var parts []byte
	for _, m := range all {
		if parts, err = p.Encode(parts, []message.Message{m}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(parts), string(whole)); diff != "" {
		t.Errorf("got - want +\n%s", diff)
	}
	if _, err := p.Encode(nil, []message.Message{{Role: "critic"}}); err == nil || !strings.Contains(err.Error(), `unknown role "critic"`) {
		t.Errorf("got %v", err)
	}
}

// history is n messages of a session of reading files.
func history(n int) []message.Message {
	out := []message.Message{{Role: message.System, Content: strings.Repeat("Be careful. ", 100)}, {Role: message.User, Content: "Fix it."}}
	text := strings.Repeat("func main() {\n\tfmt.Println(\"hello, 世界\")\n}\n", 40)
	for i := 0; len(out) < n; i++ {
		id := fmt.Sprintf("call_%d", i)
		out = append(out,
			message.Message{Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path":"main.go"}`}}},
			message.Message{Role: message.ToolRole, ToolCallID: id, Content: text})
	}
	return out
}

func BenchmarkEncode(b *testing.B) {
	p := scripted(b, script{})
	batch := history(4)[2:]
	dst, err := p.Encode(nil, batch)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = p.Encode(dst[:0], batch); err != nil {
			b.Fatal(err)
		}
	}
}
