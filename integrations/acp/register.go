package acp

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// register is which sessions of a connection are open, and which are being opened or
// closed. Safe for concurrent use.
type register struct {
	mu       sync.Mutex
	open     map[string]*session
	leaving  map[*session]struct{}    // open, and not to be asked for: not yet, or no more
	changing map[string]chan struct{} // being opened or closed, by id; closed when that is over
	closing  bool                     // all of them are
}

func newRegister() register {
	return register{open: map[string]*session{}, leaving: map[*session]struct{}{}, changing: map[string]chan struct{}{}}
}

// find returns the session of that id that can be asked for; nil when there is none.
func (r *register) find(id string) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[id]
}

// all are the sessions that can be asked for.
func (r *register) all() []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.open))
}

// claim returns the session of that id that is open here, or else the right to open it,
// which free gives back. It waits while another request opens or closes it.
func (r *register) claim(ctx context.Context, id string) (ses *session, free func(), err error) {
	for {
		r.mu.Lock()
		if ses = r.open[id]; ses != nil {
			r.mu.Unlock()
			return ses, nil, nil
		}
		under := r.changing[id]
		if under == nil {
			mine := make(chan struct{})
			r.changing[id] = mine
			r.mu.Unlock()
			return nil, func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.changedLocked(id, mine)
			}, nil
		}
		r.mu.Unlock()
		select {
		case <-under:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// changedLocked ends a change of the session id, if it is still under way.
func (r *register) changedLocked(id string, change chan struct{}) {
	if change != nil && r.changing[id] == change {
		delete(r.changing, id)
		close(change)
	}
}

// expect notes a session that is opened and cannot be asked for yet: the end of the
// server waits for it.
func (r *register) expect(ses *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaving[ses] = struct{}{}
}

// enter makes a session one that can be asked for.
func (r *register) enter(ses *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := string(ses.ID())
	delete(r.leaving, ses)
	r.open[id] = ses
	r.changedLocked(id, r.changing[id]) // whoever waited finds it open
}

// leave drops a session that never became one that can be asked for.
func (r *register) leave(ses *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.leaving, ses)
}

// take removes a session from those that can be asked for, to close it. Without one, or
// when all of them are being closed, it is nil, and under is what opens or closes that
// session now.
func (r *register) take(id string) (ses *session, under <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing {
		return nil, nil
	}
	if ses = r.open[id]; ses == nil {
		return nil, r.changing[id]
	}
	delete(r.open, id)
	r.leaving[ses], r.changing[id] = struct{}{}, make(chan struct{})
	return ses, nil
}

// closed drops a session that was taken and is closed.
func (r *register) closed(ses *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.leaving, ses)
	r.changedLocked(string(ses.ID()), r.changing[string(ses.ID())])
}

// close lets nobody take a session any more.
func (r *register) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = true
}

// rest are all sessions that are not closed.
func (r *register) rest() []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Values(r.open)), maps.Keys(r.leaving))
}
