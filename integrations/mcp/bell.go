package mcp

import (
	"sync"

	"reasonix/core/event"
)

// A bell passes events on in their order, from the goroutine that runs it: whoever
// rings it may hold locks and does not wait for a journal.
type bell struct {
	emit func(event.Payload) error
	done chan struct{}

	mu      sync.Mutex
	more    *sync.Cond
	waiting []event.Payload
	closed  bool
}

func newBell(emit func(event.Payload) error) *bell {
	b := &bell{emit: emit, done: make(chan struct{})}
	b.more = sync.NewCond(&b.mu)
	return b
}

func (b *bell) ring(p event.Payload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.emit != nil && !b.closed {
		b.waiting = append(b.waiting, p)
		b.more.Signal()
	}
}

func (b *bell) run() {
	defer close(b.done)
	for {
		b.mu.Lock()
		for len(b.waiting) == 0 && !b.closed {
			b.more.Wait()
		}
		events := b.waiting
		b.waiting = nil
		b.mu.Unlock()
		if len(events) == 0 {
			return
		}
		for _, p := range events {
			// A journal that takes nothing more has said so where it matters.
			_ = b.emit(p)
		}
	}
}

// close returns when everything rung was passed on.
func (b *bell) close() {
	b.mu.Lock()
	b.closed = true
	b.more.Signal()
	b.mu.Unlock()
	<-b.done
}
