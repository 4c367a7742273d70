package sandbox

import (
	"context"
	"errors"
	"sync"
	"time"
)

// NewOff returns the Runner that confines nothing. Nothing is started before the
// first Run. The binary must call Helper first thing in main.
func NewOff() Runner { return &off{busy: map[*supervised]bool{}} }

// off keeps one idle supervisor, which is all that a session without parallel
// commands ever starts. A command that arrives while another runs gets a
// supervisor of its own, so that each knows whose processes are whose.
type off struct {
	mu     sync.Mutex
	marks  marker
	closed bool
	idle   *supervised
	busy   map[*supervised]bool
}

// Way is off.
func (o *off) Way() string { return WayOff }

// Holds nothing.
func (o *off) Holds() []Guarantee { return nil }

func (o *off) Run(ctx context.Context, cmd Cmd) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	path, err := lookPath(cmd)
	if err != nil {
		return Exit{}, err
	}
	sup, err := o.take()
	if err != nil {
		return Exit{}, err
	}
	exit, err := o.runOn(ctx, sup, path, cmd)
	if closed := o.give(sup); closed && errors.Is(err, errCut) {
		return exit, ErrClosed
	}
	return exit, err
}

func (o *off) runOn(ctx context.Context, sup *supervised, path string, cmd Cmd) (Exit, error) {
	files, err := openStreams(cmd)
	if err != nil {
		return Exit{}, err
	}
	exit, err := sup.run(ctx, path, cmd, files)
	written := files.finish()
	if errors.Is(err, errCut) && ctx.Err() != nil {
		exit.TimedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
		return exit, context.Cause(ctx)
	}
	return exit, errors.Join(err, written)
}

// take returns a supervisor for one command.
func (o *off) take() (*supervised, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, ErrClosed
	}
	sup := o.idle
	o.idle = nil
	if sup != nil && !sup.alive() {
		_ = sup.end(endPatience)
		sup = nil
	}
	if sup == nil {
		var err error
		if sup, err = startSupervisor(o.marks.next()); err != nil {
			return nil, err
		}
	}
	o.busy[sup] = true
	return sup, nil
}

// give returns a supervisor and tells whether the Runner has been closed.
func (o *off) give(sup *supervised) (closed bool) {
	o.mu.Lock()
	delete(o.busy, sup)
	closed = o.closed
	keep := !closed && !sup.lost && o.idle == nil
	if keep {
		o.idle = sup
	}
	o.mu.Unlock()
	if !keep {
		_ = sup.end(closePatience)
	}
	return closed
}

func (o *off) Close() error {
	o.mu.Lock()
	o.closed = true
	var all []*supervised
	if o.idle != nil {
		all = append(all, o.idle)
		o.idle = nil
	}
	for sup := range o.busy {
		all = append(all, sup)
	}
	o.mu.Unlock()

	errs := make([]error, len(all))
	var ends sync.WaitGroup
	for i, sup := range all {
		ends.Go(func() { errs[i] = sup.end(closePatience) })
	}
	ends.Wait()
	return errors.Join(errs...)
}

// closePatience is longer than a supervisor takes to kill what can be killed.
const closePatience = 2 * time.Second
