package providertest

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// The tests of how a conversation is written.

// conversation is a session in batches, each what was added since the request
// before it. It has what real ones have: calls side by side, arguments that are
// no JSON, an empty result, steering behind results, a reply cut short.
func conversation() [][]message.Message {
	call := func(id, name, arguments string) message.ToolCall {
		return message.ToolCall{ID: id, Name: name, Arguments: arguments}
	}
	result := func(id, name, text string) message.Message {
		return message.Message{Role: message.ToolRole, ToolCallID: id, Name: name, Content: text}
	}
	return [][]message.Message{
		{
			{Role: message.System, Content: "You are careful.\n<b>&\u2028\"quoted\"\\"},
			{Role: message.User, Content: "修复 the test 🙂"},
		},
		{
			{Role: message.Assistant, Content: "Looking.", ToolCalls: []message.ToolCall{
				call("c1", "read_file", `{"path": "a.txt"}`), call("c2", "ls", ""),
			}},
			result("c1", "read_file", "one\r\ntwo\x00\x1b[31m"),
			result("c2", "ls", ""),
		},
		{
			{Role: message.Assistant, ToolCalls: []message.ToolCall{
				call("c3", "edit_file", "{\"old\": \"a\nb\", "), call("c4", "ls", "[1]"),
			}},
			result("c3", "edit_file", "arguments are not valid JSON"),
			result("c4", "ls", "arguments are not an object"),
			{Role: message.User, Content: "Leave b.txt alone."},
		},
		{
			{Role: message.Assistant, Content: "I was just about to"},
			{Role: message.User, Content: "Go on."},
		},
	}
}

// tools are two schemas as the registry writes them.
func tools() []message.ToolSchema {
	return []message.ToolSchema{
		{Name: "ls", Description: "Lists.", Parameters: json.RawMessage(`{"properties":{},"type":"object"}`)},
		{
			Name:        "read_file",
			Description: "Reads <a> & b.",
			Parameters:  json.RawMessage(`{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}`),
		},
	}
}

func testEncode(b *bench) {
	p, twin := b.provider(), b.provider()
	var dst, other []byte
	for i, batch := range conversation() {
		before := slices.Clone(dst)
		dst = b.encode(p, dst, batch)
		other = b.encode(twin, other, batch)
		if !bytes.HasPrefix(dst, before) || len(dst) == len(before) {
			b.Errorf("batch %d: encoding changed what was there, or added nothing", i)
		}
		if !bytes.Equal(dst, other) {
			b.Errorf("batch %d: two providers of one configuration differ:\n%s\n%s", i, dst, other)
		}
	}
	again := b.encode(p, nil, conversation()[0])
	if !bytes.HasPrefix(dst, again) {
		b.Errorf("the same batch was encoded differently later:\n%s", again)
	}
}

func (b *bench) encode(p provider.Provider, dst []byte, batch []message.Message) []byte {
	b.Helper()
	out, err := p.Encode(dst, batch)
	if err != nil {
		b.Fatalf("encode: %v", err)
	}
	return out
}

func testConversation(b *bench) {
	p := b.provider()
	wire := provider.NewWire(p)
	for i, batch := range conversation() {
		if err := wire.Append(batch...); err != nil {
			b.Fatal(err)
		}
		b.server.Add(Text("noted"))
		got := b.stream(b.limit, p, provider.Request{Wire: wire, Tools: tools()})
		if got.Err != nil {
			b.Errorf("request %d: %v", i, got.Err)
		}
	}
	b.server.CheckPrefix(b.T)
	last := b.server.Requests()[len(conversation())-1]
	if diff := cmp.Diff([]string{"ls", "read_file"}, last.Tools); diff != "" {
		b.Errorf("tools (-want +got):\n%s", diff)
	}
	var want []message.Message
	for _, batch := range conversation() {
		want = append(want, batch...)
	}
	b.sameTexts(last, want)
}

// sameTexts wants every message's text, and every call's id and name, to have
// reached the server as they are.
func (b *bench) sameTexts(r *Received, want []message.Message) {
	b.Helper()
	type line struct{ Role, Content, Answers, Calls string }
	var sent, asked []line
	for _, m := range r.Messages {
		l := line{Role: m.Role, Content: m.Content, Answers: m.ToolCallID}
		for _, c := range m.ToolCalls {
			l.Calls += c.ID + "=" + c.Name + " "
		}
		sent = append(sent, l)
	}
	for _, m := range want {
		l := line{Role: string(m.Role), Content: m.Content, Answers: m.ToolCallID}
		for _, c := range m.ToolCalls {
			l.Calls += c.ID + "=" + c.Name + " "
		}
		asked = append(asked, l)
	}
	if diff := cmp.Diff(asked, sent); diff != "" {
		b.Errorf("messages (-want +got):\n%s", diff)
	}
}

func testNoWire(b *bench) {
	var all []message.Message
	for _, batch := range conversation() {
		all = append(all, batch...)
	}
	b.server.Add(Text("noted"))
	got := b.stream(b.limit, b.provider(), provider.Request{Messages: all, Tools: tools()})
	if got.Err != nil {
		b.Fatal(got.Err)
	}
	b.sameTexts(b.server.Requests()[0], all)
}

func testModels(b *bench) {
	lister, ok := b.provider().(provider.Lister)
	if !ok {
		return // listing is optional
	}
	b.server.SetModels("small", "vendor/large:free")
	got, err := lister.Models(b.limit)
	if err != nil {
		b.Fatal(err)
	}
	if diff := cmp.Diff([]string{"small", "vendor/large:free"}, got); diff != "" {
		b.Errorf("models (-want +got):\n%s", diff)
	}
}
