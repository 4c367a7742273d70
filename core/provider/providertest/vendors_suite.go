package providertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// RunVendor is what a provider must do at one vendor's endpoint, played by a
// scripted server that writes and refuses as the vendor does. The provider is
// given the vendor's own base URL, so that it can know where it is.
func RunVendor(t *testing.T, name string, open Opener) {
	tests := []struct {
		name string
		test func(*vendorBench)
	}{
		{"text and usage", vendorText},
		{"calls side by side", vendorCalls},
		{"reasoning over several turns", vendorReasoning},
		{"requests are taken as they are", vendorRequest},
		{"ids of another vendor's calls", vendorForeignIDs},
		{"a refused parameter is dropped", vendorRefusal},
		{"errors say what they are", vendorErrors},
		{"models", vendorModels},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := &vendorBench{bench: newBench(t, open), vendor: vendorNamed(name)}
			var transport *http.Transport
			b.baseURL, transport = b.server.As(name)
			b.client.Transport = transport
			tt.test(b)
		})
	}
}

type vendorBench struct {
	*bench
	vendor  *vendor
	baseURL string
}

// at opens the provider under test at the vendor's URL. The model is the bench's
// own: a provider may remember what an endpoint refused to one.
func (b *vendorBench) at(change ...func(*provider.Config)) provider.Provider {
	b.Helper()
	cfg := b.config()
	cfg.BaseURL, cfg.Model = b.baseURL, "scripted-"+b.server.listener.Addr().String()
	for _, f := range change {
		f(&cfg)
	}
	return b.open(b.T, cfg)
}

// counted is what must come of so much usage: a vendor without cache counts has
// everything as input.
func (b *vendorBench) counted(input, cached, output int) message.Usage {
	if len(b.vendor.profile.Cache) == 0 {
		return message.Usage{Input: input + cached, Output: output}
	}
	return message.Usage{Input: input, CacheRead: cached, Output: output}
}

func vendorText(b *vendorBench) {
	for _, size := range []int{0, 1} {
		b.server.SetChunkBytes(size)
		b.server.Add(Text("Hello, wörld: 你好 🙂").Usage(120, 80, 30))
		got := b.stream(b.limit, b.at(), asking("go on"))
		b.want(got, outcome{Text: "Hello, wörld: 你好 🙂", Finish: provider.FinishStop, Usage: b.counted(120, 80, 30)})
	}
}

func vendorCalls(b *vendorBench) {
	b.server.Add(TextCalls("Reading.",
		Call{Name: "read_file", Arguments: `{"path":"a.txt"}`},
		Call{Name: "read_file", Arguments: `{"path":"日本.txt"}`},
		Call{Name: "ls", Arguments: `{}`},
	).Usage(10, 0, 20))
	got := b.stream(b.limit, b.at(), asking("go on"))
	seen := map[string]bool{"": true}
	for i := range got.Calls {
		if seen[got.Calls[i].ID] {
			b.Errorf("the id of call %d is empty or there twice: %q", i, got.Calls[i].ID)
		}
		seen[got.Calls[i].ID] = true
		got.Calls[i].ID = ""
	}
	b.want(got, outcome{
		Text: "Reading.", Finish: provider.FinishStop, Usage: b.counted(10, 0, 20),
		Calls: []message.ToolCall{
			{Name: "read_file", Arguments: `{"path":"a.txt"}`}, {Name: "read_file", Arguments: `{"path":"日本.txt"}`}, {Name: "ls", Arguments: `{}`},
		},
	})
}

// vendorReasoning goes through three turns, two of them with calls, and wants the
// reasoning back where the profile says.
func vendorReasoning(b *vendorBench) {
	p := b.at()
	wire := provider.NewWire(p)
	add := func(ms ...message.Message) {
		if err := wire.Append(ms...); err != nil {
			b.Fatal(err)
		}
	}
	add(message.Message{Role: message.User, Content: "look"})
	for turn := range 3 {
		reply := Text("Seen.")
		if turn < 2 {
			reply = Calls(Call{Name: "ls", Arguments: fmt.Sprintf(`{"n":%d}`, turn)})
		}
		thought := fmt.Sprintf("I think of %d.", turn)
		b.server.Add(reply.Reasoning("", thought).Usage(50, 0, 40))
		m, usage := b.turn(p, wire)
		if usage.Output != 40 {
			b.Errorf("turn %d: %d tokens of output, want all 40", turn, usage.Output)
		}
		if b.vendor.reasoning == nil {
			thought = ""
		}
		if shown := thoughts(m); shown != thought {
			b.Errorf("turn %d: the reasoning is %q, want %q", turn, shown, thought)
		}
		add(m)
		for _, c := range m.ToolCalls {
			add(message.Message{Role: message.ToolRole, ToolCallID: c.ID, Name: c.Name, Content: "a.txt"})
		}
	}
	add(message.Message{Role: message.User, Content: "thanks"})
	b.server.Add(Text("Welcome."))
	b.turn(p, wire)
	b.server.CheckPrefix(b.T)
	b.replayed(b.server.Requests()[3])
}

// turn sends the conversation and returns the reply as the agent would keep it.
func (b *vendorBench) turn(p provider.Provider, wire *provider.Wire) (message.Message, message.Usage) {
	b.Helper()
	m := message.Message{Role: message.Assistant}
	var usage message.Usage
	chunks, err := p.Stream(b.limit, provider.Request{Wire: wire, Tools: tools()})
	if err != nil {
		b.Fatal(err)
	}
	for c := range b.each(chunks) {
		switch {
		case c.Type == provider.ChunkError:
			b.Errorf("%v", c.Err)
		case c.Type == provider.ChunkNotice:
			b.Errorf("it had to adapt: %s", c.Notice.Text)
		case c.Type == provider.ChunkText:
			m.Content += c.Text
		case c.Reasoning != nil:
			m.Reasoning = append(m.Reasoning, *c.Reasoning)
		case c.Call != nil:
			m.ToolCalls = append(m.ToolCalls, *c.Call)
		case c.Usage != nil:
			usage = *c.Usage
		}
	}
	return m, usage
}

func thoughts(m message.Message) string {
	var all string
	for _, r := range m.Reasoning {
		all += r.Text
	}
	return all
}

// replayed wants the reasoning of r's messages under one of the profile's names,
// or nowhere.
func (b *vendorBench) replayed(r *Received) {
	b.Helper()
	profile := b.vendor.profile
	turn := 0
	for _, m := range r.Messages {
		if m.Role != "assistant" {
			continue
		}
		want := fmt.Sprintf("I think of %d.", turn)
		if profile.Replay == provider.ReplayNever || profile.Replay == provider.ReplayCalls && len(m.ToolCalls) == 0 {
			want = ""
		}
		var got string
		for _, field := range profile.Reasoning {
			got = orThat(got, reasoningText(m.Reasoning[field]))
		}
		if got != want {
			b.Errorf("turn %d is sent back with reasoning %q, want %q: %s", turn, got, want, m.Raw)
		}
		turn++
	}
}

func orThat(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// vendorRequest wants the first request to be taken, with everything on it that a
// configuration can put there.
func vendorRequest(b *vendorBench) {
	temperature := 0.5
	p := b.at(func(c *provider.Config) {
		c.Options.Temperature, c.Options.MaxOutputTokens, c.Options.Effort = &temperature, 99, "high"
	})
	b.server.Add(Text("fine"))
	if got := b.stream(b.limit, p, provider.Request{Messages: asking("go").Messages, Tools: tools()}); got.Err != nil {
		b.Fatal(got.Err)
	}
	requests := b.server.Requests()
	if len(requests) != 1 {
		b.Fatalf("%d requests, want one", len(requests))
	}
	profile, sent := b.vendor.profile, requests[0].Fields
	if string(sent[profile.LimitName]) != "99" {
		b.Errorf("the output limit is not in %s: %s", profile.LimitName, requests[0].Body)
	}
	for _, name := range profile.Drop {
		if _, is := sent[name]; is {
			b.Errorf("%s was sent", name)
		}
	}
}

// vendorForeignIDs switches to the vendor in the middle of a session that another
// one began.
func vendorForeignIDs(b *vendorBench) {
	long := "toolu_01A09q90qw90lq917835lq9"
	history := []message.Message{
		{Role: message.User, Content: "look"},
		{Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: long, Name: "ls", Arguments: "{}"}, {ID: "call_0_2", Name: "ls", Arguments: "{}"}}},
		{Role: message.ToolRole, ToolCallID: long, Content: "a"},
		{Role: message.ToolRole, ToolCallID: "call_0_2", Content: "b"},
	}
	b.server.Add(Text("fine"))
	if got := b.stream(b.limit, b.at(), provider.Request{Messages: history}); got.Err != nil || got.Text != "fine" {
		b.Errorf("got %+v", got)
	}
}

func vendorRefusal(b *vendorBench) {
	b.server.RefuseParams("top_p")
	p := b.at(func(c *provider.Config) { c.Options.ExtraBody = map[string]any{"top_p": 0.5} })
	b.server.Add(Text("one"), Text("two"))
	var notices []string
	for range 2 {
		chunks, err := p.Stream(b.limit, asking("go"))
		if err != nil {
			b.Fatal(err)
		}
		for c := range b.each(chunks) {
			if c.Err != nil {
				b.Errorf("%v", c.Err)
			}
			if c.Notice != nil {
				notices = append(notices, c.Notice.Code+" "+strings.Join(c.Notice.Args, " "))
			}
		}
	}
	if diff := cmp.Diff([]string{"param_dropped scripted top_p"}, notices); diff != "" {
		b.Errorf("notices (-want +got):\n%s", diff)
	}
	if n := len(b.server.Requests()); n != 3 {
		b.Errorf("%d requests, want 3", n)
	}
}

func vendorErrors(b *vendorBench) {
	for _, c := range []struct {
		status    int
		text      string
		kind      string
		retryable bool
	}{
		{400, "sorry about that", provider.KindRequest, false},
		{400, b.vendor.tooLong, provider.KindContext, false},
		{429, "sorry about that", provider.KindRateLimit, true},
		{503, "sorry about that", provider.KindOverloaded, true},
	} {
		b.server.Add(b.server.Fault(c.status, c.text))
		f := b.failure(b.stream(b.limit, b.at(), asking("go")))
		if f.Kind != c.kind || f.Status != c.status || f.Retryable != c.retryable || !strings.Contains(f.Text, c.text) {
			b.Errorf("HTTP %d %q: got %+v", c.status, c.text, f)
		}
	}
	b.server.RequireKey("sk-right-0123456789")
	if f := b.failure(b.stream(b.limit, b.at(), asking("go"))); f.Kind != provider.KindAuth || f.Retryable {
		b.Errorf("without a key: got %+v", f)
	}
}

func vendorModels(b *vendorBench) {
	b.server.SetModels("small", "vendor/large:free")
	lister, ok := b.at().(provider.Lister)
	if !ok {
		return // listing is optional
	}
	got, err := lister.Models(b.limit)
	if diff := cmp.Diff([]string{"small", "vendor/large:free"}, got); err != nil || diff != "" {
		b.Errorf("models: %v\n%s", err, diff)
	}
}
