package mcp_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/tool"
	"reasonix/integrations/mcp"
)

// TestCallJudgedByAnEarlierSession: what an earlier session saw of a tool judges the
// first call, and the server that comes up says more. The call does not reach it; one
// that is judged by what it says does.
func TestCallJudgedByAnEarlierSession(t *testing.T) {
	for _, c := range []struct{ before, now, says string }{
		{"tame", "wild", "may destroy something"}, {"plain", "wild", "may destroy something"}, {"tame", "plain", "does not say any more that it only reads"},
	} {
		t.Run(c.before+" "+c.now, func(t *testing.T) {
			d := newDesk(t)
			d.world.CacheDir = t.TempDir()
			first := fakeServer("s", c.before)
			first.Identity = "one"
			_ = d.ready(first).Close()
			gate := filepath.Join(t.TempDir(), "gate")
			second := fakeServer("s", c.now)
			second.Identity = "one"
			second.Command, second.Args = "sh", []string{"-c", `while ! [ -e "$0" ]; do sleep 0.01; done; exec "$1" serve`, gate, self()}
			set := d.start(second)
			echo := set.Tools()[0]
			reads := echo.ReadOnly()
			if destructive, readOnly, _, _, _ := set.Approval(echo.Name()); destructive || readOnly != (c.before == "tame") || readOnly != reads {
				t.Fatal(destructive, readOnly, reads)
			}
			touch(t, gate)
			for range 2 { // as two calls of one reply, the second one judged meanwhile
				got, err := echo.Execute(t.Context(), json.RawMessage(`{"text":"x"}`))
				if err == nil {
					t.Fatal(got)
				}
				contains(t, err.Error(), "it was not called", c.says, "Call mcp__s__echo again")
				set.Approval(echo.Name())
			}
			if echo.ReadOnly() {
				t.Error("it only reads")
			}
			if destructive, readOnly, _, _, _ := set.Approval(echo.Name()); destructive != (c.now == "wild") || readOnly {
				t.Error(destructive, readOnly)
			}
			d.echo(set, "s")
		})
	}
}

// TestCallThatNobodyAskedReadOnlyOf is judged by Approval alone.
func TestCallThatNobodyAskedReadOnlyOf(t *testing.T) {
	d := httpDesk(t)
	set, change := changing(t, d)
	set.Approval("mcp__s__echo")
	change(&sdk.ToolAnnotations{DestructiveHint: new(true)})
	if got, err := invoke(t.Context(), set, "mcp__s__echo", `{}`); err == nil {
		t.Error(got)
	}
	if destructive, _, _, _, _ := set.Approval("mcp__s__echo"); !destructive {
		t.Error("it destroys nothing")
	}
	if _, err := invoke(t.Context(), set, "mcp__s__echo", `{}`); err != nil {
		t.Error(err)
	}
}

// changing is a server with one tool that reads, until change says what it does. That
// returns when the client knows.
func changing(t *testing.T, d *desk) (set *mcp.Set, change func(*sdk.ToolAnnotations)) {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	add := func(hints *sdk.ToolAnnotations) {
		sdk.AddTool(server, &sdk.Tool{Name: "echo", Annotations: hints}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{}, nil, nil
		})
	}
	add(&sdk.ToolAnnotations{ReadOnlyHint: true})
	set = d.ready(mcp.Config{Name: "s", URL: remoteServer(t, server, nil)})
	found := func() tool.Tool {
		f, ok := set.Find("mcp__s__echo")
		if !ok {
			t.Fatal("no tool")
		}
		return f
	}
	return set, func(hints *sdk.ToolAnnotations) {
		add(hints)
		until(t, "the client knows", func() bool {
			return found().(tool.Subjecter).Subject(json.RawMessage(`{}`)).Kind == "other"
		})
	}
}

// TestCallJudgedBeforeTheListChanged is refused as well, whether or not Approval has
// said since what the tool does.
func TestCallJudgedBeforeTheListChanged(t *testing.T) {
	for _, again := range []bool{false, true} {
		d := httpDesk(t)
		set, change := changing(t, d)
		echo := set.Tools()[0]
		echo.ReadOnly()
		set.Approval(echo.Name())
		change(&sdk.ToolAnnotations{DestructiveHint: new(true)})
		if again {
			set.Approval(echo.Name())
		}
		if got, err := echo.Execute(t.Context(), json.RawMessage(`{}`)); err == nil {
			t.Error(got)
		}
		echo.ReadOnly()
		if _, err := echo.Execute(t.Context(), json.RawMessage(`{}`)); err != nil {
			t.Error(err)
		}
	}
}

// TestSearchIsAlwaysFound: a conversation that was told of tool_search goes on in a
// session that tells all tools.
func TestSearchIsAlwaysFound(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("s", "plain"))
	search, ok := set.Find(mcp.SearchName)
	if !ok || search.Name() != mcp.SearchName {
		t.Fatal(search, ok)
	}
	got, err := search.Execute(t.Context(), json.RawMessage(`{"query":"echo"}`))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, got, "mcp__s__echo", "Says the text again")
	if _, ok := set.Search(); ok || len(set.Tools()) != 1 {
		t.Error("it is told")
	}
	if _, ok := d.start().Find(mcp.SearchName); !ok {
		t.Error("not without servers")
	}
}
