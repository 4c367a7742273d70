package sandbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// A pool is the supervisors of one Runner. It keeps an idle one for each of the
// last confinements, which is all that a session without parallel commands ever
// starts. A command that arrives while another runs gets a supervisor of its own,
// so that each knows whose processes are whose. The zero value is ready.
type pool struct {
	mu     sync.Mutex
	marks  marker
	closed bool
	idle   []*supervised // each of another key; the one used last comes last
	busy   map[*supervised]bool
}

// maxIdle bounds how many supervisors wait: one for what a session's commands are
// held to, one for the single command that may do more, one for what has changed.
const maxIdle = 3

// closePatience is longer than a supervisor takes to kill what can be killed.
const closePatience = 2 * time.Second

// run runs cmd on a supervisor that serves key, started by how if there is none.
func (p *pool) run(ctx context.Context, cmd Cmd, key string, how func() (launch, error)) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	path, err := lookPath(cmd)
	if err != nil {
		return Exit{}, err
	}
	sup, err := p.take(key, how)
	if err != nil {
		return Exit{}, err
	}
	exit, err := runOn(ctx, sup, path, cmd)
	if closed := p.give(sup); closed && errors.Is(err, errCut) {
		return exit, ErrClosed
	}
	return exit, err
}

func runOn(ctx context.Context, sup *supervised, path string, cmd Cmd) (Exit, error) {
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

// warm starts a supervisor for key if none waits.
func (p *pool) warm(key string, how func() (launch, error)) error {
	sup, err := p.take(key, how)
	if err != nil {
		return err
	}
	p.give(sup)
	return nil
}

// take returns a supervisor for one command.
func (p *pool) take(key string, how func() (launch, error)) (*supervised, error) {
	sup, mark, err := p.pick(key)
	if err != nil {
		return nil, err
	}
	if sup != nil && !sup.alive() {
		p.drop(sup)
		_ = sup.end(endPatience)
		sup = nil
	}
	if sup != nil {
		return sup, nil
	}
	l, err := how()
	if err == nil {
		sup, err = startSupervisor(mark, key, l)
	}
	if err != nil {
		return nil, unstarted{err}
	}
	if !p.hold(sup) {
		_ = sup.end(closePatience)
		return nil, ErrClosed
	}
	return sup, nil
}

// pick makes the idle supervisor of key busy; nil when there is none. The mark is
// for one to be started in its stead.
func (p *pool) pick(key string) (sup *supervised, mark string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, "", ErrClosed
	}
	if sup = p.waiting(key); sup != nil {
		p.work(sup)
	}
	return sup, p.marks.next(), nil
}

// hold makes sup busy, unless the pool has been closed.
func (p *pool) hold(sup *supervised) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.work(sup)
	}
	return !p.closed
}

func (p *pool) drop(sup *supervised) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, sup)
}

func (p *pool) work(sup *supervised) {
	if p.busy == nil {
		p.busy = map[*supervised]bool{}
	}
	p.busy[sup] = true
}

// waiting takes the idle supervisor of key out of those; nil when there is none.
func (p *pool) waiting(key string) *supervised {
	i := slices.IndexFunc(p.idle, func(s *supervised) bool { return s.key == key })
	if i < 0 {
		return nil
	}
	sup := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	return sup
}

// give returns a supervisor and tells whether the pool has been closed.
func (p *pool) give(sup *supervised) (closed bool) {
	p.mu.Lock()
	delete(p.busy, sup)
	closed = p.closed
	surplus := sup
	if !closed && !sup.lost {
		surplus = p.keep(sup)
	}
	p.mu.Unlock()
	if surplus != nil {
		_ = surplus.end(closePatience)
	}
	return closed
}

// keep makes sup wait for its next command; it returns the one that need not.
func (p *pool) keep(sup *supervised) (surplus *supervised) {
	if slices.ContainsFunc(p.idle, func(s *supervised) bool { return s.key == sup.key }) {
		return sup
	}
	p.idle = append(p.idle, sup)
	if len(p.idle) > maxIdle {
		surplus, p.idle = p.idle[0], slices.Delete(p.idle, 0, 1)
	}
	return surplus
}

func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	all := p.idle
	p.idle = nil
	for sup := range p.busy {
		all = append(all, sup)
	}
	p.mu.Unlock()

	errs := make([]error, len(all))
	var ends sync.WaitGroup
	for i, sup := range all {
		ends.Go(func() { errs[i] = sup.end(closePatience) })
	}
	ends.Wait()
	return errors.Join(errs...)
}
