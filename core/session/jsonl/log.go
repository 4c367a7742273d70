package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// keepBuffer is how many bytes of encoding buffer a log keeps between appends.
const keepBuffer = 1 << 20

// log is a session open for writing. It implements session.Log.
type log struct {
	id    event.SessionID
	store *Store
	lock  *durable.Lock
	lines *durable.Lines
	torn  *session.Damage

	mu     sync.Mutex
	last   event.Seq
	index  *index
	stale  bool // the stored index lacks something of the journal
	summed summed
	buf    []byte
	ends   []int // of the records in buf
	closed bool

	deferred *event.Configured // what the sidecar says of the next turn
}

func (l *log) Append(batch ...event.Envelope) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return named("append to", l.id, fs.ErrClosed)
	}
	last := l.last
	buf := l.buf[:0]
	l.ends = l.ends[:0]
	for _, e := range batch {
		if last++; e.Seq != last {
			return named("append to", l.id, fmt.Errorf("sequence number %d where %d comes next", e.Seq, last))
		}
		start := len(buf)
		var err error
		if buf, err = event.Append(buf, e); err != nil {
			return named("append to", l.id, err)
		}
		buf = sealed.Line(buf, start)
		if size := len(buf) - start; size > maxLine {
			return named("append to", l.id, fmt.Errorf("a record of %d bytes is over the limit of %d", size, maxLine))
		}
		l.ends = append(l.ends, len(buf))
	}
	if cap(buf) <= keepBuffer {
		l.buf = buf
	}
	if err := l.lines.Append(buf); err != nil {
		return named("append to", l.id, err)
	}
	l.last = last
	l.account(batch, buf)
	return nil
}

// account brings the index up to what was written, and stores it when a turn ended.
func (l *log) account(batch []event.Envelope, buf []byte) {
	start, ended := 0, false
	for i, e := range batch {
		l.index.added(e, buf[start:l.ends[i]])
		start = l.ends[i]
		if _, ok := e.Payload.(event.TurnEnded); ok {
			ended = true
		}
	}
	l.stale = l.stale || len(batch) > 0
	if described(batch) {
		l.describe()
	}
	if ended {
		l.store.keep(l.index)
		l.stale = false
	}
	l.lock.Beat(l.store.now())
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
	err := l.lines.Close()
	if l.stale && err == nil {
		l.store.keep(l.index)
	}
	if err := errors.Join(err, l.lock.Release()); err != nil {
		return named("close", l.id, err)
	}
	return nil
}
