package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
)

// remoteServer is a real server behind HTTP. handler may wrap it.
func remoteServer(t *testing.T, server *sdk.Server, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	var handler http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	if wrap != nil {
		handler = wrap(handler)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		for session := range server.Sessions() { // those that were forgotten too
			_ = session.Close()
		}
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

type echoArgs struct {
	Text string `json:"text"`
}

func echoServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "remote", Version: "1"}, nil)
	add := func(name string, hints *sdk.ToolAnnotations) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Says it again.", Annotations: hints},
			func(_ context.Context, _ *sdk.CallToolRequest, a echoArgs) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name + ": " + a.Text}}}, nil, nil
			})
	}
	add("echo", &sdk.ToolAnnotations{ReadOnlyHint: true})
	add("write", nil)
	return s
}

// httpDesk is a desk whose connections are its own.
func httpDesk(t *testing.T) *desk {
	d := newDesk(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	d.world.HTTP = &http.Client{Transport: transport}
	return d
}

// TestStreamableHTTP: with headers on every request, those of the helper too, and
// in order to the end.
func TestStreamableHTTP(t *testing.T) {
	d := httpDesk(t)
	var mu sync.Mutex
	methods := map[string]bool{}
	url := remoteServer(t, echoServer(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("X-Server") != "web" {
				http.Error(w, "who are you", http.StatusUnauthorized)
				return
			}
			mu.Lock()
			methods[r.Method] = true
			mu.Unlock()
			next.ServeHTTP(w, r)
		})
	})
	c := mcp.Config{
		Name: "web", URL: url, Headers: map[string]string{"Authorization": "Bearer secret"},
		HeadersHelper: `printf '{"X-Server":"%s"}' "$REASONIX_MCP_SERVER"`,
	}
	set := d.ready(c)
	d.echo(set, "web")
	if s := state(t, set, "web"); s.State != event.ServerReady || s.Protocol != mcp.DefaultProtocol {
		t.Errorf("%+v", s)
	}
	_ = set.Close()
	mu.Lock()
	defer mu.Unlock()
	if !methods["POST"] || !methods["DELETE"] {
		t.Errorf("methods %v", methods)
	}
}

// TestBadRemoteServers: each fails alone, with a reason that helps.
func TestBadRemoteServers(t *testing.T) {
	d := httpDesk(t)
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	set := d.ready(
		mcp.Config{Name: "refused", URL: refused.URL}, mcp.Config{Name: "missing", Type: "http", URL: missing.URL},
		mcp.Config{Name: "file", URL: "file:///etc/passwd"}, mcp.Config{Name: "odd", Type: "carrier-pigeon", URL: missing.URL},
		mcp.Config{Name: "helper", URL: missing.URL, HeadersHelper: "echo no headers"},
		mcp.Config{Name: "failing", URL: missing.URL, HeadersHelper: "exit 4"},
		mcp.Config{Name: "good", URL: remoteServer(t, echoServer(), nil)})
	d.echo(set, "good")
	for name, why := range map[string]string{
		"refused": "refused", "missing": "Not Found", "file": "no http or https URL", "odd": "carrier-pigeon",
		"helper": "no JSON object", "failing": "exit code 4",
	} {
		contains(t, d.awaitState(name, event.ServerFailed).Detail, why)
	}
}

// TestHeadersStayWithTheirHost: a redirect to another host, at the start or later, and
// an address that the old transport names, take nothing along; one to another path is
// followed.
func TestHeadersStayWithTheirHost(t *testing.T) {
	d := httpDesk(t)
	var leaked atomic.Bool
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(true)
		http.NotFound(w, r)
	}))
	t.Cleanup(foreign.Close)
	home := httptest.NewServer(http.RedirectHandler(foreign.URL, http.StatusTemporaryRedirect))
	t.Cleanup(home.Close)
	d.ready(mcp.Config{Name: "s", URL: home.URL, Headers: map[string]string{"X-Token": "secret"}})
	contains(t, d.awaitState("s", event.ServerFailed).Detail, "redirects to another origin, "+foreign.URL)

	sse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", foreign.URL)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(sse.Close)
	t.Cleanup(sse.CloseClientConnections)
	d.ready(mcp.Config{Name: "old", Type: mcp.TypeSSE, URL: sse.URL})
	contains(t, d.awaitState("old", event.ServerFailed).Detail, "talked to at another origin, "+foreign.URL)

	var away atomic.Bool
	moved := remoteServer(t, echoServer(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case away.Load():
				http.Redirect(w, r, foreign.URL, http.StatusPermanentRedirect)
			case r.URL.Path == "/old":
				http.Redirect(w, r, "/new", http.StatusTemporaryRedirect)
			default:
				next.ServeHTTP(w, r)
			}
		})
	})
	set := d.ready(mcp.Config{Name: "moved", URL: moved + "/old"})
	d.echo(set, "moved")
	away.Store(true)
	_, err := invoke(t.Context(), set, "mcp__moved__echo", `{}`)
	contains(t, errorText(err), "redirects to another origin")
	away.Store(false)
	if leaked.Load() {
		t.Error("something went to another host")
	}
}

// TestMC20SessionLost: the server forgets its sessions between two calls. A call
// that reads is made again in a new session; one that may write is not, and the
// next one works.
func TestMC20SessionLost(t *testing.T) {
	d := httpDesk(t)
	var forget atomic.Bool
	var initialized, writes atomic.Int32
	url := remoteServer(t, echoServer(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(data))
			switch {
			case bytes.Contains(data, []byte(`"initialize"`)):
				initialized.Add(1)
				forget.Store(false)
			case forget.Load() && r.Method == http.MethodPost:
				http.NotFound(w, r)
				return
			case bytes.Contains(data, []byte(`"write"`)):
				writes.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	})
	set := d.ready(mcp.Config{Name: "s", URL: url})
	d.echo(set, "s")
	forget.Store(true)
	d.echo(set, "s")
	if n := initialized.Load(); n != 2 {
		t.Errorf("%d handshakes", n)
	}
	contains(t, d.awaitNotice("mcp.again"), "echo is called again")
	forget.Store(true)
	if got, err := invoke(t.Context(), set, "mcp__s__write", `{"text":"x"}`); err == nil || writes.Load() != 0 {
		t.Errorf("%q, %d writes", got, writes.Load())
	}
	if got, err := invoke(t.Context(), set, "mcp__s__write", `{"text":"x"}`); err != nil || got != "write: x" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestMC20AnswerWithCRLF: a stream of events may end its lines so.
func TestMC20AnswerWithCRLF(t *testing.T) {
	d := httpDesk(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m request
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"echo","inputSchema":{}},{"name":8}]}`,
			"tools/call": `{"content":[{"type":"text","text":"echo: hi"},{"type":"hologram"}]}`,
		}[m.Method]
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\r\n\r\n", m.ID, result)
	}))
	t.Cleanup(web.Close)
	set := d.ready(mcp.Config{Name: "s", URL: web.URL})
	got, err := invoke(t.Context(), set, "mcp__s__echo", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, got, "echo: hi", "hologram")
	if n := len(state(t, set, "s").Dropped); n != 1 {
		t.Errorf("%d tools dropped", n)
	}
}

// TestLegacySSE: the old transport works, and a warning says that it is old.
func TestLegacySSE(t *testing.T) {
	d := httpDesk(t)
	handler := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return echoServer() }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != "secret" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	set := d.ready(mcp.Config{Name: "s", Type: mcp.TypeSSE, URL: web.URL, Headers: map[string]string{"X-Token": "secret"}})
	d.echo(set, "s")
	contains(t, d.awaitNotice("mcp.sse"), "deprecated")
	if err := set.Act(t.Context(), "s", "restart"); err != nil {
		t.Error(err)
	}
	d.echo(set, "s")
}

// TestRemoteServerThatIsGone: the call says so, and the server is used again when
// it is back.
func TestRemoteServerThatIsGone(t *testing.T) {
	d := httpDesk(t)
	var down atomic.Bool
	url := remoteServer(t, echoServer(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if down.Load() {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
	})
	set := d.ready(mcp.Config{Name: "s", URL: url})
	d.echo(set, "s")
	down.Store(true)
	if _, err := invoke(t.Context(), set, "mcp__s__write", `{}`); err == nil || !strings.Contains(err.Error(), "MCP server s") {
		t.Errorf("got %v", err)
	}
	down.Store(false)
	if err := set.Act(t.Context(), "s", "restart"); err != nil {
		t.Fatal(err)
	}
	d.echo(set, "s")
}
