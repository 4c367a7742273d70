package providertest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// Opener makes the provider under test from a configuration whose endpoint,
// model, key and HTTP client the suite has set. It fails t when it cannot.
type Opener func(t *testing.T, cfg provider.Config) provider.Provider

// patience is how long the suite waits for what must happen at once.
const patience = 10 * time.Second

// promptly is the contract's bound on how long a cancelled stream lives.
const promptly = 100 * time.Millisecond

// Run is what every provider that speaks the OpenAI wire format must do,
// whatever the shape of the stream: the contract of provider.Provider, met
// against a strict server. Its tests look for leaked goroutines, so nothing else
// may run in parallel with them.
func Run(t *testing.T, open func(t *testing.T, cfg provider.Config) provider.Provider) {
	tests := []struct {
		name string
		test func(*bench)
	}{
		{"text arrives whole, then one Done with usage", testText},
		{"calls arrive whole and in order", testCalls},
		{"reasoning is kept apart from the text", testReasoning},
		{"an output limit is said", testLength},
		{"a cut stream is an error and runs no call", testCut},
		{"an unreadable answer is a failure with its kind", testFailures},
		{"a closed port is a connection failure", testConnection},
		{"the key is sent and never told", testKey},
		{"cancel before the answer ends it promptly", testCancelEarly},
		{"cancel in the middle ends it promptly and hangs up", testCancelMiddle},
		{"nobody has to drain a cancelled stream", testUndrained},
		{"streams run side by side", testConcurrent},
		{"encoding appends and repeats itself", testEncode},
		{"requests extend each other and stay acceptable", testConversation},
		{"a request without a wire is encoded from its messages", testNoWire},
		{"models are listed", testModels},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(newBench(t, open)) })
	}
}

// bench is one test's server and provider.
type bench struct {
	*testing.T
	server *Server
	open   Opener
	client *http.Client
	limit  context.Context // done when patience is over
	seen   int             // requests that nextRequest has returned
}

// newBench starts a server and sees to it that the test leaves nothing running.
func newBench(t *testing.T, open Opener) *bench {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if err := goleak.Find(before); err != nil {
			t.Errorf("leaked: %v", err)
		}
	})
	limit, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	b := &bench{T: t, open: open, client: &http.Client{Transport: &http.Transport{}}, limit: limit}
	t.Cleanup(b.client.CloseIdleConnections)
	b.server = New(t)
	return b
}

// provider opens the provider under test at the bench's server.
func (b *bench) provider() provider.Provider {
	b.Helper()
	return b.open(b.T, b.config())
}

func (b *bench) config() provider.Config {
	return provider.Config{
		Name:    "scripted",
		BaseURL: b.server.BaseURL(),
		Model:   "scripted",
		HTTP:    b.client,
		Blob: func(hash string) ([]byte, error) {
			return nil, fmt.Errorf("no blob %s", hash)
		},
	}
}

// ask plays reply and returns what the provider made of it.
func (b *bench) ask(reply Reply) outcome {
	b.Helper()
	b.server.Add(reply)
	return b.stream(b.limit, b.provider(), asking("go on"))
}

func asking(text string) provider.Request {
	return provider.Request{Messages: []message.Message{{Role: message.User, Content: text}}}
}

// outcome is a whole stream, put together.
type outcome struct {
	Text      string
	Reasoning string
	Calls     []message.ToolCall
	Finish    provider.Finish
	Usage     message.Usage
	Err       error
	Took      time.Duration // from the start of the request to the closed channel
}

// stream sends req and reads the reply to its end.
func (b *bench) stream(ctx context.Context, p provider.Provider, req provider.Request) outcome {
	b.Helper()
	start := time.Now()
	chunks, err := p.Stream(ctx, req)
	if err != nil {
		return outcome{Err: err, Took: time.Since(start)}
	}
	got := b.collect(chunks)
	got.Took = time.Since(start)
	return got
}

// collect reads chunks until the channel is closed. It fails the test unless the
// last one, and only that, is a Done or an Error.
func (b *bench) collect(chunks <-chan provider.Chunk) outcome {
	b.Helper()
	var got outcome
	ends := 0
	for c := range b.each(chunks) {
		if ends > 0 {
			b.Errorf("chunk of type %d behind the end of the stream", c.Type)
		}
		if c.Type == provider.ChunkDone || c.Type == provider.ChunkError {
			ends++
		}
		got.add(b, c)
	}
	if ends != 1 {
		b.Errorf("the stream had %d Done or Error chunks, want 1", ends)
	}
	return got
}

// each yields chunks until the channel is closed, and fails the test when it is
// not.
func (b *bench) each(chunks <-chan provider.Chunk) iter.Seq[provider.Chunk] {
	return func(yield func(provider.Chunk) bool) {
		for {
			select {
			case c, open := <-chunks:
				if !open || !yield(c) {
					return
				}
			case <-b.limit.Done():
				b.Error("the channel was not closed")
				return
			}
		}
	}
}

// add puts one chunk where it belongs.
func (o *outcome) add(b *bench, c provider.Chunk) {
	b.Helper()
	switch c.Type {
	case provider.ChunkText:
		o.Text += c.Text
	case provider.ChunkReasoning:
		o.Reasoning += c.Text
	case provider.ChunkCall:
		if c.Call == nil {
			b.Error("a call chunk without a call")
			return
		}
		o.Calls = append(o.Calls, *c.Call)
	case provider.ChunkDone:
		o.Finish = c.Finish
	case provider.ChunkError:
		o.Err = c.Err
		if c.Err == nil {
			b.Error("an error chunk without an error")
		}
	case provider.ChunkProgress, provider.ChunkNotice:
	}
	if c.Usage != nil {
		o.Usage = *c.Usage
	}
}

// want compares whole outcomes, time aside.
func (b *bench) want(got, want outcome) {
	b.Helper()
	got.Took = 0
	sameError := cmp.Comparer(func(x, y error) bool { return errors.Is(x, y) || errors.Is(y, x) })
	if diff := cmp.Diff(want, got, sameError); diff != "" {
		b.Errorf("outcome differs (-want +got):\n%s", diff)
	}
}

// failure unwraps the *provider.Failure an outcome must end in.
func (b *bench) failure(got outcome) *provider.Failure {
	b.Helper()
	var f *provider.Failure
	if !errors.As(got.Err, &f) {
		b.Fatalf("got error %v (%T), want a *provider.Failure", got.Err, got.Err)
	}
	if strings.Contains(f.Error(), "\n") {
		b.Errorf("the failure is more than one line: %q", f.Error())
	}
	return f
}
