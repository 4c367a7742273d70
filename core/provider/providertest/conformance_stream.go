package providertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// The tests of how a stream lives and ends.

// attempts is how often a cancel may be too slow on a busy machine.
const attempts = 3

// prompt repeats a cancel until one was quick enough.
func (b *bench) prompt(cancelled func() time.Duration) {
	b.Helper()
	var took time.Duration
	for range attempts {
		if took = cancelled(); took <= promptly {
			return
		}
	}
	b.Errorf("a cancelled stream lived for %v, %d times over; want at most %v", took, attempts, promptly)
}

func testCancelEarly(b *bench) {
	p := b.provider()
	b.prompt(func() time.Duration {
		b.server.Add(Text("never").GateHeaders(make(chan struct{})))
		ctx, cancel := context.WithCancel(b.limit)
		defer cancel()
		ended := make(chan outcome, 1)
		go func() { ended <- b.stream(ctx, p, asking("wait")) }()
		r := b.nextRequest()
		start := time.Now()
		cancel()
		got := <-ended
		took := time.Since(start)
		return b.hungUp(r, got, took)
	})
}

func testCancelMiddle(b *bench) {
	p := b.provider()
	b.prompt(func() time.Duration {
		b.server.Add(Raw(Delta(`"content":"begun"`)).Hold())
		ctx, cancel := context.WithCancel(b.limit)
		defer cancel()
		chunks, err := p.Stream(ctx, asking("wait"))
		if err != nil {
			b.Fatal(err)
		}
		r := b.nextRequest()
		for first := range b.each(chunks) {
			if first.Text != "begun" {
				b.Errorf("first chunk: got %+v, want the text", first)
			}
			break
		}
		start := time.Now()
		cancel()
		got := b.collect(chunks)
		took := time.Since(start)
		return b.hungUp(r, got, took)
	})
}

// nextRequest waits for one request more than the last call of it saw.
func (b *bench) nextRequest() *Received {
	b.Helper()
	if err := b.server.Wait(b.limit, b.seen+1); err != nil {
		b.Fatal(err)
	}
	b.seen++
	return b.server.Requests()[b.seen-1]
}

// hungUp wants a cancelled stream to end in the context's error and the server to
// have seen the client leave. It returns took.
func (b *bench) hungUp(r *Received, got outcome, took time.Duration) time.Duration {
	b.Helper()
	if !errors.Is(got.Err, context.Canceled) {
		b.Errorf("got error %v, want context.Canceled", got.Err)
	}
	b.through(r)
	return took
}

// through waits until the server is done with r, because it was answered or
// because the client left.
func (b *bench) through(r *Received) {
	b.Helper()
	select {
	case <-r.Done():
	case <-b.limit.Done():
		b.Error("the client did not hang up")
	}
}

func testUndrained(b *bench) {
	p := b.provider()
	many := strings.Split(strings.Repeat(Delta(`"content":"more and more"`)+"|", 2000), "|")
	for _, reply := range []Reply{Raw(many...).Hold(), Text("short")} {
		ctx, cancel := context.WithCancel(b.limit)
		b.server.Add(reply)
		if _, err := p.Stream(ctx, asking("talk to the wall")); err != nil {
			b.Errorf("stream: %v", err)
		}
		cancel() // and newBench sees that nothing is left
	}
	for _, r := range b.server.Requests() {
		b.through(r)
	}
}

func testConcurrent(b *bench) {
	const streams = 8
	all := make(chan struct{})
	var once sync.Once
	b.server.Respond(func(r *Received) Reply {
		if r.Index == streams-1 {
			once.Do(func() { close(all) })
		}
		return Text("you said "+r.Last().Content).GateAt(1, all)
	})
	p := b.provider()
	var group sync.WaitGroup
	for i := range streams {
		group.Go(func() {
			said := fmt.Sprintf("number %d", i)
			got := b.stream(b.limit, p, asking(said))
			if got.Err != nil || got.Text != "you said "+said {
				b.Errorf("stream %d: got %q, %v", i, got.Text, got.Err)
			}
		})
	}
	group.Wait()
}
