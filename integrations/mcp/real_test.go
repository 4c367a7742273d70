//go:build interop && unix

package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
)

// The servers of the protocol's own project, version 2026.8.31, and its suite of
// conformance tests. make interop installs them with npm and puts them on PATH.

// A step is one call of a real server, and what its answer must contain.
type step struct {
	tool, args string
	want       []string
	fails      bool
}

// take calls the tools of a server one after the other, and tells that each tool
// of the list was among them.
func (d *desk) take(set *mcp.Set, server string, steps []step) *keeper {
	d.t.Helper()
	ctx, kept := newKeeper(d.t)
	called := map[string]bool{}
	for _, s := range steps {
		name := "mcp__" + server + "__" + s.tool
		called[name] = true
		got, err := invoke(ctx, set, name, s.args)
		if s.fails != (err != nil) {
			d.t.Errorf("%s %s: %q, %v", s.tool, s.args, got, err)
			continue
		}
		if err != nil {
			got = err.Error()
		}
		if len(got) == 0 || strings.Contains(got, "iVBORw0KGgo") {
			d.t.Errorf("%s %s: %.200q", s.tool, s.args, got)
		}
		contains(d.t, got, s.want...)
	}
	for _, name := range names(set.Tools()) {
		if !called[name] {
			d.t.Errorf("%s was not called", name)
		}
	}
	return kept
}

func real(name, command string, args ...string) mcp.Config {
	return mcp.Config{Name: name, Command: command, Args: args, StartTimeout: time.Minute, Sampling: true}
}

func TestInteropServerEverything(t *testing.T) {
	d := newDesk(t)
	d.people()
	set := d.ready(real("every", "mcp-server-everything", "stdio"))
	d.everything(set)
}

// The same server over HTTP, the present way and the deprecated one.
func TestInteropServerEverythingOverHTTP(t *testing.T) {
	for kind, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(kind, func(t *testing.T) {
			address := listening(t, "mcp-server-everything", kind)
			d := newDesk(t)
			d.people()
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			d.world.HTTP = &http.Client{Transport: transport}
			c := mcp.Config{Name: "every", Type: mcp.TypeHTTP, URL: address + path, Sampling: true}
			if kind == "sse" {
				c.Type = mcp.TypeSSE
			}
			d.everything(d.ready(c))
		})
	}
}

// people answers every question and every sample.
func (d *desk) people() {
	d.world.Budget = -1
	d.world.Ask = func(_ context.Context, q event.Question) (event.Answer, error) {
		return event.Answer{Choice: []string{mcp.Accept}, Data: json.RawMessage(`{"name":"Ada","integer":42}`)}, nil
	}
	d.world.Sample = func(_ context.Context, r mcp.SampleRequest) (mcp.SampleReply, error) {
		return mcp.SampleReply{Text: "sampled: " + r.Messages[0].Text, Model: "test"}, nil
	}
}

func (d *desk) everything(set *mcp.Set) {
	d.t.Helper()
	if s := state(d.t, set, "every"); s.State != "ready" || len(s.Dropped) != 1 || s.Dropped[0].Tool != "simulate-research-query" || s.Tools == 0 {
		d.t.Fatalf("the server is %+v", s)
	}
	// The first call after the start, whatever else the server is up to.
	if got, err := invoke(d.t.Context(), set, "mcp__every__get-sum", `{"a":2,"b":40}`); err != nil || !strings.Contains(got, "42") {
		d.t.Fatalf("get-sum: %q, %v", got, err)
	}
	// It learns what the client can do, and announces more tools then.
	until(d.t, "the tools that were announced later", func() bool {
		set.Refresh()
		_, ok := set.Find("mcp__every__trigger-elicitation-request")
		return ok && slices.Contains(names(set.Tools()), "mcp__every__trigger-elicitation-request")
	})
	data := base64.StdEncoding.EncodeToString([]byte("hello"))
	kept := d.take(set, "every", []step{
		{tool: "echo", args: `{"message":"hi 天"}`, want: []string{"Echo: hi 天"}},
		{tool: "get-sum", args: `{"a":2,"b":3}`, want: []string{"5"}},
		{tool: "get-annotated-message", args: `{"messageType":"error","includeImage":true}`, want: []string{"Error", "[image, image/png"}},
		{tool: "get-env", args: `{}`, want: []string{"PATH"}},
		{tool: "get-resource-links", args: `{"count":2}`, want: []string{"[link to a resource: "}},
		{tool: "get-resource-reference", args: `{"resourceType":"Text","resourceId":1}`, want: []string{"[resource demo://"}},
		{tool: "get-resource-reference", args: `{"resourceType":"Blob","resourceId":1}`, want: []string{"[resource demo://", "saved at"}},
		{tool: "get-structured-content", args: `{"location":"Chicago"}`, want: []string{"temperature"}},
		{tool: "get-tiny-image", args: `{}`, want: []string{"[image, image/png", "saved at"}},
		{tool: "gzip-file-as-resource", args: `{"name":"a.gz","data":"data:text/plain;base64,` + data + `","outputType":"resource"}`, want: []string{"[resource ", "gzip", "saved at"}},
		{tool: "toggle-simulated-logging", args: `{}`, want: []string{"logging"}},
		{tool: "toggle-simulated-logging", args: `{}`, want: []string{"logging"}},
		{tool: "toggle-subscriber-updates", args: `{}`, want: []string{"simulated resource update"}},
		{tool: "toggle-subscriber-updates", args: `{}`, want: []string{"simulated resource update"}},
		{tool: "trigger-long-running-operation", args: `{"duration":1,"steps":4}`, want: []string{"completed"}},
		{tool: "get-roots-list", args: `{}`, want: []string{d.world.Workspace}},
		{tool: "trigger-elicitation-request", args: `{}`, want: []string{"Ada"}},
		{tool: "trigger-url-elicitation", args: `{"url":"https://example.com/x"}`, want: []string{"accept"}},
		{tool: "trigger-sampling-request", args: `{"prompt":"say it","maxTokens":10}`, want: []string{"sampled: "}},
	})
	if len(kept.attached) != 2 || kept.attached[0].MIME != "image/png" {
		d.t.Errorf("attached: %+v", kept.attached)
	}
	structured, err := invoke(d.t.Context(), set, "mcp__every__get-structured-content", `{"location":"Chicago"}`)
	if err != nil || strings.Count(structured, "temperature") != 1 {
		d.t.Errorf("structured content and its mirror: %q, %v", structured, err)
	}
	d.await("progress", func(p event.Payload) bool {
		e, ok := p.(event.ToolProgress)
		return ok && e.Call == "call-1" && e.Done >= 3 && e.Total == 4
	})
	d.offers(set)
}

// offers reads a prompt and a resource.
func (d *desk) offers(set *mcp.Set) {
	d.t.Helper()
	ctx := d.t.Context()
	prompts := set.Prompts()
	if !slices.ContainsFunc(prompts, func(p mcp.Prompt) bool { return p.Command == "mcp__every__args-prompt" }) {
		d.t.Errorf("prompts: %+v", prompts)
	}
	text, err := set.Prompt(ctx, "mcp__every__args-prompt", typed("Oslo Viken"))
	if err != nil || !strings.Contains(text, "Oslo") {
		d.t.Errorf("args-prompt: %q, %v", text, err)
	}
	resources := slices.DeleteFunc(set.Resources(), func(r mcp.Resource) bool { return r.Open != "" })
	if len(resources) == 0 {
		d.t.Fatal("no resources")
	}
	if text, err := set.ReadResource(ctx, "every", resources[0].URI); err != nil || text == "" {
		d.t.Errorf("read %s: %.200q, %v", resources[0].URI, text, err)
	}
	if open := set.Continue(ctx, "every", "demo://resource/dynamic/text/"); len(open) == 0 || open[0].Open != "{resourceId}" {
		d.t.Errorf("a template: %+v", open)
	}
	if values := set.Continue(ctx, "every", "demo://resource/dynamic/text/1"); len(values) == 0 || values[0].URI != "demo://resource/dynamic/text/1" {
		d.t.Errorf("its values: %+v", values)
	}
}

func TestInteropServerFilesystem(t *testing.T) {
	d := newDesk(t)
	d.world.Budget = -1
	w, err := filepath.EvalSymlinks(d.world.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	d.world.Workspace = w
	picture, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "p.png": string(picture)} {
		if err := os.WriteFile(filepath.Join(w, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := func(template string) string { return strings.ReplaceAll(template, "W/", w+"/") }
	set := d.ready(real("fs", "mcp-server-filesystem", w))
	kept := d.take(set, "fs", []step{
		{tool: "read_text_file", args: args(`{"path":"W/a.txt"}`), want: []string{"one\ntwo\nthree\n"}},
		{tool: "read_file", args: args(`{"path":"W/a.txt","head":1}`), want: []string{"one"}},
		{tool: "read_media_file", args: args(`{"path":"W/p.png"}`), want: []string{"image/png", "saved at"}},
		{tool: "read_multiple_files", args: args(`{"paths":["W/a.txt","W/b.txt"]}`), want: []string{"three", "b.txt"}},
		{tool: "write_file", args: args(`{"path":"W/new.txt","content":"天\n"}`), want: []string{"Successfully wrote"}},
		{tool: "edit_file", args: args(`{"path":"W/new.txt","edits":[{"oldText":"天","newText":"地"}]}`), want: []string{"+地"}},
		{tool: "create_directory", args: args(`{"path":"W/dir"}`), want: []string{"dir"}},
		{tool: "list_directory", args: args(`{"path":"W/."}`), want: []string{"[FILE] a.txt", "[DIR] dir"}},
		{tool: "list_directory_with_sizes", args: args(`{"path":"W/.","sortBy":"size"}`), want: []string{"a.txt"}},
		{tool: "directory_tree", args: args(`{"path":"W/."}`), want: []string{`"a.txt"`}},
		{tool: "move_file", args: args(`{"source":"W/new.txt","destination":"W/dir/new.txt"}`), want: []string{"Successfully moved"}},
		{tool: "search_files", args: args(`{"path":"W/.","pattern":"**/*.txt"}`), want: []string{"dir/new.txt"}},
		{tool: "get_file_info", args: args(`{"path":"W/a.txt"}`), want: []string{"size: 14"}},
		{tool: "list_allowed_directories", args: `{}`, want: []string{w}},
		{tool: "read_text_file", args: `{"path":"/etc/passwd"}`, want: []string{"Access denied"}, fails: true},
	})
	if data, err := os.ReadFile(filepath.Join(w, "dir", "new.txt")); err != nil || string(data) != "地\n" {
		t.Errorf("what was written and moved is %q, %v", data, err)
	}
	if len(kept.attached) != 1 || len(kept.saved) != 1 {
		t.Errorf("attached %+v, saved %d files", kept.attached, len(kept.saved))
	}
}

func TestInteropServerMemory(t *testing.T) {
	d := newDesk(t)
	d.world.Budget = -1
	c := real("mem", "mcp-server-memory")
	c.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
	set := d.ready(c)
	d.take(set, "mem", []step{
		{tool: "create_entities", args: `{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]},{"name":"Engine","entityType":"machine","observations":[]}]}`, want: []string{"Ada"}},
		{tool: "create_relations", args: `{"relations":[{"from":"Ada","to":"Engine","relationType":"programs"}]}`, want: []string{"programs"}},
		{tool: "add_observations", args: `{"observations":[{"entityName":"Ada","contents":["writes"]}]}`, want: []string{"writes"}},
		{tool: "read_graph", args: `{}`, want: []string{"Ada", "Engine", "programs", "writes"}},
		{tool: "search_nodes", args: `{"query":"machine"}`, want: []string{"Engine"}},
		{tool: "open_nodes", args: `{"names":["Ada"]}`, want: []string{"counts"}},
		{tool: "delete_observations", args: `{"deletions":[{"entityName":"Ada","observations":["writes"]}]}`, want: []string{"deleted"}},
		{tool: "delete_relations", args: `{"relations":[{"from":"Ada","to":"Engine","relationType":"programs"}]}`, want: []string{"deleted"}},
		{tool: "delete_entities", args: `{"entityNames":["Engine"]}`, want: []string{"deleted"}},
	})
	graph, err := invoke(t.Context(), set, "mcp__mem__read_graph", `{}`)
	if err != nil || strings.Contains(graph, "Engine") || strings.Count(graph, "counts") != 1 {
		t.Errorf("in the end there is %q, %v", graph, err)
	}
}

// Three servers of others come up in any order, and the list stays the same.
func TestInteropTheListIsTheSameEachTime(t *testing.T) {
	var lists [][]string
	for range 2 {
		d := newDesk(t)
		d.world.Budget = -1
		c := real("mem", "mcp-server-memory")
		c.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
		set := d.ready(c, real("every", "mcp-server-everything", "stdio"), real("fs", "mcp-server-filesystem", d.world.Workspace))
		var list []string
		for _, tool := range set.Tools() {
			list = append(list, tool.Name(), tool.Description(), string(tool.Schema()))
		}
		lists = append(lists, list)
	}
	if diff := cmp.Diff(lists[0], lists[1]); diff != "" {
		t.Errorf("another list the second time:\n%s", diff)
	}
}

// Every scenario that the suite has for clients; version 0.1.16 has 26. It ends with an
// error when one of them fails.
func TestInteropConformance(t *testing.T) {
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("go", "build", "-o", client, "./testdata/conformance").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), "conformance", "client", "--suite", "all", "--command", client)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	_, summary, _ := strings.Cut(string(out), "=== SUITE SUMMARY ===")
	t.Log(summary)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(summary, " passed, 0 failed\n"); n < 26 || strings.Contains(summary, ": 0 passed") {
		t.Errorf("%d scenarios passed", n)
	}
	contains(
		t, summary, "elicitation-sep1034-client-defaults: 5 passed, 0 failed", "auth/scope-step-up: 23 passed, 0 failed",
		"auth/2025-03-26-oauth-metadata-backcompat: 13 passed, 0 failed", "auth/client-credentials-basic: 8 passed, 0 failed",
		"auth/client-credentials-jwt: 8 passed, 0 failed", "auth/cross-app-access-complete-flow: 9 passed, 0 failed",
	)
}

// listening starts a server of others on a free port and returns its address.
func listening(t *testing.T, command string, args ...string) string {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command, args...)
	cmd.Env = append(os.Environ(), "PORT="+strconv.Itoa(port))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	host := net.JoinHostPort("localhost", strconv.Itoa(port))
	until(t, command+" listens", func() bool {
		conn, err := net.Dial("tcp", host)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return "http://" + host
}
