package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
)

// TestMC01BadHandshakes: a server that cannot start, never answers or chokes is
// named with its standard error, and the good one beside it works at once.
func TestMC01BadHandshakes(t *testing.T) {
	d := newDesk(t)
	hang := fakeServer("hangs", "hang-start")
	hang.StartTimeout = 300 * time.Millisecond
	list := fakeServer("lists", "hang-list")
	list.StartTimeout = 300 * time.Millisecond
	set := d.ready(
		fakeServer("crashes", "crash-start"), fakeServer("dies", "crash-list"), hang, list, fakeServer("chokes", "choke"), fakeServer("odd", "unknown"),
		fakeServer("good", "plain"), mcp.Config{Name: "missing", Command: "/no/such/program"}, mcp.Config{Name: "empty", Type: "stdio"})
	d.echo(set, "good")
	d.echo(set, "chokes")
	d.echo(set, "odd")
	d.awaitState("hangs", event.ServerFailed)
	d.awaitState("lists", event.ServerFailed)
	contains(t, state(t, set, "crashes").Detail, "exit code 3", "cannot find the frobnicator")
	contains(t, state(t, set, "dies").Detail, "exit code 9")
	contains(t, state(t, set, "hangs").Detail, "not ready in time: 300ms")
	contains(t, state(t, set, "missing").Detail, "/no/such/program")
	contains(t, state(t, set, "empty").Detail, "no command")
	for _, name := range []string{"crashes", "hangs", "lists", "missing", "empty"} {
		if s := state(t, set, name).State; s != event.ServerFailed {
			t.Errorf("%s is %s", name, s)
		}
	}
}

// TestMC01NobodyWaitsForASlowServer: the grace is over, the others are there, and
// the slow one's tools come when it does.
func TestMC01NobodyWaitsForASlowServer(t *testing.T) {
	d := newDesk(t)
	gate := filepath.Join(t.TempDir(), "gate")
	set := d.start(fakeServer("slow", "gate", "MCP_TEST_GATE", gate), fakeServer("good", "plain"))
	d.awaitState("good", event.ServerReady)
	set.Wait(t.Context(), time.Millisecond)
	if d := cmp.Diff(names(set.Tools()), []string{"mcp__good__echo"}); d != "" {
		t.Error(d)
	}
	touch(t, gate)
	d.awaitState("slow", event.ServerReady)
	contains(t, d.awaitNotice("mcp.changed"), "slow", "1 new")
	d.echo(set, "slow")
	if d := cmp.Diff(names(set.Tools()), []string{"mcp__good__echo"}); d != "" {
		t.Error("the list changed:", d)
	}
	if !set.Refresh() {
		t.Error("nothing new")
	}
	if d := cmp.Diff(names(set.Tools()), []string{"mcp__good__echo", "mcp__slow__echo"}); d != "" {
		t.Error(d)
	}
}

// TestListWithoutAnEnd: it is given up, also when it is the same tool again and again.
func TestListWithoutAnEnd(t *testing.T) {
	d := newDesk(t)
	d.start(fakeServer("s", "endless"))
	contains(t, d.awaitState("s", event.ServerFailed).Detail, "it has no end: 11000 tools on 10 pages")
}

// TestMC02NoiseIsSkippedAndCounted: banners, blank lines and logs between answers
// are no messages, and one warning speaks of them.
func TestMC02NoiseIsSkippedAndCounted(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("noisy", "noise"), fakeServer("good", "plain"))
	d.echo(set, "noisy")
	d.echo(set, "noisy")
	d.echo(set, "good")
	if got := state(t, set, "noisy").Noise; got != 6 {
		t.Errorf("%d lines of noise", got)
	}
	d.awaitNotice("mcp.noise")
	if all := d.notices("mcp.noise"); len(all) != 1 {
		t.Errorf("%d warnings: %q", len(all), all)
	}
}

// TestMC02FloodOfStandardError: 10 MB block nothing, and the log stays bounded.
func TestMC02FloodOfStandardError(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("flood", "flood"), fakeServer("good", "plain"))
	d.echo(set, "flood")
	d.echo(set, "good")
	path := state(t, set, "flood").Log
	_ = set.Close() // until then it may be written
	for _, p := range []string{path, path + ".1"} {
		info, err := os.Stat(p)
		if err != nil || info.Size() > 1<<20 {
			t.Error(p, info, err)
		}
	}
}

// TestMC03DiesMidCall: the call fails with the reason, the next one starts the
// server again, and while it keeps dying the starts come later and later.
func TestMC03DiesMidCall(t *testing.T) {
	d := newDesk(t)
	now := time.Unix(1e9, 0)
	d.world.Now = func() time.Time { return now }
	starts := filepath.Join(t.TempDir(), "starts")
	set := d.ready(fakeServer("dies", "crash-call", "MCP_TEST_STARTS", starts), fakeServer("good", "plain"))
	call := func() string {
		t.Helper()
		_, err := invoke(t.Context(), set, "mcp__dies__echo", `{}`)
		if err == nil {
			t.Fatal("no error")
		}
		return err.Error()
	}
	contains(t, call(), "MCP server dies", "exit code 7", "segmentation fault, sort of")
	contains(t, call(), "exit code 7") // started again at once
	contains(t, call(), "started again by a call in 1s")
	now = now.Add(time.Second)
	contains(t, call(), "exit code 7")
	contains(t, call(), "started again by a call in 2s")
	data, err := os.ReadFile(starts)
	if err != nil || strings.Count(string(data), "\n") != 3 {
		t.Errorf("starts: %q, %v", data, err)
	}
	if err := set.Act(t.Context(), "dies", "connect"); err != nil {
		t.Error("a person does not wait:", err)
	}
	d.echo(set, "good")
}

// TestMC05OddNames: every name is legal, two long ones that begin alike stay two,
// and each call reaches its tool.
func TestMC05OddNames(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("odd", "odd"))
	long := strings.Repeat("long_", 16)
	back := map[string]string{}
	for _, tool := range set.Tools() {
		if len(tool.Name()) > 64 || strings.Trim(tool.Name(), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			t.Errorf("illegal name %q", tool.Name())
		}
		got, err := tool.Execute(t.Context(), []byte(`{"text":"x"}`))
		if err != nil {
			t.Error(err)
		}
		back[strings.TrimSuffix(got, ": x")] = tool.Name()
	}
	if len(back) != 5 || back[long+"_first_end"] == "" || back[long+"_other_end"] == "" || back["搜索"] == "" || back["with.dots and spaces"] == "" {
		t.Errorf("calls reached %v", back)
	}
	delete(back, "echo")
	if d := cmp.Diff(state(t, set, "odd").Renamed, back); d != "" {
		t.Error(d)
	}
	again := d.ready(fakeServer("odd", "odd"))
	if d := cmp.Diff(names(again.Tools()), names(set.Tools())); d != "" {
		t.Error("not stable:", d)
	}
}

// TestMC08PoorSchemas: what can be repaired is, and what cannot is dropped alone,
// by name.
func TestMC08PoorSchemas(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("bad", "bad"), fakeServer("good", "plain"))
	d.echo(set, "bad")
	d.echo(set, "good")
	want := []string{"mcp__bad__echo", "mcp__bad__none", "mcp__bad__refs", "mcp__bad__typeless", "mcp__good__echo"}
	if d := cmp.Diff(names(set.Tools()), want); d != "" {
		t.Error(d)
	}
	notice := d.awaitNotice("mcp.dropped")
	contains(t, notice, "huge", "long_property", "unreadable", "bad")
	if got := len(state(t, set, "bad").Dropped); got != 4 {
		t.Errorf("%d dropped: %s", got, notice)
	}
}

// TestMC08SaidOnce: the tools that cannot be used are named by the session that learns of
// them, by one that learns of others, and where a person connects the server anew.
func TestMC08SaidOnce(t *testing.T) {
	cache := t.TempDir()
	for i, c := range []struct {
		mode    string
		connect bool
		want    int
	}{{"bad", false, 1}, {"bad", false, 0}, {"bad", true, 1}, {"task", false, 1}, {"task", false, 0}, {"plain", false, 0}} {
		d := newDesk(t)
		d.world.CacheDir = cache
		server := fakeServer("s", c.mode)
		server.Identity = "the same"
		set := d.start(server)
		d.awaitState("s", event.ServerReady)
		if c.connect {
			if err := set.Act(t.Context(), "s", "restart"); err != nil {
				t.Error(err)
			}
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
		if got := d.notices("mcp.dropped"); len(got) != c.want {
			t.Errorf("session %d: told %q, want %d", i, got, c.want)
		}
	}
}

// TestMC09SameToolOfTwoServers: both can be called.
func TestMC09SameToolOfTwoServers(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("a b", "clash", "MCP_TEST_NAME", "one"), fakeServer("a_b", "clash", "MCP_TEST_NAME", "two"))
	about := map[string]bool{}
	for _, tool := range set.Tools() {
		about[tool.Description()] = true
		if _, err := tool.Execute(t.Context(), []byte(`{"text":"x"}`)); err != nil {
			t.Error(err)
		}
	}
	if len(set.Tools()) != 4 || !about["Searches in one"] || !about["Searches in two"] {
		t.Errorf("%v %v", names(set.Tools()), about)
	}
}

// TestMC12HugeText: ten megabytes go to a file, and the model gets both ends.
func TestMC12HugeText(t *testing.T) {
	d := newDesk(t)
	d.world.OutputCap = 2000
	set := d.ready(fakeServer("big", "big"), fakeServer("good", "plain"))
	ctx, kept := newKeeper(t)
	got, err := invoke(ctx, set, "mcp__big__echo", `{}`)
	if err != nil || len(got) > 2000 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	contains(t, got, "HEAD", "TAIL")
	if len(kept.saved) != 1 || kept.call.Full == "" {
		t.Fatalf("%d files, full %q", len(kept.saved), kept.call.Full)
	}
	for path, data := range kept.saved {
		contains(t, got, filepath.ToSlash(path))
		if len(data) != bigResult+8 {
			t.Errorf("%d bytes kept", len(data))
		}
	}
	d.echo(set, "good")
}

// TestMC14UnreadableAnswers: an answer that cannot be read fails its call at once, and nothing else.
func TestMC14UnreadableAnswers(t *testing.T) {
	for mode, want := range map[string]string{
		"deep":   "its answer cannot be read: unmarshaling jsonrpc message: json: exceeded maximum nesting depth of 1000",
		"broken": "its answer cannot be read: ",
	} {
		d := newDesk(t)
		set := d.ready(fakeServer("s", mode), fakeServer("other", "plain"))
		_, err := invoke(t.Context(), set, "mcp__s__echo", `{"text":"hi"}`)
		if err == nil || !strings.HasPrefix(err.Error(), "MCP server s: call echo: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", mode, err)
		}
		d.echo(set, "other")
		if st := state(t, set, "s"); st.State != event.ServerReady || st.Noise != 0 {
			t.Errorf("%s: the server is %+v", mode, st)
		}
	}
}

// TestMC14WedgedCall: a person gets the turn back at once, and the server is told;
// without anybody the limit ends it.
func TestMC14WedgedCall(t *testing.T) {
	d := newDesk(t)
	dir := t.TempDir()
	called, cancelled := filepath.Join(dir, "called"), filepath.Join(dir, "cancelled")
	c := fakeServer("wedged", "hang-call", "MCP_TEST_CALLED", called, "MCP_TEST_CANCELLED", cancelled)
	c.ToolTimeouts = map[string]time.Duration{"echo": time.Hour}
	set := d.ready(c, fakeServer("good", "plain"))
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := invoke(ctx, set, "mcp__wedged__echo", `{}`)
		ended <- err
	}()
	until(t, "called", func() bool { return exists(called) })
	stop := errors.New("esc")
	began := time.Now()
	cancel(stop)
	if err := <-ended; !strings.Contains(err.Error(), "esc") || time.Since(began) > time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	until(t, "the server hears of it", func() bool { return exists(cancelled) })
	d.echo(set, "good")
	if s := state(t, set, "wedged").State; s != event.ServerReady {
		t.Errorf("it is %s", s)
	}
}

// TestMC14Limit: the tool's limit beats the server's.
func TestMC14Limit(t *testing.T) {
	d := newDesk(t)
	cancelled := filepath.Join(t.TempDir(), "cancelled")
	c := fakeServer("wedged", "hang-call", "MCP_TEST_CANCELLED", cancelled)
	c.CallTimeout, c.ToolTimeouts = time.Hour, map[string]time.Duration{"echo": 50 * time.Millisecond}
	set := d.ready(c)
	_, err := invoke(t.Context(), set, "mcp__wedged__echo", `{}`)
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "call echo", "no answer for 50ms")
	until(t, "the server hears of it", func() bool { return exists(cancelled) })
}

// TestMC15ProgressIsTold: a process's progress comes as events of the call, in
// order and before its result.
func TestMC15ProgressIsTold(t *testing.T) {
	d := newDesk(t)
	gate := filepath.Join(t.TempDir(), "gate")
	set := d.ready(fakeServer("s", "progress", "MCP_TEST_GATE", gate))
	ctx, _ := newKeeper(t)
	done := make(chan string, 1)
	go func() {
		got, err := invoke(ctx, set, "mcp__s__echo", `{}`)
		done <- fmt.Sprint(got, err)
	}()
	for i := range 4 {
		touch(t, fmt.Sprintf("%s.%d", gate, i))
		want := event.ToolProgress{Call: "call-1", Done: float64(i + 1), Total: 4, Text: fmt.Sprintf("step %d", i+1)}
		d.await("progress", func(p event.Payload) bool { return p == event.Payload(want) })
	}
	touch(t, gate+".4")
	if got := <-done; got != "done<nil>" {
		t.Error(got)
	}
}

// TestMC15StepsBeforeTheAnswer: all of them are told when the call returns, though
// the answer follows on their heels, from a process and over HTTP.
func TestMC15StepsBeforeTheAnswer(t *testing.T) {
	d := httpDesk(t)
	remote := sdk.NewServer(&sdk.Implementation{Name: "remote", Version: "1"}, nil)
	sdk.AddTool(remote, &sdk.Tool{Name: "echo"}, func(ctx context.Context, r *sdk.CallToolRequest, _ echoArgs) (*sdk.CallToolResult, any, error) {
		for i := range 5 {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 5})
		}
		return &sdk.CallToolResult{}, nil, nil
	})
	set := d.ready(fakeServer("process", "burst"), mcp.Config{Name: "remote", URL: remoteServer(t, remote, nil)})
	for _, name := range []string{"process", "remote"} {
		for call := range 20 {
			id := fmt.Sprint(name, call)
			if _, err := invoke(tool.WithCall(t.Context(), &tool.Call{ID: id}), set, "mcp__"+name+"__echo", `{"text":"x"}`); err != nil {
				t.Fatal(err)
			}
			var steps []float64
			d.mu.Lock()
			for _, p := range d.events {
				if e, ok := p.(event.ToolProgress); ok && e.Call == id {
					steps = append(steps, e.Done)
				}
			}
			d.mu.Unlock()
			if diff := cmp.Diff(steps, []float64{1, 2, 3, 4, 5}); diff != "" {
				t.Fatalf("call %d of %s: %s", call, name, diff)
			}
		}
	}
}

// TestMC17UnknownContent: what is not known is named, and the rest arrives.
func TestMC17UnknownContent(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("kinds", "kinds"))
	ctx, _ := newKeeper(t)
	got, err := invoke(ctx, set, "mcp__kinds__echo", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, got, "kept", "hologram", "audio/wav", "file:///x", "inner")
}

// TestMC18ArgumentsAsGiven: spaces, quotes and backslashes reach the program.
func TestMC18ArgumentsAsGiven(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Join(t.TempDir(), "a directory")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "my server.exe")
	if err := os.Symlink(self(), program); err != nil {
		t.Log("no links here:", err)
		return
	}
	c := fakeServer("odd", "environ", "MCP_TEST_NAME", `C:\x y\s.cmd "q" $HOME`)
	c.Command, c.Args = program, []string{"serve", `two words`, `"quoted"`, `C:\x y\s.cmd`, `$HOME`, ``}
	set := d.ready(c)
	got, err := invoke(t.Context(), set, "mcp__odd__echo", `{}`)
	want := `["serve" "two words" "\"quoted\"" "C:\\x y\\s.cmd" "$HOME" ""] C:\x y\s.cmd "q" $HOME`
	if err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}
