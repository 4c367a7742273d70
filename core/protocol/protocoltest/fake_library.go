package protocoltest

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

var errOpen = errors.New("the session is open")

// Sessions implements protocol.Library.
func (f *Fake) Sessions(_ context.Context, q protocol.Query) ([]protocol.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []protocol.Info
	for id, s := range f.sessions {
		if q.Before == "" || id < q.Before {
			all = append(all, protocol.Info{ID: id, Title: s.configured.Title, Model: s.configured.Model})
		}
	}
	slices.SortFunc(all, func(a, b protocol.Info) int { return cmp.Compare(b.ID, a.ID) })
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return all, nil
}

// Rename implements protocol.Library.
func (f *Fake) Rename(_ context.Context, _ string, id event.SessionID, title string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.closedLocked(id)
	if err != nil {
		return err
	}
	s.configured.Title = title
	s.tell(s.configured)
	return nil
}

// Delete implements protocol.Library.
func (f *Fake) Delete(_ context.Context, _ string, id event.SessionID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.closedLocked(id)
	if err == nil {
		delete(f.sessions, id)
	}
	return err
}

func (f *Fake) closedLocked(id event.SessionID) (*fakeSession, error) {
	switch s := f.sessions[id]; {
	case s == nil:
		return nil, protocol.ErrUnknown
	case !s.isClosed():
		return nil, errOpen
	default:
		return s, nil
	}
}

// fakeView sees what the session's writer sees.
type fakeView struct{ of *fakeSession }

func (v *fakeView) ID() event.SessionID { return v.of.id }

func (v *fakeView) Submit(context.Context, protocol.Op) error { return protocol.ErrReadOnly }

func (v *fakeView) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	return v.of.Events(ctx, after)
}

func (v *fakeView) Close() error { return nil }
