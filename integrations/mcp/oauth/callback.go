package oauth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

const callbackPath = "/callback"

// callback is where the browser comes back to after one login.
type callback struct {
	port   int
	server *http.Server
	answer chan answer

	mu      sync.Mutex
	state   string // "": nobody was sent away yet
	foreign bool   // there was an answer to another login
}

type answer struct {
	result *auth.AuthorizationResult
	err    error
}

// listen waits for a browser on 127.0.0.1 only. port 0 is a free one.
func listen(ctx context.Context, port int) (*callback, error) {
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("wait for the browser on port %d: %w", port, err)
	}
	c := &callback{port: ln.Addr().(*net.TCPAddr).Port, answer: make(chan answer, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callbackPath, c.serve)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = c.server.Serve(ln) }() // it ends with close
	return c, nil
}

// close lets the page that is being sent arrive, and ends the listener.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}

func (c *callback) url() string { return fmt.Sprintf("http://127.0.0.1:%d%s", c.port, callbackPath) }

// expect says which state the answer must carry.
func (c *callback) expect(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

func (c *callback) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case a := <-c.answer:
		return a.result, a.err
	case <-ctx.Done():
		err := fmt.Errorf("the browser did not come back: %w", context.Cause(ctx))
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.foreign {
			err = fmt.Errorf("%w; something else did: %w", err, ErrForeign)
		}
		return nil, err
	}
}

// serve takes the first answer to the login that is waited for; every program on this
// machine can send others, and they end nothing. Nothing of a request is written into
// the page.
func (c *callback) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !q.Has("code") && !q.Has("error") {
		page(w, http.StatusBadRequest, "This page waits for the answer to a login.")
		return
	}
	if !c.ours(q.Get("state")) {
		page(w, http.StatusBadRequest, "This answer belongs to another login.")
		return
	}
	a := answer{result: &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}}
	text, status := "You are logged in. You can close this page.", http.StatusOK
	if q.Has("error") {
		a, text = answer{err: refusal(q.Get("error"), q.Get("error_description"))}, "The login was refused. You can close this page."
	}
	select {
	case c.answer <- a:
	default:
		text, status = "This login has had its answer.", http.StatusConflict
	}
	page(w, status, text)
}

// ours reports whether state is the one that the answer must carry, and takes note of
// one that is not.
func (c *callback) ours(state string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok := c.state != "" && subtle.ConstantTimeCompare([]byte(state), []byte(c.state)) == 1
	c.foreign = c.foreign || !ok
	return ok
}

func refusal(code, description string) error {
	if description != "" {
		code += ": " + description
	}
	return fmt.Errorf("%w: %s", ErrDenied, line(code))
}

func page(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>reasonix</title><p>"+text+"</p>\n")
}
