//go:build bench && linux

package commands_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reasonix/core/provider/providertest"
)

// benchModel is a model server that does as little as possible, so that its own
// work does not blur what is measured: it counts requests and plays the reply of
// that number. providertest's server decodes and keeps every history, which over
// 200 calls costs more than the program.
type benchModel struct {
	url      string
	received atomic.Int64 // bytes on the wire, headers included

	mu        sync.Mutex
	script    []providertest.Reply
	exchanges []exchange
}

// exchange is one request and its answer.
type exchange struct {
	arrived  time.Time // its headers
	answered time.Time // the last byte of the answer was sent
	size     int64     // of the body
}

func startBenchModel(t *testing.T) *benchModel {
	m := &benchModel{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(m.answer))
	s.Listener = countingListener{s.Listener, &m.received}
	s.Start()
	t.Cleanup(s.Close)
	m.url = s.URL + "/v1"
	return m
}

// play begins a script and forgets what was before.
func (m *benchModel) play(replies []providertest.Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script, m.exchanges = replies, nil
	m.received.Store(0)
}

// done returns what happened since play.
func (m *benchModel) done() []exchange {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.exchanges)
}

func (m *benchModel) answer(w http.ResponseWriter, r *http.Request) {
	e := exchange{arrived: time.Now()}
	e.size, _ = io.Copy(io.Discard, r.Body)
	m.mu.Lock()
	n := len(m.exchanges)
	if n >= len(m.script) {
		m.mu.Unlock()
		http.Error(w, "the script is over", http.StatusTeapot)
		return
	}
	chunks := m.script[n].Chunks()
	m.exchanges = append(m.exchanges, e)
	m.mu.Unlock()

	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	for _, c := range chunks {
		_, _ = io.WriteString(w, c)
		_ = flush.Flush()
	}
	m.mu.Lock()
	m.exchanges[n].answered = time.Now()
	m.mu.Unlock()
}

// gaps are the times from the end of each answer to the next request: what the
// calls took and what the program adds.
func gaps(all []exchange) []time.Duration {
	var list []time.Duration
	for i := 1; i < len(all); i++ {
		list = append(list, all[i].arrived.Sub(all[i-1].answered))
	}
	return list
}

// countingListener counts what its connections receive.
type countingListener struct {
	net.Listener
	received *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countingConn{c, l.received}, nil
}

type countingConn struct {
	net.Conn
	received *atomic.Int64
}

func (c countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}
