package providertest_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/provider/providertest"
)

// open sends hello and returns the answer with its body unread.
func open(t *testing.T, s *providertest.Server) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, chat(s), strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err == nil {
		t.Cleanup(func() { resp.Body.Close() })
	}
	return resp, err
}

func mustOpen(t *testing.T, s *providertest.Server) *http.Response {
	t.Helper()
	resp, err := open(t, s)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestCallsAreWrittenInPieces(t *testing.T) {
	r := providertest.TextCalls("ab", providertest.Call{ID: "x", Name: "ls", Arguments: `{"é":1}`}).
		Reasoning("reasoning_content", "hm").Usage(7, 3, 2)
	want := []string{
		providertest.Delta(`"role":"assistant","content":""`),
		providertest.Delta(`"reasoning_content":"h"`),
		providertest.Delta(`"reasoning_content":"m"`),
		providertest.Delta(`"content":"a"`),
		providertest.Delta(`"content":"b"`),
		providertest.Delta(`"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"ls","arguments":""}}]`),
		providertest.Delta(`"tool_calls":[{"index":0,"function":{"arguments":"{\"é"}}]`),
		providertest.Delta(`"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]`),
		providertest.Finish("tool_calls"),
		providertest.UsageEvent(7, 3, 2),
		providertest.Done,
	}
	if diff := cmp.Diff(want, r.Chunks()); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	if !strings.Contains(want[9], `"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":3}`) {
		t.Errorf("usage: %s", want[9])
	}
}

func TestMissingCallIDsAreUnique(t *testing.T) {
	call := providertest.Call{Name: "ls", Arguments: "{}"}
	s := providertest.New(t, providertest.Calls(call, call), providertest.Calls(call))
	_, first := post(t, chat(s), hello)
	_, second := post(t, chat(s), hello)
	for id, in := range map[string]string{"call_0_0": first, "call_0_1": first, "call_1_0": second} {
		if !strings.Contains(in, `"id":"`+id+`"`) {
			t.Errorf("no id %s in %s", id, in)
		}
	}
}

func TestReplyIsAValue(t *testing.T) {
	base := providertest.Text("x").Header("A", "1")
	other := base.Header("B", "2").Usage(1, 1, 1).Finish("length")
	if got := base.Chunks(); cmp.Equal(got, other.Chunks()) || !strings.Contains(got[2], `"stop"`) {
		t.Errorf("a changed copy changed the original: %q", got)
	}
}

func TestWithoutStreamTheReplyIsOneObject(t *testing.T) {
	s := providertest.New(t, providertest.TextCalls("hi", providertest.Call{ID: "a", Name: "ls", Arguments: "{}"}))
	_, got := post(t, chat(s), strings.Replace(hello, "true", "false", 1))
	var c struct {
		Choices []struct {
			Message struct {
				Content   string
				ToolCalls []struct{ ID string } `json:"tool_calls"`
			}
			FinishReason string `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal([]byte(got), &c); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if m := c.Choices[0]; m.Message.Content != "hi" || m.Message.ToolCalls[0].ID != "a" || m.FinishReason != "tool_calls" {
		t.Errorf("got %+v", m)
	}
}

func TestGatesHoldTheBodyChunkByChunk(t *testing.T) {
	gates := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	s := providertest.New(t, providertest.Raw("one\n", "two\n").Gate(gates[0]).GateAt(1, gates[1]).GateAt(2, gates[2]))
	resp := mustOpen(t, s) // the headers are here before the first gate
	lines := bufio.NewReader(resp.Body)
	for i, want := range []string{"one\n", "two\n", ""} {
		read := make(chan string, 1)
		go func() {
			line, _ := lines.ReadString('\n')
			read <- line
		}()
		select {
		case got := <-read:
			t.Fatalf("%q came through gate %d", got, i)
		case gates[i] <- struct{}{}: // the server waits here, so nothing was sent
		}
		if got := <-read; got != want {
			t.Errorf("behind gate %d: got %q, want %q", i, got, want)
		}
	}
}

func TestHeaderGateHoldsEverything(t *testing.T) {
	gate := make(chan struct{})
	s := providertest.New(t, providertest.Text("x").GateHeaders(gate))
	opened := make(chan error, 1)
	go func() {
		resp, err := open(t, s)
		if err == nil {
			resp.Body.Close()
		}
		opened <- err
	}()
	select {
	case <-opened:
		t.Fatal("headers came before the gate")
	case gate <- struct{}{}:
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

func TestHowTheConnectionEnds(t *testing.T) {
	tests := []struct {
		name  string
		reply providertest.Reply
		body  string
		end   error // of reading; nil for a clean end
	}{
		{"cleanly", providertest.Raw("a", "b"), "ab", nil},
		{"aborted", providertest.Raw("a", "b").Abort(), "ab", io.ErrUnexpectedEOF},
		{"aborted behind the headers", providertest.Raw().GateAt(0, closed()).Abort(), "", io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := providertest.New(t, tt.reply)
			got, err := io.ReadAll(mustOpen(t, s).Body)
			if string(got) != tt.body || !errors.Is(err, tt.end) {
				t.Errorf("got %q %v, want %q %v", got, err, tt.body, tt.end)
			}
		})
	}
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestAbortWithoutChunksIsNoAnswer(t *testing.T) {
	for _, reply := range []providertest.Reply{providertest.Raw().Abort(), providertest.Raw().Reset()} {
		s := providertest.New(t, reply)
		if resp, err := open(t, s); err == nil {
			t.Errorf("got an answer: %v", resp.Status)
		}
	}
}

func TestResetIsSeenAsSuch(t *testing.T) {
	gate := make(chan struct{})
	s := providertest.New(t, providertest.Raw("a").GateAt(1, gate).Reset())
	resp := mustOpen(t, s)
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	close(gate)
	if _, err := io.ReadAll(resp.Body); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want a reset", err)
	} else if !errors.Is(err, syscall.ECONNRESET) && !strings.Contains(err.Error(), "forcibly closed") {
		t.Errorf("got %v, want a reset", err)
	}
}

// TestSSE22HoldKeepsTheSocketOpen until the client leaves, which the server sees.
func TestSSE22HoldKeepsTheSocketOpen(t *testing.T) {
	s := providertest.New(t, providertest.Raw(providertest.Done).Hold())
	resp := mustOpen(t, s)
	got := make([]byte, len(providertest.Done))
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != providertest.Done {
		t.Fatalf("got %q %v", got, err)
	}
	r := s.Requests()[0]
	select {
	case <-r.Done():
		t.Fatal("the server let go")
	default:
	}
	resp.Body.Close()
	<-r.Done()
}

func TestCloseEndsEveryHold(t *testing.T) {
	s := providertest.New(t, providertest.Raw("x").Hold(), providertest.Text("x").GateHeaders(make(chan struct{})))
	mustOpen(t, s)
	failed := make(chan error, 1)
	go func() {
		_, err := open(t, s)
		failed <- err
	}()
	if err := s.Wait(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	if err := <-failed; err == nil {
		t.Error("a held request was answered")
	}
	if err := s.Wait(t.Context(), 3); err == nil {
		t.Error("Wait outlived the server")
	}
}

// TestSSE14ChunkBytes has every byte in a flush of its own: HTTP shows each as
// one chunk of the chunked encoding.
func TestSSE14ChunkBytes(t *testing.T) {
	const text = "你好 🙂"
	s := providertest.New(t, providertest.Raw(text), providertest.Raw(text).Gzip())
	s.SetChunkBytes(1)
	if _, got := post(t, chat(s), hello); got != text {
		t.Errorf("got %q", got)
	}
	if _, got := post(t, chat(s), hello); got != text { // decoded by the client
		t.Errorf("compressed: got %q", got)
	}
}

// TestSSE29Gzip is decoded as it comes: the first chunk is whole while the second
// is still held.
func TestSSE29Gzip(t *testing.T) {
	gate := make(chan struct{})
	s := providertest.New(t,
		providertest.Raw("first\n", "second\n").GateAt(1, gate).Gzip(),
		providertest.Raw("all of it\n").GzipCut())
	resp := mustOpen(t, s)
	z, err := gzip.NewReader(resp.Body)
	if err != nil || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal(err, resp.Header)
	}
	first := make([]byte, len("first\n"))
	if _, err := io.ReadFull(z, first); err != nil || string(first) != "first\n" {
		t.Fatalf("got %q %v", first, err)
	}
	close(gate)
	if rest, err := io.ReadAll(z); err != nil || string(rest) != "second\n" {
		t.Errorf("got %q %v", rest, err)
	}
	z, err = gzip.NewReader(mustOpen(t, s).Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); string(got) != "all of it\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut trailer: got %q %v", got, err)
	}
}

func TestStatusGuessesItsType(t *testing.T) {
	s := providertest.New(t,
		providertest.Status(502, "<html>bad gateway</html>"),
		providertest.Status(429, `{"error":{}}`, "Retry-After", "2"),
		providertest.Status(200, "hi", "Content-Type", "x/y"))
	var got [][2]string
	for range 3 {
		h := mustOpen(t, s).Header
		got = append(got, [2]string{h.Get("Content-Type"), h.Get("Retry-After")})
	}
	want := [][2]string{{"text/html; charset=utf-8", ""}, {"application/json", "2"}, {"x/y", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestWaitGivesUpWithItsContext(t *testing.T) {
	s := providertest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
