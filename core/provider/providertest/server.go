// Package providertest plays the model in tests: a scripted chat-completions
// server over real HTTP, and the conformance suite every Provider passes.
//
// The server is strict unless told otherwise. It answers 400, as vendors do, to
// a conversation that a real endpoint would refuse: an unpaired call or result,
// arguments that are not an object, repeated ids, bad tool names, bad schemas,
// reasoning that was not given back. Most faults that leave a session dead for
// ever show only against such a server.
//
// It never waits for time to pass. A test that wants the model to be slow holds
// a gate, and every hold ends when the client leaves or the server is closed.
// Tests, crash drivers, demonstrations and benchmarks call it; the product does
// not.
package providertest

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Server is a scripted model endpoint. Each accepted chat request takes the next
// reply of the script; a refused one takes none. All methods are safe for
// concurrent use.
type Server struct {
	listener net.Listener
	http     *http.Server
	running  sync.WaitGroup  // the accept loop and one per connection
	closed   context.Context // done once Close was called
	close    context.CancelFunc
	known    memory

	mu         sync.Mutex
	script     []Reply
	respond    func(*Received) Reply
	requests   []*Received
	arrived    chan struct{} // closed and replaced at every request
	rejections []string
	looked     bool // Rejections was called, so the test deals with them
	exhausted  int  // requests that found no reply
	settings   settings
}

// settings are what a test can change about the endpoint.
type settings struct {
	lenient    bool
	chunkBytes int
	reasoning  ledger
	key        string
	models     []string
	chatPath   string
	modelsPath string
	refused    []string
	vendor     *vendor // whose endpoint it is; nil: nobody's
}

// New starts a strict server that plays replies in order and is closed when the
// test ends. A test that got a strict 400 and never asked for Rejections fails.
func New(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	s, err := Start(replies...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		s.report(t)
	})
	return s
}

// Start is New for callers without a test. The caller closes the server.
func Start(replies ...Reply) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start scripted model: %w", err)
	}
	s := &Server{
		listener: l,
		script:   slices.Clone(replies),
		arrived:  make(chan struct{}),
		settings: settings{
			models:     []string{"scripted"},
			chatPath:   "/v1/chat/completions",
			modelsPath: "/v1/models",
		},
	}
	s.closed, s.close = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: time.Minute,
		ConnState:         s.count,
	}
	s.running.Go(func() { _ = s.http.Serve(l) })
	return s, nil
}

// count keeps track of connections, so that Close can wait for the last one.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.running.Add(1)
	case http.StateHijacked, http.StateClosed:
		s.running.Done()
	case http.StateActive, http.StateIdle:
	}
}

// report tells the test what it may have overlooked.
func (s *Server) report(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exhausted > 0 {
		t.Logf("scripted model: %d requests came after the script's end", s.exhausted)
	}
	if s.looked {
		return
	}
	for _, r := range s.rejections {
		t.Errorf("scripted model refused a request: %s", r)
	}
}

// Root is the server's URL without the API version, http://127.0.0.1:PORT.
func (s *Server) Root() string { return "http://" + s.listener.Addr().String() }

// BaseURL is what a configuration's base_url holds, http://127.0.0.1:PORT/v1.
func (s *Server) BaseURL() string { return s.Root() + "/v1" }

// Close cuts every connection, ends every hold and returns when no goroutine of
// the server is left. It may be called more than once.
func (s *Server) Close() {
	s.close()
	_ = s.http.Close()
	s.running.Wait()
}

// Add appends replies to the script.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// Respond answers requests that come when the script is used up. Without it they
// get HTTP 500 with a Retry-After so long that no client waits for it. f may be
// called concurrently.
func (s *Server) Respond(f func(r *Received) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.respond = f
}

// Requests returns the chat requests in order of arrival, accepted or not.
func (s *Server) Requests() []*Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Rejections returns, in words, every 400 that strictness gave.
func (s *Server) Rejections() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked = true
	return slices.Clone(s.rejections)
}

// Wait returns when n chat requests have arrived, or with ctx's error.
func (s *Server) Wait(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		have, arrived := len(s.requests), s.arrived
		s.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-arrived:
		case <-s.closed.Done():
			return fmt.Errorf("wait for request %d: server closed after %d", n, have)
		case <-ctx.Done():
			return fmt.Errorf("wait for request %d, %d arrived: %w", n, have, ctx.Err())
		}
	}
}

// configure changes a setting under the lock.
func (s *Server) configure(f func(*settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.settings)
}

// SetLenient accepts any body.
func (s *Server) SetLenient() { s.configure(func(c *settings) { c.lenient = true }) }

// SetReasoningRequired refuses an assistant message with calls that does not
// carry field. When this server sent reasoning with those calls the text must be
// the same; when it sent the calls without reasoning nothing is required.
func (s *Server) SetReasoningRequired(field string) {
	s.configure(func(c *settings) { c.reasoning.field = field })
}

// SetChunkBytes flushes after every n bytes of a body; 0 flushes a whole chunk.
func (s *Server) SetChunkBytes(n int) { s.configure(func(c *settings) { c.chunkBytes = n }) }

// SetModels sets what GET /v1/models lists.
func (s *Server) SetModels(ids ...string) {
	s.configure(func(c *settings) { c.models = slices.Clone(ids) })
}

// SetPaths moves the two resources, for gateways that want a full URL. An empty
// path stays as it is. Every other path is a 404 in JSON.
func (s *Server) SetPaths(chat, models string) {
	s.configure(func(c *settings) {
		if chat != "" {
			c.chatPath = chat
		}
		if models != "" {
			c.modelsPath = models
		}
	})
}

// RequireKey answers 401 to a request without this bearer token.
func (s *Server) RequireKey(key string) { s.configure(func(c *settings) { c.key = key }) }

// RefuseParams answers 400, naming the parameter, to a request whose body has
// one of these top-level fields. It does not count among the Rejections.
func (s *Server) RefuseParams(names ...string) {
	s.configure(func(c *settings) { c.refused = slices.Clone(names) })
}
