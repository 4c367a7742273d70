package providertest

import (
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// The tests of what a provider makes of one reply.

func testText(b *bench) {
	const text = "Hello, wörld: 你好 🙂\nsecond line"
	got := b.ask(Text(text).Usage(120, 80, 7))
	b.want(got, outcome{
		Text:   text,
		Finish: provider.FinishStop,
		Usage:  message.Usage{Input: 120, CacheRead: 80, Output: 7},
	})
}

func testCalls(b *bench) {
	got := b.ask(TextCalls("Reading.",
		Call{ID: "call_a", Name: "read_file", Arguments: `{"path":"a.txt"}`},
		Call{ID: "call_b", Name: "read_file", Arguments: `{"path":"日本.txt"}`},
		Call{ID: "call_c", Name: "ls", Arguments: `{}`},
	).Usage(1, 0, 2))
	b.want(got, outcome{
		Text: "Reading.",
		Calls: []message.ToolCall{
			{ID: "call_a", Name: "read_file", Arguments: `{"path":"a.txt"}`},
			{ID: "call_b", Name: "read_file", Arguments: `{"path":"日本.txt"}`},
			{ID: "call_c", Name: "ls", Arguments: `{}`},
		},
		Finish: provider.FinishStop,
		Usage:  message.Usage{Input: 1, Output: 2},
	})
}

func testReasoning(b *bench) {
	got := b.ask(Text("Four.").Reasoning("reasoning_content", "Two and two.").Usage(3, 0, 4))
	b.want(got, outcome{
		Text:      "Four.",
		Reasoning: "Two and two.",
		Finish:    provider.FinishStop,
		Usage:     message.Usage{Input: 3, Output: 4},
	})
}

func testLength(b *bench) {
	got := b.ask(Text("An answer that is too lo").Finish("length").Usage(3, 0, 4))
	b.want(got, outcome{
		Text:   "An answer that is too lo",
		Finish: provider.FinishLength,
		Usage:  message.Usage{Input: 3, Output: 4},
	})
}

func testCut(b *bench) {
	opened := Delta(`"content":"Writing."`) +
		Delta(`"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]`)
	for name, reply := range map[string]Reply{
		"connection closed": Raw(opened).Abort(),
		"body ended":        Raw(opened),
	} {
		got := b.ask(reply)
		f := b.failure(got)
		if f.Kind != provider.KindCut || f.Phase != provider.PhaseStream || !f.Retryable {
			b.Errorf("%s: got %+v, want a retryable cut", name, f)
		}
		if got.Text != "Writing." || len(got.Calls) != 0 {
			b.Errorf("%s: got text %q and calls %v, want the text and no call", name, got.Text, got.Calls)
		}
	}
}

func testFailures(b *bench) {
	const sorry = `{"error":{"message":"sorry about that","type":"x"}}`
	tests := []struct {
		reply     Reply
		kind      string
		after     time.Duration
		retryable bool
	}{
		{Status(400, sorry), provider.KindRequest, 0, false},
		{Status(401, sorry), provider.KindAuth, 0, false},
		{Status(403, sorry), provider.KindAuth, 0, false},
		{Status(404, sorry), provider.KindRequest, 0, false},
		{Status(408, sorry), provider.KindOverloaded, 0, true},
		{Status(409, sorry), provider.KindOverloaded, 0, true},
		{Status(425, sorry), provider.KindOverloaded, 0, true},
		{Status(429, sorry, "Retry-After", "7"), provider.KindRateLimit, 7 * time.Second, true},
		{Status(500, sorry), provider.KindOverloaded, 0, true},
		{Status(503, sorry, "Retry-After", "2"), provider.KindOverloaded, 2 * time.Second, true},
	}
	for _, tt := range tests {
		f := b.failure(b.ask(tt.reply))
		got := []any{f.Kind, f.After, f.Retryable, f.Status, f.Provider}
		want := []any{tt.kind, tt.after, tt.retryable, tt.reply.status, "scripted"}
		if diff := cmp.Diff(want, got); diff != "" {
			b.Errorf("HTTP %d (-want +got):\n%s", tt.reply.status, diff)
		}
		if !strings.Contains(f.Error(), "sorry about that") {
			b.Errorf("HTTP %d: %q does not say what the vendor said", tt.reply.status, f.Error())
		}
	}
}

func testConnection(b *bench) {
	p := b.provider()
	b.server.Close()
	f := b.failure(b.stream(b.limit, p, asking("anyone?")))
	if f.Kind != provider.KindConnection || f.Phase != provider.PhaseConnect || !f.Retryable {
		b.Errorf("got %+v, want a retryable connection failure", f)
	}
}

func testKey(b *bench) {
	const key = "sk-secret-0123456789"
	b.server.RequireKey(key)
	cfg := b.config()
	cfg.APIKey = key
	b.server.Add(Text("in"))
	if got := b.stream(b.limit, b.open(b.T, cfg), asking("let me in")); got.Text != "in" {
		b.Errorf("with the key: got %+v", got)
	}
	b.server.Add(Status(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`))
	f := b.failure(b.stream(b.limit, b.open(b.T, cfg), asking("again")))
	if strings.Contains(f.Error(), key) {
		b.Errorf("the failure tells the key: %s", f)
	}
	cfg.APIKey = ""
	_ = b.failure(b.stream(b.limit, b.open(b.T, cfg), asking("without")))
	last := b.server.Requests()[2]
	if _, sent := last.Header["Authorization"]; sent {
		b.Errorf("without a key the header was %q", last.Header["Authorization"])
	}
}
