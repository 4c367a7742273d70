package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/sandbox"
)

// Whichever servers a command starts, what is told of them is what a session would
// see: their tools' names, which no project changes, and what they offer to a client
// that can be asked. It leaves the session nothing else in the cache.
func TestCommandsSeeWhatASessionSees(t *testing.T) {
	b := newBench(t)
	b.add("a b", "able")
	b.add("off", "plain")
	b.run(0, "disable", "off")
	b.project(".mcp.json", `{"mcpServers": {"a.b": {"command": "sh", "args": ["-c", "exit 1"]}}}`)
	out, _ := b.run(0, "tools", "a b", "--output-format", "json")
	says(t, out, `"tool": "asks"`, `"name": "mcp__a_b__asks"`)
	b.project(".mcp.json", `{"mcpServers": {"a_b": {"command": "sh", "args": ["-c", "exit 1"]}}}`)
	out, _ = b.run(0, "tools", "a b", "--output-format", "json")
	says(t, out, `"name": "mcp__a_b__asks"`)
	b.run(0, "trust", "--yes", "a_b")
	out, _ = b.run(0, "tools", "a b", "--output-format", "json")
	says(t, out, `"name": "mcp__a_b__asks"`)
	b.run(0, "doctor", "a b")
	if files, err := filepath.Glob(filepath.Join(b.home, "cache", "mcp", "*")); err != nil || len(files) != 1 {
		t.Errorf("cached: %v, %v", files, err)
	}
	b.project(".mcp.json", `{}`)
	b.add("a_b", "able")
	if out, _ := b.run(0, "tools", "a b"); strings.Contains(out, "mcp__a_b__") || !strings.Contains(out, "mcp__a_b_") {
		t.Errorf("another one of the user is called so:\n%s", out)
	}
	b.run(0, "remove", "a b")
	if out, _ := b.run(0, "tools", "a_b"); !strings.Contains(out, "mcp__a_b__asks") {
		t.Errorf("alone:\n%s", out)
	}
}

// TestMain makes the test binary an MCP server, and a sandbox's helper, when it is
// started as one.
func TestMain(m *testing.M) {
	if sandbox.Helper(os.Args) {
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		serve(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// serve is an MCP server over lines of JSON. Its manners are words: noise, dies,
// odd (a tool that cannot be offered and one with an odd name), picky (every call is an
// error).
func serve(manners []string) {
	has := func(word string) bool { return strings.Contains(strings.Join(manners, " "), word) }
	if has("dies") {
		fmt.Fprintln(os.Stderr, "cannot open the \x1b[2Jdatabase")
		os.Exit(3)
	}
	if has("noise") {
		fmt.Println("a banner")
	}
	tools := []map[string]any{
		{"name": "echo", "description": "Say it\nagain.", "inputSchema": map[string]any{"type": "object", "required": []string{"text"}}},
		{"name": "look", "description": "Look.", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true}},
		{"name": "drop", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"destructiveHint": true}},
	}
	if has("odd") {
		tools = append(tools, map[string]any{"name": "odd name", "inputSchema": map[string]any{"type": "object"}},
			map[string]any{"name": "huge", "inputSchema": map[string]any{"type": "object", "description": strings.Repeat("x", 200_000)}})
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name            string
				ProtocolVersion string
				Arguments       map[string]any
				Capabilities    map[string]any
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := func(v any) {
			text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": v})
			fmt.Println(string(text))
		}
		switch m.Method {
		case "initialize":
			if _, asked := m.Params.Capabilities["elicitation"]; asked && has("able") {
				tools = append(tools, map[string]any{"name": "asks", "inputSchema": map[string]any{"type": "object"}})
			}
			answer(map[string]any{"protocolVersion": m.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "t", "version": "1"}})
		case "tools/list":
			answer(map[string]any{"tools": tools})
		case "tools/call":
			if m.Params.Name == "asks" {
				answer(map[string]any{"content": []map[string]any{{"type": "text", "text": elicited(in, m.Params.Arguments)}}})
				continue
			}
			text, _ := m.Params.Arguments["text"].(string)
			content := []map[string]any{{"type": "text", "text": m.Params.Name + " " + text}}
			if text == "picture" {
				content = append(content, map[string]any{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="})
			}
			answer(map[string]any{"content": content, "isError": m.Params.Name == "drop" || has("picky")})
		default:
			answer(map[string]any{})
		}
	}
}

// elicited asks the client, and returns its answer.
func elicited(in *bufio.Scanner, params map[string]any) string {
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params})
	fmt.Println(string(text))
	for in.Scan() {
		var m struct{ Result, Error json.RawMessage }
		if json.Unmarshal(in.Bytes(), &m) == nil && m.Result != nil {
			return string(m.Result)
		}
		if m.Error != nil {
			return "error " + string(m.Error)
		}
	}
	return "nothing"
}

// add declares the test binary as a server of the user's own.
func (b *bench) add(name string, manners ...string) {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	b.run(0, append([]string{"add", "--no-sandbox", name, "--", self, "serve"}, manners...)...)
}

func TestCallIsForScripts(t *testing.T) {
	b := newBench(t)
	b.add("p")
	if out, errs := b.run(0, "call", "p", "echo", `{"text": "a  b\u001b"}`); out != "echo a  b\x1b\n" || errs != "" {
		t.Errorf("%q %q", out, errs)
	}
	b.stdin = `{"text": "piped"}`
	out, _ := b.run(0, "call", "p", "mcp__p__echo", "-", "--output-format", "json")
	says(t, out, `"text": "echo piped"`, `"failed": false`, `"files": []`)
	dir := filepath.Join(b.work, "out")
	out, _ = b.run(0, "call", "p", "echo", `{"text": "picture"}`, "--save", "out", "--output-format", "json")
	says(t, out, `"mime": "image/png"`)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("kept: %v, %v", files, err)
	}
	_, errs := b.run(1, "call", "p", "drop")
	says(t, errs, "error: drop: ")
	out, _ = b.run(1, "call", "p", "drop", "--output-format", "json")
	says(t, out, `"failed": true`)
	_, errs = b.run(2, "call", "p", "eco")
	says(t, errs, `server p has no tool "eco"`, "did you mean echo?")
	for _, bad := range []string{"[]", "{", "null", `"x"`} {
		_, errs = b.run(2, "call", "p", "echo", bad)
		says(t, errs, "want a JSON object")
	}
	b.run(2, "call", "nobody", "echo")
}

// One server that does not start is named, with the end of its standard error; the
// others' tools are listed.
func TestToolsListsWhatIsThere(t *testing.T) {
	b := newBench(t)
	b.add("good", "odd")
	b.add("bad", "dies")
	out, errs := b.run(3, "tools")
	says(t, out, "mcp__good__look", "reads", "mcp__good__drop", "destroys", "mcp__good__echo", "writes", "approve", "Say it\n", "mcp__good__odd_name")
	if strings.Count(errs, "huge") != 1 {
		t.Errorf("told twice:\n%s", errs)
	}
	says(t, errs, "tool huge is left out", "MCP server bad", "cannot open the")
	if strings.Contains(errs, "\x1b") {
		t.Errorf("it writes to the terminal: %q", errs)
	}
	out, _ = b.run(0, "tools", "good", "--output-format", "json")
	says(t, out, `"tool": "odd name"`, `"name": "mcp__good__odd_name"`, `"read_only": true`, `"schema": {`, `"dropped": [`)
}

func TestDoctorSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	b := newBench(t)
	b.add("good")
	out, _ := b.run(0, "doctor", "good")
	says(t, out, "ok    declared", "ok    start", "ok    protocol  2025-11-25", "ok    tools     3 tools: mcp__good__drop, mcp__good__echo, mcp__good__look\n", "ok    cost      about ", "ok    call      look answered in ")
	out, _ = b.run(0, "doctor", "good", "--call", "echo", "--args", `{"text": "x"}`)
	says(t, out, "echo answered in", ": echo x")
	b.stdin = `{"text": "piped"}`
	out, _ = b.run(0, "doctor", "good", "--call", "echo", "--args", "-")
	says(t, out, "echo answered in", ": echo piped")
	b.stdin = "no JSON"
	_, errs := b.run(2, "doctor", "good", "--call", "echo", "--args", "-")
	says(t, errs, "--args: want a JSON object of arguments")
	out, _ = b.run(3, "doctor", "good", "--call", "drop")
	says(t, out, "fail  call      drop failed after")
	out, _ = b.run(3, "doctor", "good", "--call", "nope")
	says(t, out, `there is no tool "nope"`)
	b.add("picky", "picky")
	out, _ = b.run(0, "doctor", "picky")
	says(t, out, "warn  call      look answered in", "with an error: look", "--call TOOL --args JSON")
	out, _ = b.run(3, "doctor", "picky", "--call", "look")
	says(t, out, "fail  call      look failed after")
	b.run(0, "remove", "picky")
	b.add("odd", "odd noise")
	out, _ = b.run(0, "doctor", "odd", "--no-call")
	says(t, out, "names     odd name is mcp__odd__odd_name", "warn  schema    tool huge is left out", "warn  output    1 lines", "standard error")
	b.add("bad", "dies")
	out, _ = b.run(3, "doctor", "bad")
	says(t, out, "fail  start     it ended with exit code 3", "cannot open the", "-> look at HOME/logs/mcp/bad.log")
	b.run(0, "add", "gone", "--", "no-such-program-anywhere")
	b.run(0, "add", "var", "--", "sh", "${NOPE}")
	b.run(0, "add", "off", "--disabled", "--", "sh")
	out, _ = b.run(3, "doctor")
	says(t, out, "fail  program   program no-such-program-anywhere was not found on PATH", "-> install it", "fail  settings  variable NOPE is not set", "-> reasonix setup key NOPE", "-> reasonix mcp enable off")
	out, _ = b.run(3, "doctor", "--output-format", "json")
	says(t, out, `"status": "fail"`, `"fix": `, `"server": "good"`)
	b.run(2, "doctor", "--call", "x")
	b.run(2, "doctor", "good", "--args", "x")
}

// PM-21: what a repository declares is started by no verb before its user agreed.
func TestPM21WhatIsNotTrustedIsNotStarted(t *testing.T) {
	b := newBench(t)
	b.project(".mcp.json", `{"mcpServers": {"evil": {"command": "sh", "args": ["-c", "touch canary"]}, "far": {"url": "http://127.0.0.1:1", "headersHelper": "touch canary"}}}`)
	for _, name := range []string{"evil", "far"} {
		for _, args := range [][]string{{"tools", name}, {"call", name, "x"}, {"auth", name}} {
			_, errs := b.run(3, args...)
			says(t, errs, "was not let start", "reasonix mcp trust "+name)
		}
		out, _ := b.run(0, "doctor", name)
		says(t, out, "warn  trust", "-> reasonix mcp trust "+name)
	}
	b.run(0, "tools")
	b.run(0, "doctor")
	if _, err := os.Stat(filepath.Join(b.work, "canary")); err == nil {
		t.Error("it ran")
	}
}

func TestAuthIsForRemoteServers(t *testing.T) {
	b := newBench(t)
	b.add("p")
	_, errs := b.run(2, "auth", "p")
	says(t, errs, "takes no login")
	b.run(0, "add", "old", "--type", "sse", "https://h")
	_, errs = b.run(2, "auth", "old")
	says(t, errs, "no login")
	out, _ := b.run(0, "auth", "--logout", "old", "--output-format", "json")
	says(t, out, `"changed": false`)
	b.run(0, "add", "gone", "http://127.0.0.1:1/mcp")
	_, errs = b.run(3, "auth", "gone")
	says(t, errs, "MCP server gone")
}
