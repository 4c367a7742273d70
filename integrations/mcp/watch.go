package mcp

import (
	"context"
	"time"
)

const (
	// firstPause is how long a list is not read again after it was read. Each reading
	// that follows without the server being silent for so long doubles it.
	firstPause = time.Second
	maxPause   = 32 * time.Second
	// settling is how long a call waits for a list that is being read again.
	settling = 3 * time.Second
)

// A watch keeps one of a server's lists as the server says it is: what it says while
// the list is read, or before the link is the server's connection, makes for one more
// reading, and however often it says so there is no more than one after each pause.
// The link's mu guards it.
type watch struct {
	read  func(ctx context.Context)
	stale bool
	ended chan struct{}    // closed at the end of the next reading; nil: none is due
	pause <-chan time.Time // nil: none, or it is over
	// rounds is how many readings there were since the server was last silent.
	rounds int
}

// watches are those of a link, made before there can be news of any.
type watches struct{ tools, prompts, resources *watch }

func (s *server) watches(l *link) watches {
	return watches{
		tools:     &watch{read: func(ctx context.Context) { s.rereadTools(ctx, l) }},
		prompts:   &watch{read: func(ctx context.Context) { s.readPrompts(ctx, l) }},
		resources: &watch{read: func(ctx context.Context) { s.readResources(ctx, l) }},
	}
}

// changed takes note that a list is not what it was.
func (l *link) changed(w *watch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.stale = true
	l.wake(w)
}

// adopted begins to follow the lists: the link is the server's connection now, and
// its tools were read just before.
func (l *link) adopted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followed = true
	l.lists.prompts.stale, l.lists.resources.stale = true, true
	for _, w := range []*watch{l.lists.tools, l.lists.prompts, l.lists.resources} {
		l.wake(w)
	}
}

// wake reads a list that is stale, unless that is under way; the caller has the lock.
func (l *link) wake(w *watch) {
	if !w.stale || !l.followed || l.leaving || w.ended != nil {
		return
	}
	w.ended = make(chan struct{})
	select {
	case <-w.pause:
		w.pause, w.rounds = nil, 0 // it was silent all the while
	default:
	}
	l.server.set.running.Go(func() { l.follow(w, w.pause) })
}

// follow reads a list until it is not stale any more.
func (l *link) follow(w *watch, pause <-chan time.Time) {
	for again := true; again; {
		if pause != nil {
			select {
			case <-pause:
			case <-l.talk.Done():
			}
		}
		l.mu.Lock()
		w.stale = false
		l.mu.Unlock()
		ctx, cancel := context.WithTimeout(l.talk, l.server.cfg.startTimeout())
		w.read(ctx)
		cancel()
		pause, again = l.rest(w)
	}
}

// rest begins the pause after a reading.
func (l *link) rest(w *watch) (pause <-chan time.Time, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.pause = time.After(min(maxPause, firstPause<<min(w.rounds, 10)))
	w.rounds++
	close(w.ended)
	w.ended = nil
	if again = w.stale && !l.leaving; again {
		w.ended = make(chan struct{})
	}
	return w.pause, again
}

// upToDate waits for a list of tools that is being read again, so that a call meets
// what the server said before it. It does not wait long, and not for a server that
// says all the time that its list changed.
func (l *link) upToDate(ctx context.Context) {
	w := l.lists.tools
	l.mu.Lock()
	ended := w.ended
	often := w.rounds > 1
	l.mu.Unlock()
	if ended == nil || often {
		return
	}
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
	case <-l.talk.Done():
	}
}
