package openai_test

import (
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/provider/openai"
	pt "reasonix/core/provider/providertest"
)

// Every profile of the table, at a server that plays the vendor.
func TestVendors(t *testing.T) {
	for _, p := range provider.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			pt.RunVendor(t, p.Name, func(t *testing.T, cfg provider.Config) provider.Provider {
				p, err := openai.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				return p
			})
		})
	}
}

// at is a provider at a server that plays a vendor.
func at(t *testing.T, s *pt.Server, vendor string, change ...func(*provider.Config)) *openai.Provider {
	t.Helper()
	base, transport := s.As(vendor)
	t.Cleanup(transport.CloseIdleConnections)
	// A model of its own: what is learnt about one is remembered.
	model := "scripted-" + s.Root()
	return open(t, s, append(change, func(c *provider.Config) { c.BaseURL, c.Model, c.HTTP.Transport = base, model, transport })...)
}

// An id that will do stays, any other becomes the same nine characters in every
// request, and no two become one.
func TestMistralGetsIDsOfNineCharacters(t *testing.T) {
	s := pt.New(t)
	p := at(t, s, "mistral")
	id := func(id string) string {
		s.Add(pt.Text("fine"))
		stream(t, p, provider.Request{Messages: []message.Message{
			hello[0], {Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: id, Name: "ls"}}}, {Role: message.ToolRole, ToolCallID: id, Content: "a"},
		}})
		requests := s.Requests()
		ms := requests[len(requests)-1].Messages
		if len(ms) != 3 || ms[1].ToolCalls[0].ID != ms[2].ToolCallID {
			t.Fatalf("%s", requests[len(requests)-1].Body)
		}
		return ms[2].ToolCallID
	}
	if got := id("AbCd12345"); got != "AbCd12345" {
		t.Errorf("an id that will do became %s", got)
	}
	seen := map[string]string{}
	for _, given := range []string{"call_0", "call_0_2", "AbCd12345_2", "AbCd_2345", "世世世", "functions.ls:0", "a"} {
		got := id(given)
		if other, taken := seen[got]; taken || got != id(given) {
			t.Errorf("%s became %s, as did %s", given, got, other)
		}
		seen[got] = given
	}
}

// What a profile leaves out is sent all the same when the user wants it.
func TestExtraBodyBeatsTheProfile(t *testing.T) {
	s := pt.New(t, pt.Text("fine"))
	p := at(t, s, "mistral", options(func(o *provider.Options) { o.ExtraBody = map[string]any{"stream_options": map[string]any{}} }))
	got := stream(t, p, provider.Request{Messages: hello})
	if n := len(s.Requests()); n != 2 || len(got.Notices) != 1 || len(s.Rejections()) != 1 {
		t.Errorf("%d requests, %+v", n, got)
	}
}

// A vendor whose completion_tokens leave reasoning out is paid for it nonetheless.
func TestReasoningBesideTheOutputIsCounted(t *testing.T) {
	usage := func(counts string) message.Usage {
		s := pt.New(t)
		got := ask(t, s, chunksOf(pt.Delta(`"content":"hi"`)+pt.Finish("stop")+pt.Event(`{"choices":[],"usage":`+counts+`}`)+pt.Done))
		if got.Usage == nil {
			t.Fatal("no usage")
		}
		return *got.Usage
	}
	beside := usage(`{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`)
	if beside != (message.Usage{Input: 32, Output: 103, Reasoning: 94}) {
		t.Errorf("beside the output: got %+v", beside)
	}
	within := usage(`{"prompt_tokens":32,"completion_tokens":103,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`)
	if within != beside {
		t.Errorf("within the output: got %+v", within)
	}
}
