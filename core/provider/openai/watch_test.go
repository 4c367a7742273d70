package openai_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reasonix/core/provider"
	"reasonix/core/provider/openai"
	pt "reasonix/core/provider/providertest"
)

// script is a transport without sockets: it waits, then sends pieces with a
// pause before each. It lives in a bubble, where time passes by itself.
type script struct {
	header time.Duration
	pieces []piece
	err    error
}

type piece struct {
	after time.Duration
	text  string
}

func (s script) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	if err := pause(req.Context(), s.header); err != nil {
		return nil, err
	}
	if s.err != nil {
		return nil, s.err
	}
	return &http.Response{
		StatusCode: 200,
		Header:     http.Header{"Content-Type": {"text/event-stream"}},
		Body:       &scriptBody{ctx: req.Context(), pieces: s.pieces},
		Request:    req,
	}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type scriptBody struct {
	ctx    context.Context
	pieces []piece
}

func (b *scriptBody) Read(p []byte) (int, error) {
	if len(b.pieces) == 0 {
		return 0, io.EOF
	}
	if err := pause(b.ctx, b.pieces[0].after); err != nil {
		return 0, err
	}
	n := copy(p, b.pieces[0].text)
	b.pieces = b.pieces[1:]
	return n, nil
}

func (b *scriptBody) Close() error { return nil }

// never is longer than any limit.
const never = 1000 * time.Hour

func TestSSE28Silence(t *testing.T) {
	text, end := pt.Delta(`"content":"partial"`), pt.Finish("stop")+pt.Done
	long := func(o *provider.Options) { o.FirstByte, o.Idle = 10*time.Minute, 5*time.Minute }
	for _, c := range []struct {
		name   string
		script script
		change func(*provider.Options)
		phase  string
		took   time.Duration
		says   string
	}{
		{"headers never come", script{header: never}, nil, "connect", 30 * time.Second, "no connection within 30s"},
		{"nothing behind the headers", script{pieces: []piece{{never, ""}}}, nil, "first_byte", 2 * time.Minute, "no answer within 2m0s"},
		{"nothing behind the first delta", script{pieces: []piece{{0, text}, {never, ""}}}, nil, "stream", 2 * time.Minute, "silent for 2m0s"},
		{"limits from the configuration", script{pieces: []piece{{9 * time.Minute, text}, {never, ""}}}, long, "stream", 14 * time.Minute, "silent for 5m0s"},
		{"no limit", script{pieces: []piece{{time.Hour, text}, {never, ""}}}, func(o *provider.Options) { o.FirstByte, o.Idle = -1, time.Minute }, "stream", 61 * time.Minute, "silent for 1m0s"},
		{"only comments, then the answer", script{pieces: []piece{
			{time.Minute, ": PROCESSING\n\n"}, {time.Minute, ":\n\n"}, {time.Minute, ": x"}, {time.Minute, "\n\n"}, {time.Minute, text}, {0, end},
		}}, nil, "", 5 * time.Minute, ""},
		{"finished, then nothing", script{pieces: []piece{{0, text + pt.Finish("stop")}, {never, ""}}}, nil, "", 5 * time.Second, ""},
		{"marked, then nothing", script{pieces: []piece{{0, text + end}, {never, ""}}}, nil, "", 25 * time.Millisecond, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := provider.Config{Name: "scripted", BaseURL: "http://host/v1", Model: "m", HTTP: &http.Client{Transport: c.script}}
				if c.change != nil {
					c.change(&cfg.Options)
				}
				p, err := openai.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				chunks, err := p.Stream(context.Background(), provider.Request{Messages: hello})
				if err != nil {
					t.Fatal(err)
				}
				got := collect(t, chunks)
				if took := time.Since(start); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				if c.phase == "" {
					same(t, got, answer{Text: "partial", Finish: provider.FinishStop})
					return
				}
				f := failed(t, got)
				if f.Kind != provider.KindStalled || f.Phase != c.phase || !strings.Contains(f.Text, c.says) {
					t.Errorf("got %+v", f)
				}
				if c.phase == "stream" && got.Text != "partial" {
					t.Errorf("got text %q", got.Text)
				}
			})
		})
	}
}

func TestSSE28SilenceOverASocket(t *testing.T) {
	quick := options(func(o *provider.Options) {
		o.Connect, o.FirstByte, o.Idle = time.Minute, 30*time.Millisecond, 30*time.Millisecond
	})
	s := pt.New(t)
	got := ask(t, s, chunksOf(two).Hold(), quick)
	if f := failed(t, got); f.Kind != provider.KindStalled || f.Phase != provider.PhaseStream || got.Text != "partial text" {
		t.Errorf("got %+v, %q", f, got.Text)
	}
	got = ask(t, s, pt.Text("never").GateHeaders(make(chan struct{})), quick)
	if f := failed(t, got); f.Kind != provider.KindStalled || f.Phase != provider.PhaseFirstByte {
		t.Errorf("got %+v", f)
	}
}

func TestCancelledStreamSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := openai.New(provider.Config{Name: "s", BaseURL: "http://host/v1", Model: "m", HTTP: &http.Client{Transport: script{header: never}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		chunks, err := p.Stream(ctx, provider.Request{Messages: hello})
		if err != nil {
			t.Fatal(err)
		}
		cancel(io.ErrClosedPipe)
		got := collect(t, chunks)
		if got.Err == nil || got.Err.Error() != "context canceled: io: read/write on closed pipe" {
			t.Errorf("got %v", got.Err)
		}
	})
}

// scripted is a provider without sockets.
func scripted(t testing.TB, s http.RoundTripper) *openai.Provider {
	t.Helper()
	p, err := openai.New(provider.Config{Name: "s", BaseURL: "http://host/v1", Model: "m", HTTP: &http.Client{Transport: s}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
