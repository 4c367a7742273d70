package mcp_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
)

// atOnce is how long an end may take that waits for nobody.
const atOnce = 3 * time.Second

// stalling is a web server that leaves one kind of request without an answer, and
// tells when the first of them is there.
func stalling(t *testing.T, next http.Handler, stalls func(method string, body []byte) bool) (url string, reached chan struct{}) {
	reached = make(chan struct{}, 100)
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	url = remoteServer(t, echoServer(), func(own http.Handler) http.Handler {
		if next == nil {
			next = own
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(data))
			if !stalls(r.Method, data) {
				next.ServeHTTP(w, r)
				return
			}
			reached <- struct{}{}
			select {
			case <-r.Context().Done():
			case <-over:
			}
		})
	})
	return url, reached
}

// stalls are the requests that a server may leave without an answer.
var stalls = map[string]func(method string, body []byte) bool{
	"handshake": func(_ string, b []byte) bool { return bytes.Contains(b, []byte(`"initialize"`)) },
	"discovery": func(_ string, b []byte) bool { return bytes.Contains(b, []byte(`"server/discover"`)) },
	"stream":    func(m string, _ []byte) bool { return m == http.MethodGet },
	"greeting":  func(_ string, b []byte) bool { return bytes.Contains(b, []byte(`"notifications/initialized"`)) },
	"list":      func(_ string, b []byte) bool { return bytes.Contains(b, []byte(`"tools/list"`)) },
}

// TestCloseWaitsForNoServer: wherever a server leaves its client without an answer,
// the end comes at once, nothing is left, and a disconnect and a late start end the
// same way.
func TestCloseWaitsForNoServer(t *testing.T) {
	ends := map[string]func(*desk, *mcp.Set){
		"close": func(d *desk, set *mcp.Set) { _ = set.Close() },
		"disconnect": func(d *desk, set *mcp.Set) {
			if err := set.Act(d.t.Context(), "s", "disconnect"); err != nil {
				d.t.Error(err)
			}
		},
		"late": func(d *desk, _ *mcp.Set) { d.awaitState("s", event.ServerFailed) },
	}
	for where, stalls := range stalls {
		for how, end := range ends {
			t.Run(where+"/"+how, func(t *testing.T) {
				d := httpDesk(t)
				d.world.Grace = 100 * time.Millisecond
				c := mcp.Config{Name: "s", StartTimeout: patience}
				if how == "late" {
					c.StartTimeout = 300 * time.Millisecond
				}
				if where == "discovery" {
					c.ProtocolVersion = "2026-07-28"
				}
				var reached chan struct{}
				c.URL, reached = stalling(t, nil, stalls)
				set := d.start(c)
				<-reached
				began := time.Now()
				end(d, set)
				_ = set.Close()
				if took := time.Since(began); took > atOnce {
					t.Errorf("it took %s", took)
				}
			})
		}
	}
}

// TestCloseWaitsForNoGoodbye: nor for the answer to the end of a session, and the
// old transport is no other.
func TestCloseWaitsForNoGoodbye(t *testing.T) {
	old := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return echoServer() }, nil)
	for name, c := range map[string]struct {
		kind string
		next http.Handler
	}{"http": {mcp.TypeHTTP, nil}, "sse": {mcp.TypeSSE, old}} {
		t.Run(name, func(t *testing.T) {
			d := httpDesk(t)
			d.world.Grace = 100 * time.Millisecond
			url, _ := stalling(t, c.next, func(method string, _ []byte) bool { return method == http.MethodDelete })
			set := d.ready(mcp.Config{Name: "s", Type: c.kind, URL: url})
			d.echo(set, "s")
			began := time.Now()
			_ = set.Close()
			if took := time.Since(began); took > atOnce {
				t.Errorf("it took %s", took)
			}
		})
	}
}
