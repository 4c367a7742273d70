package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// keepBuffer is how many bytes of encoding buffer a log keeps between appends.
const keepBuffer = 1 << 20

// log is a session open for writing. It implements session.Log.
type log struct {
	id    event.SessionID
	lock  *durable.Lock
	lines *durable.Lines
	torn  *session.Damage

	mu     sync.Mutex
	last   event.Seq
	buf    []byte
	closed bool
}

func (l *log) Append(batch ...event.Envelope) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return named("append to", l.id, fs.ErrClosed)
	}
	last := l.last
	buf := l.buf[:0]
	for _, e := range batch {
		if last++; e.Seq != last {
			return named("append to", l.id, fmt.Errorf("sequence number %d where %d comes next", e.Seq, last))
		}
		start := len(buf)
		var err error
		if buf, err = event.Append(buf, e); err != nil {
			return named("append to", l.id, err)
		}
		buf = seal(buf, start)
		if size := len(buf) - start; size > maxLine {
			return named("append to", l.id, fmt.Errorf("a record of %d bytes is over the limit of %d", size, maxLine))
		}
	}
	if cap(buf) <= keepBuffer {
		l.buf = buf
	}
	if err := l.lines.Append(buf); err != nil {
		return named("append to", l.id, err)
	}
	l.last = last
	return nil
}

func (l *log) Sync() error {
	if err := l.lines.Sync(); err != nil {
		return named("sync", l.id, err)
	}
	return nil
}

func (l *log) Last() event.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

func (l *log) Torn() *session.Damage { return l.torn }

func (l *log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if err := errors.Join(l.lines.Close(), l.lock.Release()); err != nil {
		return named("close", l.id, err)
	}
	return nil
}
