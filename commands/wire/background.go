package wire

import (
	"context"
	"sync"
)

// background is work that a session does beside its turns. The zero value is ready.
type background struct {
	mu     sync.Mutex
	ended  bool
	ctx    context.Context //nolint:containedctx // the life of the work, ended by close
	cancel context.CancelFunc
	wait   sync.WaitGroup
}

// start runs f until it is done or the session ends.
func (w *background) start(f func(ctx context.Context)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	if w.cancel == nil {
		w.ctx, w.cancel = context.WithCancel(context.Background())
	}
	w.wait.Go(func() { f(w.ctx) })
}

// close ends the work and waits for it.
func (w *background) close() {
	w.mu.Lock()
	w.ended = true
	if w.cancel != nil {
		w.cancel()
	}
	w.mu.Unlock()
	w.wait.Wait()
}
