package wire

import "sync"

// background is work that a session does beside its turns, each piece short. The zero
// value is ready.
type background struct {
	mu    sync.Mutex
	ended bool
	wait  sync.WaitGroup
}

// start runs f, unless the session ended.
func (w *background) start(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.wait.Go(f)
	}
}

// close waits for what runs and lets nothing begin any more.
func (w *background) close() error {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.wait.Wait()
	return nil
}
