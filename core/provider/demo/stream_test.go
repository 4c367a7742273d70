package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/message"
	"reasonix/core/provider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func hello() provider.Request {
	return provider.Request{Messages: []message.Message{{Role: message.User, Content: prompt}}, Tools: tools}
}

// chunksOf reads a whole stream.
func chunksOf(t *testing.T, ctx context.Context, req provider.Request) []provider.Chunk {
	t.Helper()
	stream, err := open(t).Stream(ctx, req)
	noErr(t, err)
	var all []provider.Chunk
	for c := range stream {
		all = append(all, c)
	}
	return all
}

func TestAReplyIsTextInPiecesThenOneWholeCall(t *testing.T) {
	all := chunksOf(t, t.Context(), hello())
	n := len(all)
	if n < 5 {
		t.Fatalf("%d chunks", n)
	}
	for _, c := range all[:n-2] {
		if c.Type != provider.ChunkText || c.Text == "" {
			t.Errorf("got %+v, want text", c)
		}
	}
	want := []provider.Chunk{
		{Type: provider.ChunkCall, Call: &message.ToolCall{ID: "demo_1", Name: "ls", Arguments: `{"path":"."}`}},
		{Type: provider.ChunkDone, Finish: provider.FinishStop, Usage: &message.Usage{}},
	}
	if d := cmp.Diff(want, all[n-2:]); d != "" {
		t.Errorf("the end (-want +got):\n%s", d)
	}
}

func TestEqualConversationsGetEqualReplies(t *testing.T) {
	w := newWorld(t)
	w.turn(prompt)
	for n := range w.said {
		req := provider.Request{Messages: w.said[:n], Tools: tools}
		if d := cmp.Diff(chunksOf(t, t.Context(), req), chunksOf(t, t.Context(), req)); d != "" {
			t.Errorf("after %d messages (-first +second):\n%s", n, d)
		}
	}
}

func TestCallIDsAreUniqueAndArgumentsValid(t *testing.T) {
	w := newWorld(t)
	w.turn(prompt)
	seen := map[string]bool{}
	for _, m := range w.said {
		for _, c := range m.ToolCalls {
			if _, ok := provider.ValidArguments(c.Arguments); seen[c.ID] || c.ID == "" || !ok {
				t.Errorf("call %+v", c)
			}
			seen[c.ID] = true
		}
	}
}

func TestACancelledStreamEndsPromptlyInTheCause(t *testing.T) {
	cause := errors.New("enough")
	for _, after := range []int{0, 1, 3} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stream, err := open(t).Stream(ctx, hello())
		noErr(t, err)
		for range after {
			<-stream
		}
		cancel(cause)
		start := time.Now()
		var last provider.Chunk
		for last = range stream {
		}
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("it lived for %v", took)
		}
		if last.Type != provider.ChunkError || !errors.Is(last.Err, cause) {
			t.Errorf("cancelled after %d chunks it ended in %+v", after, last)
		}
	}
}

// TestNobodyHasToDrainACancelledStream leaves goroutines for TestMain to find.
func TestNobodyHasToDrainACancelledStream(t *testing.T) {
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := open(t).Stream(ctx, hello())
		noErr(t, err)
		cancel()
	}
}

func TestStreamsRunSideBySide(t *testing.T) {
	p := open(t)
	want := chunksOf(t, t.Context(), hello())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			stream, err := p.Stream(t.Context(), hello())
			if err != nil {
				t.Error(err)
				return
			}
			var got []provider.Chunk
			for c := range stream {
				got = append(got, c)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	group.Wait()
}

func TestEncodingAppendsOneLinePerMessage(t *testing.T) {
	w := newWorld(t)
	w.turn(prompt + " <&> \n 你好")
	p := open(t)
	whole, err := p.Encode(nil, w.said)
	noErr(t, err)
	wire := provider.NewWire(p)
	for _, m := range w.said {
		before := slices.Clone(wire.Bytes())
		noErr(t, wire.Append(m))
		if !bytes.HasPrefix(wire.Bytes(), before) {
			t.Fatal("a request does not extend the one before it")
		}
	}
	if !bytes.Equal(wire.Bytes(), whole) {
		t.Error("batches change the encoding")
	}
	var got []message.Message
	for line := range strings.Lines(string(whole)) {
		var m message.Message
		noErr(t, json.Unmarshal([]byte(line), &m))
		got = append(got, m)
	}
	if d := cmp.Diff(w.said, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
