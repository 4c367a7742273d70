package jsonl

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// Info implements session.Store. What the index does not know yet is read, and kept
// when it was much.
func (s *Store) Info(_ context.Context, id event.SessionID) (session.Info, error) {
	in, err := s.info(id)
	if err != nil {
		return session.Info{}, named("look at", id, err)
	}
	return in, nil
}

func (s *Store) info(id event.SessionID) (session.Info, error) {
	f, err := s.openKnown(id)
	if err != nil {
		return session.Info{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return session.Info{}, err
	}
	x, sc, err := s.current(id, f)
	if err != nil {
		return session.Info{}, err
	}
	if sc.heavy {
		s.keep(x)
	}
	in := x.info(sc.now)
	if sc.torn != nil {
		in.Damaged++
	}
	in.Journal, in.Bytes = s.journal(id), info.Size()
	if in.Updated.IsZero() {
		in.Updated = info.ModTime()
	}
	in.Holder = durable.Holder(s.path(id, ".lock"))
	return in, nil
}

// openKnown opens the journal of a session that exists.
func (s *Store) openKnown(id event.SessionID) (*os.File, error) {
	if !session.ValidID(id) {
		return nil, session.ErrUnknown
	}
	f, err := durable.Open(s.journal(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, session.ErrUnknown
	}
	return f, err
}

func (s *Store) now() time.Time {
	if s.options.Now != nil {
		return s.options.Now()
	}
	return time.Now()
}
