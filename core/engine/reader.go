package engine

import (
	"context"
	"errors"
	"iter"
	"sync"
	"unicode/utf8"

	"reasonix/core/event"
	"reasonix/core/session"
)

// maxPending bounds the live output of one call that a slow reader is owed;
// older output is dropped, for the durable event brings the whole.
const maxPending = 256 << 10

// reader is one subscription's queue. Durable events are never dropped; deltas
// that follow each other are merged, so the queue of a slow reader stays short
// and adding to it stays cheap.
type reader struct {
	mu      sync.Mutex
	pending []entry
	ended   bool
	wake    chan struct{} // capacity 1
}

// entry is one event; a delta's text grows in text until it is taken.
type entry struct {
	event.Envelope
	text   []byte
	offset int
}

func newReader() *reader { return &reader{wake: make(chan struct{}, 1)} }

func (r *reader) push(e event.Envelope) {
	r.mu.Lock()
	if n := len(r.pending); n == 0 || !r.pending[n-1].merge(e) {
		r.pending = append(r.pending, entry{Envelope: e})
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
func (r *reader) next(ctx context.Context) ([]entry, error) {
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

// delta is a payload that brings more of the same text.
type delta struct {
	source any // what the text belongs to, comparable
	offset int
	text   string
	// with makes the payload anew.
	with func(offset int, text string) event.Payload
	most int // bytes kept; 0: all
}

func deltaOf(p event.Payload) (delta, bool) {
	switch p := p.(type) {
	case event.TextDelta:
		return delta{source: textOf(p.Message), offset: p.Offset, text: p.Text, with: func(offset int, text string) event.Payload {
			return event.TextDelta{Message: p.Message, Offset: offset, Text: text}
		}}, true
	case event.ReasoningDelta:
		return delta{source: reasoningOf(p.Message), offset: p.Offset, text: p.Text, with: func(offset int, text string) event.Payload {
			return event.ReasoningDelta{Message: p.Message, Offset: offset, Text: text}
		}}, true
	case event.ToolOutput:
		return delta{source: outputOf(p.Call), offset: p.Offset, text: p.Text, most: maxPending, with: func(offset int, text string) event.Payload {
			return event.ToolOutput{Call: p.Call, Offset: offset, Text: text}
		}}, true
	default: // whole by itself
		return delta{}, false
	}
}

// What a delta's text belongs to; distinct types are distinct sources.
type (
	textOf      string
	reasoningOf string
	outputOf    string
)

// merge adds e when it goes on where the entry ends.
func (n *entry) merge(e event.Envelope) bool {
	if d, ok := e.Payload.(event.CallDelta); ok {
		p, same := n.Payload.(event.CallDelta)
		if same = same && p.Message == d.Message && p.Index == d.Index; same {
			n.Payload = d
		}
		return same
	}
	if d, ok := e.Payload.(event.ToolProgress); ok {
		p, same := n.Payload.(event.ToolProgress)
		if same = same && p.Call == d.Call; same {
			n.Payload = d
		}
		return same
	}
	more, ok := deltaOf(e.Payload)
	if !ok {
		return false
	}
	have, ok := deltaOf(n.Payload)
	if !ok || have.source != more.source {
		return false
	}
	if n.text == nil {
		n.text, n.offset = []byte(have.text), have.offset
	}
	if n.offset+len(n.text) != more.offset {
		return false
	}
	n.text = append(n.text, more.text...)
	if over := len(n.text) - 2*more.most; more.most > 0 && over > 0 {
		keep := len(n.text) - more.most
		for keep < len(n.text) && !utf8.RuneStart(n.text[keep]) {
			keep++
		}
		n.offset += keep
		n.text = append(n.text[:0], n.text[keep:]...)
	}
	return true
}

// whole is the entry as it is told.
func (n *entry) whole() event.Envelope {
	if n.text != nil {
		d, _ := deltaOf(n.Payload)
		n.Payload, n.text = d.with(n.offset, string(n.text)), nil
	}
	return n.Envelope
}

// Events replays, then follows.
func (s *sess) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	return s.from.j.events(ctx, after)
}

func (j *journal) events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	return func(yield func(event.Envelope, error) bool) {
		r := newReader()
		in := j.join(r)
		defer j.leave(r)
		if after < in.last && !j.replay(ctx, after, in, yield) {
			return
		}
		for _, e := range in.present {
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
			for i := range batch {
				if !yield(batch[i].whole(), nil) {
					return
				}
			}
		}
	}
}

// replay yields the durable events in (after, last]; false when the reader left.
func (j *journal) replay(ctx context.Context, after event.Seq, in joined, yield func(event.Envelope, error) bool) bool {
	if len(in.held) > 0 {
		for _, e := range in.held {
			if e.Seq > after && !yield(e, nil) {
				return false
			}
		}
		return true
	}
	for e, err := range j.store.Read(ctx, j.id, after) {
		var damage *session.DamageError
		if errors.As(err, &damage) {
			continue // named by a Notice when the session was opened
		}
		if err != nil {
			yield(event.Envelope{}, err)
			return false
		}
		if e.Seq > in.last {
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
