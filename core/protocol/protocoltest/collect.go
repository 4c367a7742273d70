package protocoltest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// Collector keeps everything one reader of a session is told. It is safe for
// concurrent use.
type Collector struct {
	mu     sync.Mutex
	events []event.Envelope
	err    error
	done   chan struct{}
}

// Collect reads s.Events behind after on a goroutine of its own, until the session
// closes or ctx ends.
func Collect(ctx context.Context, s protocol.Session, after event.Seq) *Collector {
	return collect(ctx, s, after, func(event.Envelope) {})
}

func collect(ctx context.Context, s protocol.Session, after event.Seq, each func(event.Envelope)) *Collector {
	c := &Collector{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		for e, err := range s.Events(ctx, after) {
			c.add(e, err)
			if err == nil {
				each(e)
			}
		}
	}()
	return c
}

func (c *Collector) add(e event.Envelope, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.err = err
		return
	}
	c.events = append(c.events, e)
}

// Events is what was told so far.
func (c *Collector) Events() []event.Envelope {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.events)
}

// Durable is what was told so far and is in the journal.
func (c *Collector) Durable() []event.Envelope {
	return slices.DeleteFunc(c.Events(), func(e event.Envelope) bool { return e.Seq == 0 })
}

// End waits for the end of the events and returns the error they ended with, nil
// when the session was closed.
func (c *Collector) End(t testing.TB) error {
	t.Helper()
	Until(t, "the events end", func() bool {
		select {
		case <-c.done:
			return true
		default:
			return false
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Wait returns the first payload of type T that match accepts, waiting for it when
// it was not told yet; nil accepts any.
func Wait[T event.Payload](t testing.TB, c *Collector, match func(T) bool) T {
	t.Helper()
	var found T
	Until(t, "the session tells "+event.KindOf(found).Type, func() bool {
		for _, e := range c.Events() {
			if p, ok := e.Payload.(T); ok && (match == nil || match(p)) {
				found = p
				return true
			}
		}
		return false
	})
	return found
}

// Payloads picks the payloads of type T out of events.
func Payloads[T event.Payload](events []event.Envelope) []T {
	var all []T
	for _, e := range events {
		if p, ok := e.Payload.(T); ok {
			all = append(all, p)
		}
	}
	return all
}
