package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// FuzzStream wants a stream to be read the same however its bytes arrive, and
// whatever they are: text to be UTF-8, ids to be unique, calls to come from
// complete streams only. It runs on one goroutine, because the fuzzer takes
// anything else for a different path every time.
func FuzzStream(f *testing.F) {
	event := func(delta, finish string) string {
		return `data: {"choices":[{"index":0,"delta":{` + delta + `},"finish_reason":` + finish + "}]}\n\n"
	}
	stop, done := event("", `"stop"`), "data: [DONE]\n\n"
	for _, body := range []string{
		event(`"content":"你好 🙂"`, "null") + stop + done,
		": ping\r\n\r\ndata: ping\r\n\r\n" + event(`"content":[{"type":"text","text":"a"}],"refusal":"b"`, "null") + stop,
		event(`"content":"<thi"`, "null") + event(`"content":"nk>a</think>b","reasoning":"c","reasoning_content":"c"`, "null") + stop + done,
		event(`"tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":{}}}]`, "null") +
			event(`"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{\"a\":\"\\ud83d"}}]`, "null") + stop + done,
		event(`"reasoning_details":[{"type":"reasoning.text","index":0,"text":"a"}]`, `"length"`) + "data: {\"usage\":{\"prompt_tokens\":1}}\n\n",
		"\xef\xbb\xbf" + `{"choices":[{"message":{"content":"\ud83d"},"finish_reason":"stop"}]}`,
		"event: error\rdata: {\"error\":{\"message\":\"x\",\"code\":529}}\r\r",
		"<html>",
	} {
		f.Add([]byte(body), []byte{3, 1, 200})
	}
	f.Fuzz(func(t *testing.T, body, sizes []byte) {
		whole := readPieces(t, &pieceReader{rest: body}, len(body))
		cut := readPieces(t, &pieceReader{rest: body, sizes: sizes}, len(body))
		if diff := cmp.Diff(cut, whole); diff != "" {
			t.Errorf("in pieces - whole +\n%s", diff)
		}
	})
}

// told is a reply put together.
type told struct {
	Text, Thoughts string
	Calls          []message.ToolCall
	Kept           *message.Reasoning
	Finish         provider.Finish
	Usage          *message.Usage
	Failure        string
}

// readPieces reads a body of size bytes. No body has more chunks than bytes.
func readPieces(t *testing.T, body io.Reader, size int) told {
	t.Helper()
	p := &Provider{name: "s"}
	u := &url.URL{Scheme: "http", Host: "host"}
	x := &exchange{
		limits: limits{connect: -1, firstByte: -1, idle: -1},
		parts:  &parts{},
		resp:   &http.Response{Body: io.NopCloser(body), Request: &http.Request{URL: u}, Header: http.Header{"Content-Type": {"text/event-stream"}}},
	}
	x.ctx, x.cancel = context.WithCancelCause(context.Background())
	x.watch = newWatch(x.cancel)
	defer x.close()
	s := &sender{ctx: context.Background(), out: make(chan provider.Chunk, size+8)}
	last, f := p.read(x, newReply(1), s)
	s.all(last...)
	close(s.out)
	var got told
	if f != nil {
		got.Failure = f.kind + ": " + f.text
	}
	for c := range s.out {
		got.add(c)
	}
	got.check(t)
	return got
}

func (o *told) add(c provider.Chunk) {
	switch c.Type {
	case provider.ChunkText:
		o.Text += c.Text
	case provider.ChunkReasoning:
		o.Thoughts += c.Text
		if c.Reasoning != nil {
			o.Kept = c.Reasoning
		}
	case provider.ChunkCall:
		o.Calls = append(o.Calls, *c.Call)
	case provider.ChunkDone:
		o.Finish, o.Usage = c.Finish, c.Usage
	case provider.ChunkProgress, provider.ChunkNotice, provider.ChunkError:
	}
}

func (o *told) check(t *testing.T) {
	t.Helper()
	ids := map[string]bool{"": true}
	for _, c := range o.Calls {
		if ids[c.ID] || !utf8.ValidString(c.ID+c.Name+c.Arguments) {
			t.Errorf("bad call %+v", c)
		}
		ids[c.ID] = true
	}
	if !utf8.ValidString(o.Text + o.Thoughts) {
		t.Errorf("bad text %q, %q", o.Text, o.Thoughts)
	}
	if o.Kept != nil && (!utf8.ValidString(o.Kept.Text) || o.Kept.Opaque != nil && !json.Valid(o.Kept.Opaque)) {
		t.Errorf("bad reasoning %+v", o.Kept)
	}
	if (o.Failure == "") != (o.Finish != "") || o.Failure != "" && len(o.Calls) > 0 {
		t.Errorf("neither failed nor finished: %+v", o)
	}
}

// pieceReader delivers sizes in turn, plus one; everything at once without any.
type pieceReader struct {
	rest, sizes []byte
	reads       int
}

func (r *pieceReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := len(r.rest)
	if len(r.sizes) > 0 {
		n = min(n, int(r.sizes[r.reads%len(r.sizes)])+1)
	}
	r.reads++
	n = copy(b, r.rest[:n])
	r.rest = r.rest[n:]
	return n, nil
}
