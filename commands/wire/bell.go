package wire

import "sync"

// bell tells everybody who waits that something happened. Safe for concurrent use.
type bell struct {
	mu   sync.Mutex
	rung chan struct{} // closed by the next ring
}

func newBell() *bell { return &bell{rung: make(chan struct{})} }

// next is closed when the bell rings after this call.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}
