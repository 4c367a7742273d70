package acp

import (
	"context"

	"reasonix/core/protocol"
	"reasonix/core/view"
	"reasonix/integrations/internal/jsonrpc"
)

// awaited is a request that is answered when the session's events have told of what it
// changed: its answer never overtakes them.
type awaited struct {
	req    *jsonrpc.Request
	is     func(view.State) bool
	result func() any
}

// configure submits op and has req answered with result as soon as the session is as
// is says.
func (s *session) configure(ctx context.Context, req *jsonrpc.Request, op protocol.Configure, is func(view.State) bool, result func() any) error {
	one := &awaited{req: req, is: is, result: result}
	already := s.status.await(one)
	if err := s.Submit(ctx, op); err != nil {
		s.status.forsake(one)
		return err
	}
	if already && s.status.forsake(one) { // nothing may have been left to tell
		req.Reply(result(), nil)
	}
	return nil
}

// await notes a request; true when the session is as it wants already.
func (s *status) await(one *awaited) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, one)
	return one.is(s.view)
}

// forsake takes a request back; false when it was answered.
func (s *status) forsake(one *awaited) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.waiting {
		if w == one {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// changed answers what has come to pass. Ops are served in order and the newest state
// may be all that is told: what was asked before something that holds was served too.
func (s *status) changed() {
	s.mu.Lock()
	n := 0
	for i, w := range s.waiting {
		if w.is(s.view) {
			n = i + 1
		}
	}
	done := s.waiting[:n]
	s.waiting = s.waiting[n:]
	s.mu.Unlock()
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
