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
type watches struct {
	link                      *link
	tools, prompts, resources *watch
	followed                  bool // the link is the server's connection, and its lists are kept up to date
}

func newWatches(l *link) watches {
	r := reader{l.server, l}
	return watches{
		link: l, tools: &watch{read: r.tools}, prompts: &watch{read: r.prompts}, resources: &watch{read: r.resources},
	}
}

// changed takes note that a list is not what it was.
func (ws *watches) changed(w *watch) {
	ws.link.mu.Lock()
	defer ws.link.mu.Unlock()
	w.stale = true
	ws.wake(w)
}

// follow begins to follow the lists: the link is the server's connection now, and
// its tools were read just before.
func (ws *watches) follow() {
	ws.link.mu.Lock()
	defer ws.link.mu.Unlock()
	ws.followed = true
	ws.prompts.stale, ws.resources.stale = true, true
	for _, w := range []*watch{ws.tools, ws.prompts, ws.resources} {
		ws.wake(w)
	}
}

// wake reads a list that is stale, unless that is under way; the caller has the lock.
func (ws *watches) wake(w *watch) {
	if !w.stale || !ws.followed || ws.link.leaving || w.ended != nil {
		return
	}
	w.ended = make(chan struct{})
	select {
	case <-w.pause:
		w.pause, w.rounds = nil, 0 // it was silent all the while
	default:
	}
	ws.link.server.set.running.Go(func() { ws.keep(w, w.pause) })
}

// keep reads a list until it is not stale any more.
func (ws *watches) keep(w *watch, pause <-chan time.Time) {
	for again := true; again; {
		if pause != nil {
			select {
			case <-pause:
			case <-ws.link.talk.Done():
			}
		}
		ws.link.mu.Lock()
		w.stale = false
		ws.link.mu.Unlock()
		ctx, cancel := context.WithTimeout(ws.link.talk, ws.link.server.cfg.startTimeout())
		w.read(ctx)
		cancel()
		pause, again = ws.rest(w)
	}
}

// rest begins the pause after a reading.
func (ws *watches) rest(w *watch) (pause <-chan time.Time, again bool) {
	ws.link.mu.Lock()
	defer ws.link.mu.Unlock()
	w.pause = time.After(min(maxPause, firstPause<<min(w.rounds, 10)))
	w.rounds++
	close(w.ended)
	w.ended = nil
	if again = w.stale && !ws.link.leaving; again {
		w.ended = make(chan struct{})
	}
	return w.pause, again
}

// listed waits until the prompts and resources that are being listed were.
func (ws *watches) listed(ctx context.Context) {
	for _, w := range []*watch{ws.prompts, ws.resources} {
		ws.link.mu.Lock()
		ended := w.ended
		ws.link.mu.Unlock()
		if ended == nil {
			continue
		}
		select {
		case <-ended:
		case <-ctx.Done():
		case <-ws.link.talk.Done():
		}
	}
}

// upToDate waits for a list of tools that is being read again, so that a call meets
// what the server said before it. It does not wait long, and not for a server that
// says all the time that its list changed.
func (ws *watches) upToDate(ctx context.Context) {
	w := ws.tools
	ws.link.mu.Lock()
	ended := w.ended
	often := w.rounds > 1
	ws.link.mu.Unlock()
	if ended == nil || often {
		return
	}
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
	case <-ws.link.talk.Done():
	}
}
