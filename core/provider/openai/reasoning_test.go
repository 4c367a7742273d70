package openai_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
	pt "reasonix/core/provider/providertest"
)

func TestSSE16ReasoningIsReplayedVerbatim(t *testing.T) {
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_details"} {
		t.Run(field, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) { sixTurns(t, s, field) })
		})
	}
}

// sixTurns holds a conversation with a server that wants its reasoning back, and
// half way goes on in another process: a new provider and a new wire.
func sixTurns(t *testing.T, s *pt.Server, field string) {
	t.Helper()
	s.SetReasoningRequired(field)
	p := open(t, s)
	wire := provider.NewWire(p)
	history := append([]message.Message{}, hello...)
	batch := history
	for turn := range 6 {
		if turn == 3 {
			p = open(t, s)
			wire = provider.NewWire(p)
			batch = restored(t, history)
		}
		if err := wire.Append(batch...); err != nil {
			t.Fatal(err)
		}
		thought := fmt.Sprintf("  Turn %d:\n\"think\" 想\t", turn)
		reply := pt.Calls(pt.Call{Name: "ls", Arguments: "{}"})
		if turn != 4 { // a turn without reasoning is none of the server's business
			reply = reply.Reasoning(field, thought)
		}
		s.Add(reply)
		got := stream(t, p, provider.Request{Messages: history, Wire: wire})
		if got.Err != nil {
			t.Fatalf("turn %d: %v", turn, got.Err)
		}
		asked := message.Message{Role: message.Assistant, ToolCalls: got.Calls}
		if got.Kept != nil {
			asked.Reasoning = []message.Reasoning{*got.Kept}
		}
		batch = []message.Message{asked, {Role: message.ToolRole, ToolCallID: got.Calls[0].ID, Content: "nothing"}}
		history = append(history, batch...)
	}
	s.CheckPrefix(t)
}

// restored is history as it comes out of a journal.
func restored(t *testing.T, history []message.Message) []message.Message {
	t.Helper()
	stored, err := json.Marshal(history)
	if err != nil {
		t.Fatal(err)
	}
	var out []message.Message
	if err := json.Unmarshal(stored, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSSE18ThinkTagsInContent(t *testing.T) {
	fence := "```html\n<think>not a thought</think>\n```"
	content := func(parts ...string) string {
		var events string
		for _, p := range parts {
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			events += pt.Delta(`"content":` + string(text))
		}
		return events + pt.Finish("stop") + pt.Done
	}
	for _, c := range []struct{ name, events, thoughts, text string }{
		{"empty", content("<think></think>", "yes"), "", "yes"},
		{"empty with line ends", content("<think>\n</think>\n\nyes"), "\n", "yes"},
		{"whole", content("<think>hm</think>yes"), "hm", "yes"},
		{"split over four chunks", content("<th", "ink>h", "m</thi", "nk>y", "es"), "hm", "yes"},
		{"blanks before", content("\n ", " <think>hm</think>", "\n", "\nyes"), "hm", "yes"},
		{"false ends inside", content("<think>a </thin", " b </thi", "nker> <", "/think>yes"), "a </thin b </thinker> ", "yes"},
		{"a tag in a code fence", content("See:\n" + fence), "", "See:\n" + fence},
		{"a tag in a code fence first", content(fence), "", fence},
		{"a tag in a code fence behind a thought", content("<think>hm</think>", fence), "hm", fence},
		{"a tag further down", content("a <think>b</think>"), "", "a <think>b</think>"},
		{"nearly a tag", content("<thin", "g>"), "", "<thing>"},
		{"the beginning of one", content("<thi"), "", "<thi"},
		{"blanks before an answer", content("  ", "yes"), "", "  yes"},
		{"closed only", content("</think>yes"), "", "</think>yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				got := ask(t, s, chunksOf(c.events))
				if got.Kept != nil && (got.Kept.Kind != "think" || got.Kept.Text != c.thoughts) {
					t.Errorf("kept %+v", got.Kept)
				}
				got.Kept = nil
				same(t, got, answer{Thoughts: c.thoughts, Text: c.text, Finish: provider.FinishStop})
			})
		})
	}
}

func TestSSE18TagThatIsNeverClosed(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		begun := pt.Delta(`"content":"<think>hm, the ans"`) + pt.Delta(`"content":"wer is 4</"`)
		kept := &message.Reasoning{Kind: "think", Text: "hm, the answer is 4</"}
		// Whatever it thought, it called a tool.
		got := ask(t, s, chunksOf(begun+callDelta(`"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}`)+ended))
		same(t, got, answer{Thoughts: kept.Text, Kept: kept, Calls: []message.ToolCall{readA}, Finish: provider.FinishStop})
		// With nothing else this is the answer, and it must not be lost.
		got = ask(t, s, chunksOf(begun+pt.Finish("stop")+pt.Done))
		same(t, got, answer{Thoughts: kept.Text, Text: kept.Text, Finish: provider.FinishStop})
		// Cut by the output limit it is a thought without an answer.
		got = ask(t, s, chunksOf(begun+pt.Finish("length")+pt.Done))
		same(t, got, answer{Thoughts: kept.Text, Kept: kept, Finish: provider.FinishLength})
	})
}

func TestSSE19ReasoningUnderOtherNames(t *testing.T) {
	yes := pt.Delta(`"content":"yes"`) + pt.Finish("stop") + pt.Done
	text := func(kind string) *message.Reasoning { return &message.Reasoning{Kind: kind, Text: "hm so"} }
	details := func(opaque string) *message.Reasoning {
		return &message.Reasoning{Kind: "reasoning_details", Text: "hm so", Opaque: json.RawMessage(opaque)}
	}
	for _, c := range []struct {
		name, events string
		kept         *message.Reasoning
	}{
		{"reasoning_content", pt.Delta(`"reasoning_content":"hm "`) + pt.Delta(`"reasoning_content":"so","content":null`), text("reasoning_content")},
		{"reasoning", pt.Delta(`"reasoning":"hm "`) + pt.Delta(`"reasoning":"so","content":""`), text("reasoning")},
		{"both in one delta", pt.Delta(`"reasoning":"hm ","reasoning_content":"hm "`) +
			pt.Delta(`"reasoning_content":"so","reasoning":"so"`), text("reasoning_content")},
		{"one behind the other", pt.Delta(`"reasoning":"hm "`) + pt.Delta(`"reasoning":"so"`) +
			pt.Delta(`"reasoning_content":"hm so"`), text("reasoning_content")},
		{
			"details", pt.Delta(`"reasoning_details":[{"type":"reasoning.text","index":0,"text":"hm ","format":"x","signature":null}]`) +
				pt.Delta(`"reasoning_details":[{"type":"reasoning.text","index":0,"text":"so"}]`) +
				pt.Delta(`"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"s<1>"}]`),
			details(`[{"format":"x","index":0,"signature":"s<1>","text":"hm so","type":"reasoning.text"}]`),
		},
		{
			"details and reasoning", pt.Delta(`"reasoning":"hm so","reasoning_details":[{"type":"reasoning.summary","summary":"hm so","index":0}]`) +
				pt.Delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":1}]`),
			details(`[{"index":0,"summary":"hm so","type":"reasoning.summary"},{"data":"xyz","index":1,"type":"reasoning.encrypted"}]`),
		},
		{"thinking parts", pt.Delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm "}]}]`) +
			pt.Delta(`"content":[{"type":"thinking","thinking":"so"}]`), text("think")},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				got := ask(t, s, chunksOf(c.events+yes))
				same(t, got, answer{Thoughts: "hm so", Kept: c.kept, Text: "yes", Finish: provider.FinishStop})
			})
		})
	}
}

func TestReasoningAndTextKeepTheirOrderWithinOneRead(t *testing.T) {
	s := pt.New(t, pt.Raw(pt.Delta(`"reasoning":"a"`)+pt.Delta(`"content":"b"`)+pt.Delta(`"reasoning":"c"`)+pt.Finish("stop")+pt.Done))
	chunks, err := open(t, s).Stream(t.Context(), provider.Request{Messages: hello})
	if err != nil {
		t.Fatal(err)
	}
	var order string
	for c := range chunks {
		order += c.Text
	}
	if order != "abc" {
		t.Errorf("got %s", order)
	}
}

// sent is what one turn's fields look like in the next request, by protocol.
func TestReplayFollowsTheProtocol(t *testing.T) {
	thought := []message.Reasoning{{Kind: "reasoning_content", Text: "hm"}}
	history := append([]message.Message{}, hello...)
	history = append(history,
		message.Message{Role: message.Assistant, Content: "said", Reasoning: thought},
		message.Message{Role: message.User, Content: "more"},
		message.Message{Role: message.Assistant, Reasoning: thought, ToolCalls: []message.ToolCall{readA}},
		message.Message{Role: message.ToolRole, ToolCallID: "a", Content: "text"},
		message.Message{Role: message.Assistant, Reasoning: []message.Reasoning{{Kind: "think", Text: "x"}}, ToolCalls: []message.ToolCall{readB}},
		message.Message{Role: message.ToolRole, ToolCallID: "b", Content: "text"})
	type fields struct{ Said, Called, Tagged, Effort, Thinking, Limit string }
	for protocol, want := range map[string]fields{
		"auto":     {Called: `"hm"`, Effort: `"high"`, Limit: "max_tokens"},
		"deepseek": {Called: `"hm"`, Tagged: `""`, Effort: `"high"`, Thinking: `{"type":"enabled"}`, Limit: "max_tokens"},
		"kimi":     {Said: `"hm"`, Called: `"hm"`, Tagged: `""`, Effort: `"high"`, Limit: "max_completion_tokens"},
		"openai":   {Effort: `"high"`, Limit: "max_tokens"},
		"glm":      {Thinking: `{"type":"enabled"}`, Limit: "max_tokens"},
		"plain":    {Limit: "max_tokens"},
	} {
		t.Run(protocol, func(t *testing.T) {
			s := pt.New(t, pt.Text("fine"))
			p := open(t, s, options(func(o *provider.Options) { o.ReasoningProtocol, o.Effort, o.MaxOutputTokens = protocol, "high", 99 }))
			if got := stream(t, p, provider.Request{Messages: history}); got.Err != nil {
				t.Fatal(got.Err)
			}
			r := s.Requests()[0]
			got := fields{
				Said:     string(r.Messages[1].Reasoning["reasoning_content"]),
				Called:   string(r.Messages[3].Reasoning["reasoning_content"]),
				Tagged:   string(r.Messages[5].Reasoning["reasoning_content"]),
				Effort:   string(r.Fields["reasoning_effort"]),
				Thinking: string(r.Fields["thinking"]),
			}
			for _, name := range []string{"max_tokens", "max_completion_tokens"} {
				if string(r.Fields[name]) == "99" {
					got.Limit += name
				}
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("got - want +\n%s", diff)
			}
		})
	}
}

func TestEffortNoneDisablesThinking(t *testing.T) {
	s := pt.New(t, pt.Text("fine"))
	p := open(t, s, options(func(o *provider.Options) { o.ReasoningProtocol, o.Effort = "deepseek", "none" }))
	stream(t, p, provider.Request{Messages: hello})
	f := s.Requests()[0].Fields
	if string(f["thinking"]) != `{"type":"disabled"}` || f["reasoning_effort"] != nil {
		t.Errorf("got %s, %s", f["thinking"], f["reasoning_effort"])
	}
}

func TestEndpointThatRefusesReasoningGetsNone(t *testing.T) {
	s := pt.New(t, pt.Status(400, `{"error":{"message":"'messages.1' : property 'reasoning_content' is unsupported"}}`), pt.Text("fine"), pt.Text("again"))
	p := open(t, s)
	wire := provider.NewWire(p)
	history := append([]message.Message{}, hello...)
	history = append(history,
		message.Message{Role: message.Assistant, ToolCalls: []message.ToolCall{readA}, Reasoning: []message.Reasoning{{Kind: "reasoning_content", Text: "hm"}}},
		message.Message{Role: message.ToolRole, ToolCallID: "a", Content: `{"reasoning_content":1}`})
	if err := wire.Append(history...); err != nil {
		t.Fatal(err)
	}
	got := stream(t, p, provider.Request{Messages: history, Wire: wire})
	if len(got.Notices) != 1 || got.Text != "fine" {
		t.Errorf("got %+v", got)
	}
	got = stream(t, p, provider.Request{Messages: history, Wire: wire})
	same(t, got, answer{Text: "again", Finish: provider.FinishStop, Usage: got.Usage})
	for _, r := range s.Requests()[1:] {
		if len(r.Messages) != 3 || r.Messages[1].Reasoning["reasoning_content"] != nil {
			t.Errorf("request %d: %s", r.Index, r.Body)
		}
	}
}
