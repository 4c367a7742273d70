package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
)

// richServer asks its client for things and offers more than tools.
func richServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "rich", Version: "1"}, &sdk.ServerOptions{
		CompletionHandler: func(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "nse"}}}, nil
		},
	})
	reply := func(name string, do func(context.Context, *sdk.ServerSession) (any, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
			v, err := do(ctx, r.Session)
			if err != nil {
				return nil, nil, err
			}
			data, err := json.Marshal(v)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(data)}}}, nil, err
		})
	}
	reply("form", func(ctx context.Context, s *sdk.ServerSession) (any, error) {
		return s.Elicit(ctx, &sdk.ElicitParams{Message: "Your name?", RequestedSchema: &jsonschema.Schema{
			Type: "object", Required: []string{"name"},
			Properties: map[string]*jsonschema.Schema{
				"name": {Type: "string"}, "city": {Type: "string", Default: json.RawMessage(`"Ulm"`)},
			},
		}})
	})
	reply("url", func(ctx context.Context, s *sdk.ServerSession) (any, error) {
		return s.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "Log in", URL: "https://example.com/login", ElicitationID: "e"})
	})
	reply("evil", func(ctx context.Context, s *sdk.ServerSession) (any, error) {
		return s.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "Open", URL: "file:///etc/passwd", ElicitationID: "e"})
	})
	reply("roots", func(ctx context.Context, s *sdk.ServerSession) (any, error) {
		return s.ListRoots(ctx, nil) //nolint:staticcheck // SA1019: servers of today use roots
	})
	reply("sample", func(ctx context.Context, s *sdk.ServerSession) (any, error) {
		return s.CreateMessage(ctx, &sdk.CreateMessageParams{ //nolint:staticcheck // SA1019: servers of today sample
			SystemPrompt: "Be brief.", MaxTokens: 7,
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "hi"}}}, //nolint:staticcheck // SA1019: servers of today sample
		})
	})
	reply("log", func(ctx context.Context, s *sdk.ServerSession) (any, error) {
		//nolint:staticcheck // SA1019: servers of today log
		return nil, s.Log(ctx, &sdk.LoggingMessageParams{Level: "error", Logger: "x", Data: "something is odd"})
	})
	picture := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{7, 1, 250}, 130_000)...)
	s.AddTool(&sdk.Tool{Name: "picture", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{
				Content:           []sdk.Content{&sdk.TextContent{Text: "here it is"}, &sdk.ImageContent{MIMEType: "image/png", Data: picture}},
				StructuredContent: map[string]any{"caption": "here it is", "image": picture},
			}, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "review this", Description: "Reviews.", Arguments: []*sdk.PromptArgument{
		{Name: "file", Required: true}, {Name: "focus"},
	}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text := fmt.Sprintf("Review %s for %s.", r.Params.Arguments["file"], r.Params.Arguments["focus"])
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: text}}, {Role: "assistant", Content: &sdk.TextContent{Text: "Gladly."}},
		}}, nil
	})
	s.AddResource(&sdk.Resource{URI: "note://1", Name: "one", MIMEType: "text/plain"},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
				{URI: "note://1", Text: "first"}, {URI: "note://1/bin", Blob: []byte{0, 1}, MIMEType: "application/x"},
			}}, nil
		})
	return s
}

func rich(t *testing.T, d *desk) mcp.Config {
	return mcp.Config{Name: "rich", URL: remoteServer(t, richServer(), nil)}
}

// TestElicitation: forms and addresses become questions that belong to their call,
// and every answer reaches the server; nobody there is a cancelled question.
func TestElicitation(t *testing.T) {
	d := httpDesk(t)
	var asked event.Question
	var answer event.Answer
	var failure error
	var opened string
	d.world.Ask = func(_ context.Context, q event.Question) (event.Answer, error) {
		asked = q
		return answer, failure
	}
	d.world.Open = func(url string) error {
		opened = url
		return nil
	}
	set := d.ready(rich(t, d))
	ctx, _ := newKeeper(t)
	for _, c := range []struct {
		name, tool string
		answer     event.Answer
		err        error
		want       string
	}{
		{"accepted", "form", event.Answer{Choice: []string{mcp.Accept}, Data: json.RawMessage(`{"name":"Ann"}`)}, nil, `"accept","content":{"city":"Ulm","name":"Ann"}`},
		{"declined", "form", event.Answer{Choice: []string{mcp.Decline}}, nil, `"decline"`},
		{"cancelled", "form", event.Answer{Cancelled: true}, nil, `"cancel"`},
		{"nobody", "form", event.Answer{}, tool.ErrNobody, `"cancel"`},
		{"opened", "url", event.Answer{Choice: []string{mcp.Accept}}, nil, `"accept"`},
		{"not opened", "url", event.Answer{Choice: []string{mcp.Decline}}, nil, `"decline"`},
	} {
		answer, failure, opened = c.answer, c.err, ""
		got, err := invoke(ctx, set, "mcp__rich__"+c.tool, `{}`)
		if err != nil {
			t.Error(c.name, err)
		}
		contains(t, got, c.want)
		if asked.Kind != event.AskElicitation || asked.Call != "call-1" || !strings.Contains(asked.Title, "rich") {
			t.Errorf("%s: asked %+v", c.name, asked)
		}
		if want := map[bool]string{true: "https://example.com/login"}[c.name == "opened"]; opened != want {
			t.Errorf("%s: opened %q", c.name, opened)
		}
		switch c.tool {
		case "form":
			if asked.Body != "Your name?" || !strings.Contains(string(asked.Schema), `"city"`) {
				t.Errorf("%s: asked %+v", c.name, asked)
			}
		case "url":
			if asked.Body != "https://example.com/login" || asked.Why != "Log in" {
				t.Errorf("%s: asked %+v", c.name, asked)
			}
		}
	}
	asked = event.Question{}
	if got, err := invoke(ctx, set, "mcp__rich__evil", `{}`); err == nil || asked.Kind != "" {
		t.Errorf("a local file is put before the user: %q, %v", got, err)
	}
}

// TestQuestionEndsWithItsCall: when the call is cancelled nobody is asked any more.
func TestQuestionEndsWithItsCall(t *testing.T) {
	d := httpDesk(t)
	asking, ended := make(chan struct{}), make(chan error, 1)
	d.world.Ask = func(ctx context.Context, _ event.Question) (event.Answer, error) {
		close(asking)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return event.Answer{}, context.Cause(ctx)
	}
	set := d.ready(rich(t, d))
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-asking
		cancel(errors.New("esc"))
	}()
	if _, err := invoke(ctx, set, "mcp__rich__form", `{}`); err == nil {
		t.Error("no error")
	}
	if err := <-ended; err == nil {
		t.Error("no cause")
	}
}

// TestSampling: off, even where the session could, until the server's
// configuration allows it.
func TestSampling(t *testing.T) {
	d := httpDesk(t)
	var got mcp.SampleRequest
	d.world.Sample = func(_ context.Context, r mcp.SampleRequest) (mcp.SampleReply, error) {
		got = r
		return mcp.SampleReply{Text: "hello", Model: "m"}, nil
	}
	c := rich(t, d)
	set := d.ready(c)
	if text, err := invoke(t.Context(), set, "mcp__rich__sample", `{}`); err == nil {
		t.Errorf("sampled %s", text)
	}
	_ = set.Close()
	c.Sampling = true
	text, err := invoke(t.Context(), d.ready(c), "mcp__rich__sample", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, text, `"hello"`, `"model":"m"`, `"endTurn"`)
	want := mcp.SampleRequest{Server: "rich", System: "Be brief.", MaxTokens: 7, Messages: []mcp.SampleMessage{{Role: "user", Text: "hi"}}}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
}

// TestRootsAndLogs: servers are told the workspace, and what they log is in their
// file.
func TestRootsAndLogs(t *testing.T) {
	d := httpDesk(t)
	d.world.Roots = []string{"/work place/a", "/b"}
	set := d.ready(rich(t, d))
	text, err := invoke(t.Context(), set, "mcp__rich__roots", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, text, `"file:///work%20place/a"`, `"file:///b"`)
	until(t, "the server knows that logs are wanted, and they are in the file", func() bool {
		if _, err := invoke(t.Context(), set, "mcp__rich__log", `{}`); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(state(t, set, "rich").Log)
		return err == nil && strings.Contains(string(data), `error x: "something is odd"`)
	})
}

// TestMC10MC11PictureOnceAndNoBase64: the picture is attached and named, its copy
// in the structured content is not repeated, and no text has its bytes.
func TestMC10MC11PictureOnceAndNoBase64(t *testing.T) {
	d := httpDesk(t)
	set := d.ready(rich(t, d))
	ctx, kept := newKeeper(t)
	text, err := invoke(ctx, set, "mcp__rich__picture", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, text, "here it is", "image/png", "390 KB")
	if len(text) > 1000 || strings.Count(text, "here it is") != 1 {
		t.Errorf("text %q", text)
	}
	if len(kept.attached) != 1 || kept.attached[0].MIME != "image/png" || len(kept.saved) != 1 {
		t.Errorf("attached %v, %d files", kept.attached, len(kept.saved))
	}
}

// TestPromptsAndResources: prompts are commands with arguments in their order, and
// resources are read by server and address.
func TestPromptsAndResources(t *testing.T) {
	d := httpDesk(t)
	set := d.ready(rich(t, d))
	until(t, "all lists are read", func() bool {
		s := state(t, set, "rich")
		return s.Prompts == 1 && s.Resources == 1
	})
	want := []mcp.Prompt{{
		Server: "rich", Name: "review this", Command: "mcp__rich__review_this", Description: "Reviews.",
		Args: []mcp.PromptArg{{Name: "file", Required: true}, {Name: "focus"}},
	}}
	if d := cmp.Diff(set.Prompts(), want); d != "" {
		t.Error(d)
	}
	got, err := set.Prompt(t.Context(), "mcp__rich__review_this", typed("a.go style   and\n\tspeed"))
	if err != nil || got != "Review a.go for style   and\n\tspeed.\n\nAssistant: Gladly." {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := set.Prompt(t.Context(), "mcp__rich__review_this", typed("")); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("got %v", err)
	}
	stopped := errors.New("the turn was cancelled")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(stopped)
	if _, err := set.Prompt(ctx, "mcp__rich__review_this", typed("a.go x")); !errors.Is(err, stopped) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := set.Prompt(t.Context(), "mcp__rich__other", typed("")); err == nil {
		t.Error("any prompt will do")
	}
	if d := cmp.Diff(set.Complete(t.Context(), "mcp__rich__review_this", []string{"a.go"}, "defe"), []string{"defense"}); d != "" {
		t.Error(d)
	}
	resources := []mcp.Resource{{Server: "rich", URI: "note://1", Name: "one", MIME: "text/plain"}}
	if d := cmp.Diff(set.Resources(), resources); d != "" {
		t.Error(d)
	}
	text, err := set.ReadResource(t.Context(), "rich", "note://1")
	if err != nil || text != "first\n[note://1/bin: 2 bytes that are no text, application/x]" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := set.ReadResource(t.Context(), "rich", "note://2"); err == nil {
		t.Error("any address will do")
	}
	if _, err := set.ReadResource(t.Context(), "poor", "note://1"); err == nil {
		t.Error("any server will do")
	}
}

// TestPromptHasABound: however many messages it is made of.
func TestPromptHasABound(t *testing.T) {
	d := httpDesk(t)
	server := richServer()
	server.AddPrompt(&sdk.Prompt{Name: "long"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		m := &sdk.PromptMessage{Role: "user", Content: &sdk.TextContent{Text: strings.Repeat("x", 1<<19)}}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{m, m, m, m}}, nil
	})
	set := d.ready(mcp.Config{Name: "rich", URL: remoteServer(t, server, nil)})
	got, err := set.Prompt(t.Context(), "mcp__rich__long", typed(""))
	if err != nil || len(got) > 1<<20+100 || !strings.HasSuffix(got, "bytes left out]") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// typed is arguments as the caller of Set.Prompt splits them.
func typed(args string) func(n int) []string {
	return func(n int) []string {
		return slices.DeleteFunc(strings.SplitN(args, " ", n), func(a string) bool { return a == "" })
	}
}
