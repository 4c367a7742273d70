package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// followEvery is how often a view looks for what was written since.
const followEvery = 150 * time.Millisecond

// watch is a read-only view of a session: it takes no lock, writes nothing and tells
// what is in the journal, as it grows.
type watch struct {
	j      *journal
	stop   context.CancelFunc
	done   chan struct{}
	damage damage
}

func openView(ctx context.Context, p Parts, store session.Store, name event.SessionID) (protocol.Session, error) {
	id, err := session.Find(ctx, store, string(name))
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", name, known(err))
	}
	w := &watch{j: newJournal(p, store), done: make(chan struct{})}
	w.j.id = id
	if err := w.read(ctx); err != nil {
		return nil, fmt.Errorf("open session %s: %w", id, known(err))
	}
	if w.damage.count > 0 {
		w.j.notices = append(w.j.notices, w.damage.notice(id))
	}
	follow, stop := context.WithCancel(context.Background())
	w.stop = stop
	go w.follow(follow)
	return w, nil
}

// read takes in what came behind the newest record known.
func (w *watch) read(ctx context.Context) error {
	for env, err := range w.j.store.Read(ctx, w.j.id, w.j.last()) {
		var lost *session.DamageError
		if errors.As(err, &lost) {
			w.damage.add(lost.Damage)
			continue
		}
		if err != nil {
			return err
		}
		w.j.observe(env)
	}
	return nil
}

// follow reads on until the view is closed or the session cannot be read any more,
// because it was deleted say.
func (w *watch) follow(ctx context.Context) {
	defer close(w.done)
	defer w.j.close()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		w.damage = damage{} // of a line that is being written
		if err := w.read(ctx); err != nil {
			return
		}
	}
}

// ID names the session.
func (w *watch) ID() event.SessionID { return w.j.id }

// Submit refuses.
func (w *watch) Submit(context.Context, protocol.Op) error {
	select {
	case <-w.done:
		return protocol.ErrClosed
	default:
		return protocol.ErrReadOnly
	}
}

// Events implements protocol.Session.
func (w *watch) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	return w.j.events(ctx, after)
}

// Close ends every reader and leaves the session as it is.
func (w *watch) Close() error {
	w.stop()
	<-w.done
	return nil
}

// last is the number of the newest record.
func (j *journal) last() event.Seq {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

// observe tells a record that another process wrote.
func (j *journal) observe(env event.Envelope) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq, j.turn = env.Seq, max(j.turn, env.Turn)
	j.folded.now.apply(env)
	switch p := env.Payload.(type) {
	case event.Configured:
		j.folded.configured = p
	case event.PrefixSet:
		j.tools = nil
		for _, t := range p.Tools {
			j.tools = append(j.tools, t.Name)
		}
	default: // nothing that a late reader needs
	}
	j.tellLocked(event.KindOf(env.Payload), env)
}
