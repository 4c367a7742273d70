package engine

import (
	"context"
	"errors"
	"iter"
	"sync"

	"reasonix/core/event"
	"reasonix/core/session"
)

// maxPending bounds the live text a slow reader is owed of one call or reply;
// older live output is dropped, for the durable event brings the whole.
const maxPending = 256 << 10

// reader is one subscription's queue. Durable events are never dropped; deltas
// that follow each other are merged, so the queue of a slow reader stays small.
type reader struct {
	mu      sync.Mutex
	pending []event.Envelope
	ended   bool
	wake    chan struct{} // capacity 1
}

func newReader() *reader { return &reader{wake: make(chan struct{}, 1)} }

func (r *reader) push(e event.Envelope) {
	r.mu.Lock()
	if n := len(r.pending); n == 0 || !merge(&r.pending[n-1], e) {
		r.pending = append(r.pending, e)
	}
	r.mu.Unlock()
	r.signal()
}

func (r *reader) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.signal()
}

func (r *reader) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// next waits for events. It returns none when the session closed.
func (r *reader) next(ctx context.Context) ([]event.Envelope, error) {
	for {
		r.mu.Lock()
		batch, ended := r.pending, r.ended
		r.pending = nil
		r.mu.Unlock()
		if len(batch) > 0 || ended {
			return batch, nil
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// merge adds a delta to the one before it when it continues it.
func merge(last *event.Envelope, e event.Envelope) bool {
	switch d := e.Payload.(type) {
	case event.TextDelta:
		p, ok := last.Payload.(event.TextDelta)
		if !ok || p.Message != d.Message || p.Offset+len(p.Text) != d.Offset {
			return false
		}
		p.Text += d.Text
		last.Payload = p
	case event.ReasoningDelta:
		p, ok := last.Payload.(event.ReasoningDelta)
		if !ok || p.Message != d.Message || p.Offset+len(p.Text) != d.Offset {
			return false
		}
		p.Text += d.Text
		last.Payload = p
	case event.ToolOutput:
		p, ok := last.Payload.(event.ToolOutput)
		if !ok || p.Call != d.Call || p.Offset+len(p.Text) != d.Offset {
			return false
		}
		p.Text += d.Text
		if over := len(p.Text) - maxPending; over > 0 {
			p.Offset, p.Text = p.Offset+over, p.Text[over:]
		}
		last.Payload = p
	case event.CallDelta:
		p, ok := last.Payload.(event.CallDelta)
		if !ok || p.Message != d.Message || p.Index != d.Index {
			return false
		}
		last.Payload = d
	default:
		return false
	}
	return true
}

// Events replays, then follows.
func (s *sess) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	return func(yield func(event.Envelope, error) bool) {
		r := newReader()
		last, present := s.j.join(r)
		defer s.j.leave(r)
		if after < last && !s.replay(ctx, after, last, yield) {
			return
		}
		for _, e := range present {
			if !yield(e, nil) {
				return
			}
		}
		for {
			batch, err := r.next(ctx)
			if err != nil {
				yield(event.Envelope{}, err)
				return
			}
			if len(batch) == 0 {
				return
			}
			for _, e := range batch {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// replay yields the stored events in (after, last]; false when the reader left.
func (s *sess) replay(ctx context.Context, after, last event.Seq, yield func(event.Envelope, error) bool) bool {
	for e, err := range s.store.Read(ctx, s.id, after) {
		var damage *session.DamageError
		if errors.As(err, &damage) {
			continue // named by a Notice when the session was opened
		}
		if err != nil {
			yield(event.Envelope{}, err)
			return false
		}
		if e.Seq > last {
			break
		}
		if !yield(e, nil) {
			return false
		}
	}
	if err := ctx.Err(); err != nil {
		yield(event.Envelope{}, err)
		return false
	}
	return true
}
