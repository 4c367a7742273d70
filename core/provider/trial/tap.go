package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// errSpent ends a trial that has sent all it may.
var errSpent = errors.New("the trial has sent all the requests it may")

const maxKept = 4 << 20 // bytes of an answer that are kept

// tap is the transport of a trial: it counts, keeps what went by, and sends
// nothing beyond MaxRequests.
type tap struct {
	next http.RoundTripper

	mu        sync.Mutex
	exchanges []*kept
}

// kept is one request and its answer while they go by.
type kept struct {
	mu       sync.Mutex
	status   int
	body     bytes.Buffer // of the answer
	replayed string
}

// RoundTrip sends req unless too many were sent.
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	k := &kept{}
	t.mu.Lock()
	if len(t.exchanges) == MaxRequests {
		t.mu.Unlock()
		return nil, errSpent
	}
	t.exchanges = append(t.exchanges, k)
	t.mu.Unlock()
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			sent, _ := io.ReadAll(io.LimitReader(body, maxKept))
			_ = body.Close()
			k.replayed = replayedIn(sent)
		}
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.status = resp.StatusCode
	k.mu.Unlock()
	resp.Body = &listener{ReadCloser: resp.Body, k: k}
	return resp, nil
}

func (t *tap) sent() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.exchanges)
}

// last is the latest exchange, read.
func (t *tap) last() exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.exchanges) == 0 {
		return exchange{}
	}
	k := t.exchanges[len(t.exchanges)-1]
	k.mu.Lock()
	defer k.mu.Unlock()
	x := exchange{status: k.status, body: bytes.Clone(k.body.Bytes()), replayed: k.replayed}
	x.shape = shapeOf(x.body)
	return x
}

// listener keeps what is read.
type listener struct {
	io.ReadCloser
	k *kept
}

func (l *listener) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	l.k.mu.Lock()
	defer l.k.mu.Unlock()
	l.k.body.Write(b[:min(n, max(0, maxKept-l.k.body.Len()))])
	return n, err
}

// exchange is one request and its answer as bytes.
type exchange struct {
	status   int
	body     []byte
	replayed string // the member in which reasoning was sent back
	shape    shape
}

// aboutReasoning reports whether an error is that reasoning was not sent back.
func (x exchange) aboutReasoning() bool {
	return x.status >= 400 && strings.Contains(strings.ToLower(string(x.body)), "reasoning")
}

// replayedIn is the member in which the last assistant message of a request has
// reasoning.
func replayedIn(request []byte) string {
	var sent struct{ Messages []map[string]json.RawMessage }
	if json.Unmarshal(request, &sent) != nil {
		return ""
	}
	name := ""
	for _, m := range sent.Messages {
		for _, field := range []string{"reasoning_content", "reasoning", "reasoning_details"} {
			if v, has := m[field]; has && string(v) != `""` {
				name = field
			}
		}
	}
	return name
}
