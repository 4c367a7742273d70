package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// What can be asked of a server.
const (
	actConnect    = "connect"
	actDisconnect = "disconnect"
	actRestart    = "restart"
)

var errOverruled = errors.New("something else was asked of it since")

// An order is what a person asked of a server and what is not done yet.
type order struct {
	action string
	ctx    context.Context // ends when a later order makes it pointless
	end    context.CancelCauseFunc
	done   chan struct{}
}

// Submit asks of a server what Act does. It returns at once, and what is asked of one
// server is done in the order of the calls of Submit; a disconnect or a restart does
// not wait for a start that it ends. The channel has the outcome once that is known;
// nobody needs to receive it. An error is about the question: no such server, no such
// action, or a closed Set.
func (set *Set) Submit(name, action string) (<-chan error, error) {
	if !slices.Contains([]string{actConnect, actDisconnect, actRestart}, action) {
		return nil, fmt.Errorf("MCP server %s: action %q is none of connect, disconnect, restart", name, action)
	}
	s, err := set.server(name)
	if err != nil {
		return nil, err
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.closed {
		return nil, s.error(errClosed.Error())
	}
	o := &order{action: action, done: make(chan struct{})}
	o.ctx, o.end = context.WithCancelCause(set.life)
	before := slices.Clone(s.orders)
	if action != actConnect {
		for _, b := range before {
			b.end(errOverruled)
		}
	}
	s.orders = append(s.orders, o)
	outcome := make(chan error, 1)
	set.running.Go(func() {
		for _, b := range before {
			<-b.done
		}
		outcome <- s.obey(o)
		set.mu.Lock()
		defer set.mu.Unlock()
		s.orders = slices.DeleteFunc(s.orders, func(other *order) bool { return other == o })
		o.end(nil)
		close(o.done)
	})
	return outcome, nil
}

// obey does what was asked. A start that nobody wants any more is not begun.
func (s *server) obey(o *order) error {
	if o.action == actDisconnect {
		s.disconnect()
		return nil
	}
	if cause := context.Cause(o.ctx); cause != nil {
		return s.error(cause.Error())
	}
	if o.action == actRestart {
		s.disconnect()
	}
	s.allow()
	if _, err := s.ready(o.ctx); err != nil {
		if errors.Is(err, errOverruled) {
			return s.error(err.Error())
		}
		return err
	}
	return nil
}

// Act does what a person asked of a server: connect, disconnect or restart. It
// returns when that is done, or when ctx ends; what was asked is done all the same.
// Whoever asks from several goroutines in an order that matters calls Submit.
func (set *Set) Act(ctx context.Context, name, action string) error {
	outcome, err := set.Submit(name, action)
	if err != nil {
		return err
	}
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
