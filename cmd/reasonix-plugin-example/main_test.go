package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// built is the real binary.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin-example")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// TestTheBinary drives the built program as a client would.
func TestTheBinary(t *testing.T) {
	binary := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	progress := make(chan *mcp.ProgressNotificationParams, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params },
	})
	cmd := exec.Command(binary)
	cmd.Stderr = os.Stderr
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := session.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("protocol %s", got)
	}

	t.Run("tools", func(t *testing.T) { testTools(ctx, t, session) })
	t.Run("countdown", func(t *testing.T) { testCountdown(ctx, t, session, progress) })
	t.Run("prompt", func(t *testing.T) {
		p, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "review", Arguments: map[string]string{"path": "a.go", "focus": "locks"}})
		if err != nil {
			t.Fatal(err)
		}
		want := "Review a.go. Name faults with their line, worst first. Look at locks most."
		if got := p.Messages[0].Content.(*mcp.TextContent).Text; got != want {
			t.Errorf("the prompt is %q", got)
		}
	})
	t.Run("resource", func(t *testing.T) {
		r, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "example://about"})
		if err != nil || len(r.Contents) != 1 || !strings.HasPrefix(r.Contents[0].Text, "An example") {
			t.Errorf("the resource is %+v, %v", r, err)
		}
	})
	if err := session.Close(); err != nil || cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("the end: %v, %v", err, cmd.ProcessState)
	}
}

func testTools(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	readOnly := map[string]bool{}
	for _, tool := range list.Tools {
		readOnly[tool.Name] = tool.Annotations != nil && tool.Annotations.ReadOnlyHint
	}
	if diff := cmp.Diff(map[string]bool{"echo": false, "wordcount": true, "countdown": true}, readOnly); diff != "" {
		t.Errorf("tools:\n%s", diff)
	}
	res := call(ctx, t, session, "echo", map[string]any{"text": "天 & <b>\n"})
	if got := res.Content[0].(*mcp.TextContent).Text; got != "天 & <b>\n" {
		t.Errorf("echo returns %q", got)
	}
	res = call(ctx, t, session, "wordcount", map[string]any{"text": "one two\n三\nfour"})
	if diff := cmp.Diff(any(map[string]any{"lines": 3.0, "words": 4.0, "characters": 14.0}), res.StructuredContent); diff != "" {
		t.Errorf("wordcount:\n%s", diff)
	}
	var mirror counts
	if err := json.Unmarshal([]byte(res.Content[0].(*mcp.TextContent).Text), &mirror); err != nil || mirror != (counts{3, 4, 14}) {
		t.Errorf("its text is %+v, %v", mirror, err)
	}
	if res := call(ctx, t, session, "echo", map[string]any{}); !res.IsError {
		t.Error("echo without text succeeds")
	}
}

func testCountdown(ctx context.Context, t *testing.T, session *mcp.ClientSession, progress chan *mcp.ProgressNotificationParams) {
	params := &mcp.CallToolParams{Name: "countdown", Arguments: map[string]any{"from": 3, "step_ms": 1}}
	params.SetProgressToken("p")
	res, err := session.CallTool(ctx, params)
	if err != nil || res.IsError {
		t.Fatalf("countdown: %+v, %v", res, err)
	}
	for done := 1.0; done <= 3; done++ {
		select {
		case p := <-progress:
			if p.ProgressToken != "p" || p.Progress != done || p.Total != 3 {
				t.Errorf("progress %+v, want %v of 3", p, done)
			}
		case <-ctx.Done():
			t.Fatal("progress is missing")
		}
	}
	if res := call(ctx, t, session, "countdown", map[string]any{"from": 0}); !res.IsError {
		t.Error("a countdown from 0 succeeds")
	}
	short, cancel := context.WithCancel(ctx)
	params = &mcp.CallToolParams{Name: "countdown", Arguments: map[string]any{"from": 1000, "step_ms": 1000}}
	params.SetProgressToken("q")
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := session.CallTool(short, params); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled countdown ends with %v", err)
	}
}

func call(ctx context.Context, t *testing.T, session *mcp.ClientSession, name string, args any) *mcp.CallToolResult {
	t.Helper()
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"--help"}, 0, usage, ""},
		{[]string{"-h"}, 0, usage, ""},
		{[]string{"serve"}, 2, "", "reasonix-plugin-example: unexpected argument \"serve\"\n\n" + usage},
		{[]string{"--port"}, 2, "", "reasonix-plugin-example: flag provided but not defined: -port\n\n" + usage},
	} {
		var stdout, stderr strings.Builder
		code := run(t.Context(), c.args, nil, &stdout, &stderr)
		if code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%v: exit %d\n%s\n%s", c.args, code, stdout.String(), stderr.String())
		}
	}
}
