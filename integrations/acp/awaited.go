package acp

import (
	"context"
	"slices"

	"reasonix/core/protocol"
	"reasonix/core/view"
	"reasonix/integrations/internal/jsonrpc"
)

// awaited is a request that is answered when the session's events have told of what it
// changed: its answer never overtakes them. It counts only once its change was accepted.
type awaited struct {
	req      *jsonrpc.Request
	is       func(view.State) bool
	result   func() any
	accepted bool
	was      bool // is held while the change was submitted
}

// configure submits op and has req answered with result as soon as the session is as
// is says. One is submitted and accepted before the next: they wait in the order in
// which they are served.
func (s *session) configure(ctx context.Context, req *jsonrpc.Request, op protocol.Configure, is func(view.State) bool, result func() any) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	one := &awaited{req: req, is: is, result: result}
	s.status.await(one)
	if err := s.Submit(ctx, op); err != nil {
		s.status.forsake(one)
		return err
	}
	answer(s.status.accept(one))
	return nil
}

// await notes a request whose change is about to be submitted.
func (s *status) await(one *awaited) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, one)
}

// accept makes a request count, whose change was accepted. If it has come to pass, told
// already or nothing was left to tell, it is to be answered, behind those before it.
func (s *status) accept(one *awaited) (done []*awaited) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.accepted = true
	if one.was || one.is(s.view) {
		return s.takeLocked(slices.Index(s.waiting, one) + 1) // 0: the session is closed
	}
	return nil
}

// forsake takes back a request whose change was refused.
func (s *status) forsake(one *awaited) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(slices.Clone(s.waiting), func(w *awaited) bool { return w == one })
}

// takeLocked takes out the accepted ones of the first n.
func (s *status) takeLocked(n int) (done []*awaited) {
	var rest []*awaited
	for i, w := range s.waiting {
		if i < n && w.accepted {
			done = append(done, w)
		} else {
			rest = append(rest, w)
		}
	}
	s.waiting = rest
	return done
}

// changed answers what has come to pass. Ops are served in order and the newest state
// may be all that is told: what was accepted before something that holds was served too.
func (s *status) changed() {
	s.mu.Lock()
	n := 0
	for i, w := range s.waiting {
		switch is := w.is(s.view); {
		case !w.accepted:
			w.was = w.was || is
		case is:
			n = i + 1
		}
	}
	done := s.takeLocked(n)
	s.mu.Unlock()
	answer(done)
}

// answer answers requests whose changes have come to pass.
func answer(done []*awaited) {
	for _, w := range done {
		w.req.Reply(w.result(), nil)
	}
}

// over refuses what waits in a session that is closed.
func (s *status) over() {
	s.mu.Lock()
	rest := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, w := range rest {
		w.req.Reply(nil, submitError(w.req.Method, protocol.ErrClosed))
	}
}
