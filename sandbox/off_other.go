//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"sync"
)

// Helper returns false: this system needs no supervisor process.
func Helper([]string) bool { return false }

// NewOff returns the Runner that confines nothing.
func NewOff() Runner { return newOff() }

func newOff() *off {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &off{closing: ctx, cancel: cancel}
}

// off runs each command on its own, as a group of processes that the system can
// end together.
type off struct {
	closing context.Context // ends with Close; not a request's context
	cancel  context.CancelCauseFunc
	mu      sync.Mutex
	running sync.WaitGroup
}

// Way is off.
func (o *off) Way() string { return WayOff }

// Holds nothing.
func (o *off) Holds() []Guarantee { return nil }

func (o *off) Run(ctx context.Context, cmd Cmd) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	o.mu.Lock()
	if o.closing.Err() != nil {
		o.mu.Unlock()
		return Exit{}, ErrClosed
	}
	o.running.Add(1)
	o.mu.Unlock()
	defer o.running.Done()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(o.closing, func() { cancel(ErrClosed) })
	defer stop()
	return runGroup(ctx, cmd)
}

// runGroup runs cmd as a group and ends the group with it.
func runGroup(ctx context.Context, cmd Cmd) (Exit, error) {
	files, err := openStreams(cmd)
	if err != nil {
		return Exit{}, err
	}
	g, err := startGroup(cmd, files)
	files.closeChild()
	if err != nil {
		return Exit{}, errors.Join(err, files.finish())
	}
	cut := false
	select {
	case <-g.ended:
	case <-ctx.Done():
		cut = true
	}
	left := g.end(cut)
	written := files.finish()
	if cut {
		return Exit{Code: -1, TimedOut: errors.Is(ctx.Err(), context.DeadlineExceeded)}, context.Cause(ctx)
	}
	exit := g.exit()
	exit.Killed = left
	return exit, written
}

func (o *off) Close() error {
	o.mu.Lock()
	o.cancel(ErrClosed)
	o.mu.Unlock()
	o.running.Wait()
	return nil
}
