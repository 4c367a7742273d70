package jsonrpc

import (
	"context"
	"io"
	"sync"
)

// maxAhead is how many bytes may wait for the other side before Notify does.
const maxAhead = 1 << 20

// keepBuffer is the largest buffer that is kept for later messages, in bytes: one that
// held as much as may wait, so that a slow reader does not have it made again and again.
const keepBuffer = 2 * maxAhead

// queue is what is to be written: whole lines, in the order they were put in. A
// goroutine writes them while there are any.
type queue struct {
	w    io.Writer
	lost chan struct{} // closed when a write failed

	mu      sync.Mutex
	waiting []byte
	spare   []byte // an empty buffer
	writing bool
	mute    bool          // nothing more is written
	open    bool          // nobody waits for room any more
	moved   chan struct{} // closed when waiting gets shorter, or nothing is written any more
}

func newQueue(w io.Writer) *queue {
	return &queue{w: w, lost: make(chan struct{}), moved: make(chan struct{})}
}

// put adds the line that add appends. With patient it waits while the other side is
// far behind.
func (q *queue) put(patient bool, add func([]byte) []byte) error {
	q.mu.Lock()
	for patient && !q.open && !q.mute && len(q.waiting) > maxAhead {
		moved := q.moved
		q.mu.Unlock()
		<-moved
		q.mu.Lock()
	}
	defer q.mu.Unlock()
	if q.mute {
		return ErrClosed
	}
	q.waiting = add(q.waiting)
	if !q.writing {
		q.writing = true
		go q.write()
	}
	return nil
}

// write writes until nothing waits.
func (q *queue) write() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 && !q.mute {
		lines := q.waiting
		q.waiting, q.spare = q.spare[:0], nil
		q.move()
		q.mu.Unlock()
		_, err := q.w.Write(lines)
		q.mu.Lock()
		if cap(lines) <= keepBuffer {
			q.spare = lines[:0]
		}
		if err != nil { // half a line may be out: nothing can follow it
			q.mute = true
			close(q.lost)
		}
	}
	q.writing = false
	q.move()
}

// move wakes whoever waits for room or for the end.
func (q *queue) move() {
	close(q.moved)
	q.moved = make(chan struct{})
}

// flush waits until everything is written, or nothing can be any more.
func (q *queue) flush(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.writing && !q.mute {
		moved := q.moved
		q.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			q.mu.Lock()
			return ctx.Err()
		}
		q.mu.Lock()
	}
	return nil
}

// hurry makes nobody wait for room from now on.
func (q *queue) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = true
	q.move()
}

// shut begins no further message.
func (q *queue) shut() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mute = true
	q.move()
}
