package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
)

// gated is a rich server that answers some requests when the gate is open only.
func gated(t *testing.T, method string) (url string, open func()) {
	gate := make(chan struct{})
	url = remoteServer(t, richServer(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(data))
			if method != "" && bytes.Contains(data, []byte(`"`+method+`"`)) {
				select {
				case <-gate:
				case <-r.Context().Done():
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	})
	return url, func() { close(gate) }
}

// TestPromptsAndResourcesFromTheFirstMoment: whatever of the server is not there
// yet, the handshake or its lists, what needs it waits for it; and what it never
// answers holds up nothing else.
func TestPromptsAndResourcesFromTheFirstMoment(t *testing.T) {
	for _, slow := range []string{"", "initialize", "tools/list", "prompts/list"} {
		t.Run(slow, func(t *testing.T) {
			d := httpDesk(t)
			url, open := gated(t, slow)
			set := d.start(mcp.Config{Name: "rich", URL: url, StartTimeout: patience})
			if d := cmp.Diff(set.Named(), []string{"rich"}); d != "" {
				t.Error(d)
			}
			texts := make(chan string, 2)
			go func() {
				text, err := set.Prompt(t.Context(), "mcp__rich__review_this", typed("a.go speed"))
				texts <- text + errorText(err)
			}()
			go func() {
				text, err := set.ReadResource(t.Context(), "rich", "note://1")
				texts <- text + errorText(err)
			}()
			open()
			got := <-texts + "\n" + <-texts
			contains(t, got, "Review a.go for speed.", "first\n")
		})
	}
	for _, never := range []string{"logging/setLevel", "resources/list"} {
		t.Run(never, func(t *testing.T) {
			d := httpDesk(t)
			url, _ := gated(t, never)
			set := d.start(mcp.Config{Name: "rich", URL: url, StartTimeout: time.Hour})
			if text, err := set.Prompt(t.Context(), "mcp__rich__review_this", typed("a.go speed")); err != nil {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return "error: " + err.Error()
}

// TestPromptThatNeverComes: the wait for prompts is over with the time that the
// server may take to start, and with the caller's patience.
func TestPromptThatNeverComes(t *testing.T) {
	d := httpDesk(t)
	url, _ := gated(t, "prompts/list")
	set := d.ready(mcp.Config{Name: "rich", URL: url, StartTimeout: time.Second})
	_, err := set.Prompt(t.Context(), "mcp__rich__review_this", typed(""))
	contains(t, errorText(err), "MCP server rich: it has no prompt mcp__rich__review_this")
	url, _ = gated(t, "prompts/list")
	set = d.ready(mcp.Config{Name: "rich", URL: url, StartTimeout: time.Hour})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("esc"))
	_, err = set.Prompt(ctx, "mcp__rich__review_this", typed(""))
	contains(t, errorText(err), "esc")
	_, err = set.Prompt(t.Context(), "mcp__poor__review_this", typed(""))
	contains(t, errorText(err), "no MCP server of this session has a prompt mcp__poor__review_this")
}

// TestPromptsOfTheLastSession: they are offered before the server is up, are made by
// the server that is there then, and are gone when it says so.
func TestPromptsOfTheLastSession(t *testing.T) {
	d := httpDesk(t)
	d.world.CacheDir = t.TempDir()
	c := mcp.Config{Name: "rich", URL: remoteServer(t, richServer(), nil), Identity: "one"}
	first := d.ready(c)
	if _, err := first.Prompt(t.Context(), "mcp__rich__review_this", typed("a.go")); err != nil {
		t.Fatal(err)
	}
	want := first.Prompts()
	_ = first.Close()

	url, open := gated(t, "initialize")
	c.URL = url
	second := d.start(c)
	if d := cmp.Diff(second.Prompts(), want); d != "" || len(want) != 1 {
		t.Error(d)
	}
	texts := make(chan string, 1)
	go func() {
		text, err := second.Prompt(t.Context(), "mcp__rich__review_this", typed("b.go"))
		texts <- text + errorText(err)
	}()
	open()
	contains(t, <-texts, "Review b.go")

	c.URL = remoteServer(t, echoServer(), nil)
	third := d.start(c)
	d.await("the prompts are gone", func(event.Payload) bool { return len(third.Prompts()) == 0 })
	_, err := third.Prompt(t.Context(), "mcp__rich__review_this", typed("b.go"))
	contains(t, errorText(err), "it has no prompt")
	_ = third.Close()

	c.Identity = "another"
	c.URL, _ = gated(t, "initialize")
	if got := d.start(c).Prompts(); len(got) != 0 {
		t.Errorf("prompts of another: %v", got)
	}
}

// TestNamedServers: those that are starting or ready.
func TestNamedServers(t *testing.T) {
	d := newDesk(t)
	set := d.start(fakeServer("ready", "plain"), fakeServer("starting", "hang-start"), fakeServer("failed", "crash-start"), fakeServer("stopped", "plain"))
	d.awaitState("failed", event.ServerFailed)
	d.awaitState("ready", event.ServerReady)
	if err := set.Act(t.Context(), "stopped", "disconnect"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(set.Named(), []string{"ready", "starting"}); d != "" {
		t.Error(d)
	}
}

// TestNamesDoNotDependOnTheRun: whichever of the configured servers a session has,
// or gets later, each is called the same.
func TestNamesDoNotDependOnTheRun(t *testing.T) {
	d := newDesk(t)
	all := []string{"a b", "a.b", "a_b", "cd"}
	tools := map[string]string{}
	together := d.ready(fakeServer("a b", "plain"), fakeServer("a.b", "plain"), fakeServer("a_b", "plain"), fakeServer("cd", "plain"))
	for _, name := range names(together.Tools()) {
		_, _, server, _, _ := together.Approval(name)
		tools[server] = name
	}
	if len(tools) != len(all) {
		t.Fatal(tools)
	}
	d.world.Names = all
	for _, name := range all {
		one := d.ready(fakeServer(name, "plain"))
		if d := cmp.Diff(names(one.Tools()), []string{tools[name]}); d != "" {
			t.Errorf("%s alone: %s", name, d)
		}
		late := d.start()
		if err := late.Add(fakeServer(name, "plain")); err != nil {
			t.Fatal(err)
		}
		late.Wait(t.Context(), patience)
		late.Refresh()
		if d := cmp.Diff(names(late.Tools()), []string{tools[name]}); d != "" {
			t.Errorf("%s later: %s", name, d)
		}
		if state(t, one, name).Log != state(t, late, name).Log {
			t.Errorf("%s has two logs", name)
		}
	}
}

// TestCacheIsOfWhatTheServerWasTold: what a server offers to a client that can do
// less is not what a session begins with.
func TestCacheIsOfWhatTheServerWasTold(t *testing.T) {
	d := newDesk(t)
	d.world.CacheDir = t.TempDir()
	c := fakeServer("s", "able")
	c.Identity = "one"
	told := func() string {
		t.Helper()
		set := d.start(c)
		defer func() { _ = set.Close() }()
		set.Wait(t.Context(), patience)
		list := strings.Join(names(set.Tools()), " ")
		if err := set.Act(t.Context(), "s", "connect"); err != nil {
			t.Fatal(err)
		}
		return list
	}
	poor := told()
	d.world.Ask = func(context.Context, event.Question) (event.Answer, error) { return event.Answer{}, tool.ErrNobody }
	for range 2 {
		if got := told(); got != "mcp__s__asks mcp__s__echo" || poor != "mcp__s__echo" {
			t.Errorf("a client that can be asked is told of %s, another of %s", got, poor)
		}
	}
	d.world.Ask = nil
	if got := told(); got != poor {
		t.Errorf("then %s", got)
	}
	if all := d.notices("mcp.changed"); len(all) != 0 {
		t.Error(all)
	}
	if files, err := filepath.Glob(filepath.Join(d.world.CacheDir, "*")); err != nil || len(files) != 2 {
		t.Error(files, err)
	}
}

// TestToolThatIsATaskOnly: it is dropped with that reason, whatever the transport,
// and one that may be a task is not.
func TestToolThatIsATaskOnly(t *testing.T) {
	d := httpDesk(t)
	server := remoteServer(t, echoServer(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(data))
			if bytes.Contains(data, []byte(`"tools/list"`)) {
				id := data[bytes.Index(data, []byte(`"id":`)):]
				id = id[:bytes.IndexAny(id, ",}")]
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`+string(id)+`,"result":{"tools":[`+taskTools+`]}}`)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	set := d.ready(fakeServer("process", "task"), mcp.Config{Name: "web", URL: server})
	want := []string{"mcp__process__echo", "mcp__process__may", "mcp__web__may"}
	if d := cmp.Diff(names(set.Tools()), want); d != "" {
		t.Error(d)
	}
	for _, name := range []string{"process", "web"} {
		gone := []mcp.Dropped{{Tool: "must", Why: "it can only be called as a task, which this client does not do"}}
		if d := cmp.Diff(state(t, set, name).Dropped, gone); d != "" {
			t.Error(d)
		}
	}
}
