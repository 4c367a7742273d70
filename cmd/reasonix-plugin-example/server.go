package main

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newServer declares everything the server offers. The input schema of a tool
// comes from the type of its arguments.
func newServer() *mcp.Server {
	s := mcp.NewServer(
		&mcp.Implementation{Name: "reasonix-plugin-example", Title: "Example", Version: "1.0.0"},
		&mcp.ServerOptions{
			Instructions: "Tools to try a connection with.",
			// Later revisions change how a server asks back; most clients speak these.
			SupportedProtocolVersions: []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"},
		})

	mcp.AddTool(s, &mcp.Tool{
		Name:        "echo",
		Description: "Return the text as it is.",
	}, echo)
	mcp.AddTool(s, &mcp.Tool{
		Name:        "wordcount",
		Description: "Count the lines, words and characters of a text.",
		// A client may run read-only tools beside each other, and without asking.
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, wordcount)
	mcp.AddTool(s, &mcp.Tool{
		Name:        "countdown",
		Description: "Count down from a number, one step at a time.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, countdown)

	s.AddPrompt(&mcp.Prompt{
		Name:        "review",
		Description: "Ask for a review of a file.",
		Arguments: []*mcp.PromptArgument{
			{Name: "path", Description: "the file", Required: true},
			{Name: "focus", Description: "what to look at most"},
		},
	}, review)
	s.AddResource(&mcp.Resource{
		URI: "example://about", Name: "about", Description: "What this server is.", MIMEType: "text/plain",
	}, about)
	return s
}

type echoArgs struct {
	Text string `json:"text" jsonschema:"what to return"`
}

func echo(_ context.Context, _ *mcp.CallToolRequest, in echoArgs) (*mcp.CallToolResult, any, error) {
	return text(in.Text), nil, nil
}

type wordcountArgs struct {
	Text string `json:"text" jsonschema:"what to count"`
}

// counts is structured content: the client gets it as JSON, and as a text beside it.
type counts struct {
	Lines      int `json:"lines"`
	Words      int `json:"words"`
	Characters int `json:"characters"`
}

func wordcount(_ context.Context, _ *mcp.CallToolRequest, in wordcountArgs) (*mcp.CallToolResult, counts, error) {
	lines := strings.Count(in.Text, "\n")
	if in.Text != "" && !strings.HasSuffix(in.Text, "\n") {
		lines++
	}
	return nil, counts{lines, len(strings.Fields(in.Text)), utf8.RuneCountInString(in.Text)}, nil
}

type countdownArgs struct {
	From   int `json:"from" jsonschema:"where to start, 1 to 1000"`
	StepMS int `json:"step_ms,omitempty" jsonschema:"milliseconds between steps, 100 when left out"`
}

// countdown takes its time. It tells the client how far it is when the client gave
// a progress token, and ends early when the client cancels the call.
func countdown(ctx context.Context, req *mcp.CallToolRequest, in countdownArgs) (*mcp.CallToolResult, any, error) {
	if in.From < 1 || in.From > 1000 {
		return nil, nil, fmt.Errorf("from is %d; it must be 1 to 1000", in.From)
	}
	step := 100 * time.Millisecond
	if in.StepMS > 0 {
		step = time.Duration(in.StepMS) * time.Millisecond
	}
	for done := 1; done <= in.From; done++ {
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
		token := req.Params.GetProgressToken()
		if token == nil {
			continue
		}
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(done), Total: float64(in.From),
			Message: fmt.Sprintf("%d to go", in.From-done),
		})
		if err != nil {
			return nil, nil, fmt.Errorf("report progress: %w", err)
		}
	}
	return text(fmt.Sprintf("counted down from %d", in.From)), nil, nil
}

func review(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	ask := fmt.Sprintf("Review %s. Name faults with their line, worst first.", req.Params.Arguments["path"])
	if focus := req.Params.Arguments["focus"]; focus != "" {
		ask += " Look at " + focus + " most."
	}
	return &mcp.GetPromptResult{
		Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: ask}}},
	}, nil
}

func about(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: req.Params.URI, MIMEType: "text/plain", Text: "An example of an MCP server, for reasonix and other clients.\n",
	}}}, nil
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
