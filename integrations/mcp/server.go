package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"reasonix/core/event"
)

const (
	firstDelay = time.Second
	maxDelay   = time.Minute
)

var (
	errClosed  = errors.New("the session is closing")
	errStopped = errors.New("it was disconnected; only a person can connect it again (/mcp connect NAME)")
	errSlow    = errors.New("it was not ready in time")
)

// A server is one configured server: its connection while there is one, and how it comes
// to one. Its parts know the rest. Its states are those of event.ServerChanged.
type server struct {
	declared
	set     *Set
	log     *serverLog
	noise   *noise
	program program
	store   store

	mu       sync.Mutex
	state    string
	detail   string
	protocol string
	link     *link
	start    *start    // under way
	stopped  bool      // somebody disconnected it
	closed   bool      // the session is closing
	failures int       // since something last worked
	retry    time.Time // no start before

	known  catalogue
	mute   bool              // it was said that it completes nothing
	judged map[string]judged // by raw name

	// Of these set.mu is the guard.
	differing *fixed   // the list was said to differ from this
	orders    []*order // not done yet
}

// A start is one attempt at a connection.
type start struct {
	done chan struct{}
	stop context.CancelCauseFunc
	link *link
	err  error
}

func newServer(set *Set, c Config, part string) *server {
	d := declared{world: &set.world, cfg: c, part: part}
	log := &serverLog{}
	if set.world.LogDir != "" {
		log.path = filepath.Join(set.world.LogDir, d.file()+".log")
	}
	s := &server{
		declared: d, set: set, log: log, state: event.ServerStopped, judged: map[string]judged{},
		noise: &noise{name: c.Name, log: log, warn: set.warn},
		store: store{declared: d, log: log},
	}
	s.program = program{declared: d, log: log, noise: s.noise, running: &set.running}
	cached, prompts := s.store.read()
	s.known = newCatalogue(part, cached, prompts)
	return s
}

// ready returns the connection, starting the server when there is none and it is
// not too early. An error says in words what is wrong with the server.
func (s *server) ready(ctx context.Context) (*link, error) {
	st, l, err := s.begin()
	if l != nil || err != nil {
		return l, err
	}
	select {
	case <-st.done:
		return st.link, st.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begin returns the connection, or the attempt at one.
func (s *server) begin() (*start, *link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, nil, s.error(errClosed.Error())
	case s.stopped:
		return nil, nil, s.error(errStopped.Error())
	case s.link != nil:
		return nil, s.link, nil
	case s.start != nil:
		return s.start, nil, nil
	}
	if wait := s.retry.Sub(s.world.now()); wait > 0 {
		return nil, nil, s.error(fmt.Sprintf("%s\nIt is started again by a call in %s or later", s.detail, wait.Round(100*time.Millisecond)))
	}
	st := &start{done: make(chan struct{})}
	var ctx context.Context
	ctx, st.stop = context.WithCancelCause(s.set.life)
	s.start = st
	s.turn(event.ServerStarting, "")
	s.set.running.Go(func() { s.open(ctx, st) })
	return st, nil, nil
}

// open makes the connection and reads what the server offers.
func (s *server) open(ctx context.Context, st *start) {
	defer close(st.done)
	defer st.stop(nil)
	limit := s.cfg.startTimeout()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: %s", errSlow, limit))
	defer cancel()
	l, err := connect(ctx, s)
	var offer *list
	if err == nil {
		if offer, err = l.lister().tools(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			err = fmt.Errorf("list its tools: %w", err)
		}
	}
	if err = s.adopt(st, l, offer, err); err == nil {
		s.remember()
		s.set.differs(s)
		s.set.running.Go(l.wantLogs)
		l.lists.follow()
		return
	}
	if l != nil {
		l.close()
		if ended(err) {
			err = errors.New(l.why())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start = nil
	st.err = s.broke(err.Error())
}

// adopt makes l the server's connection, unless something is in the way.
func (s *server) adopt(st *start, l *link, offer *list, err error) error {
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed || s.stopped:
		return errStopped // broke says which
	case l.gone(): // and told so while it was nobody's
		return errEnded
	}
	st.link, s.link, s.start = l, l, nil
	if r := l.session.InitializeResult(); r != nil {
		s.protocol = r.ProtocolVersion
	}
	s.take(offer)
	s.turn(event.ServerReady, "")
	return nil
}

// broke notes a failure and when the next start may be; the caller has the lock.
func (s *server) broke(why string) error {
	if tail := s.log.last(); tail != "" {
		why += "\nIts standard error ends:\n" + tail
	}
	if s.stopped || s.closed {
		s.turn(event.ServerStopped, "")
		return s.error(errStopped.Error())
	}
	s.failures++
	if s.failures > 1 { // the first time may be an accident
		s.retry = s.world.now().Add(min(maxDelay, firstDelay<<min(s.failures-2, 10)))
	}
	s.turn(event.ServerFailed, why)
	return s.error(why)
}

// lost is called when a connection ended, whoever ended it.
func (s *server) lost(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != l {
		return
	}
	s.link = nil
	_ = s.broke(l.why())
}

// worked is called when the server did what it is for.
func (s *server) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.retry = 0, time.Time{}
}

// disconnect ends the connection until connect is called.
func (s *server) disconnect() {
	s.mu.Lock()
	s.stopped = true
	l, st := s.link, s.start
	s.mu.Unlock()
	if st != nil {
		st.stop(errStopped)
		<-st.done
		l = st.link
	}
	if l != nil {
		l.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(event.ServerStopped, "")
}

// allow lets a start happen again, at once.
func (s *server) allow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped, s.failures, s.retry = false, 0, time.Time{}
	s.known.anew()
}

// shut ends the server for good.
func (s *server) shut() {
	s.mu.Lock()
	s.closed = true
	l, st := s.link, s.start
	s.mu.Unlock()
	if st != nil {
		st.stop(errClosed)
		<-st.done
		l = st.link
	}
	if l != nil {
		l.close()
	}
}

// turn sets the state and tells it; the caller has the lock.
func (s *server) turn(state, detail string) {
	s.state, s.detail = state, printable(brief(detail))
	s.set.tell(event.ServerChanged{Name: s.cfg.Name, State: state, Detail: s.detail, Tools: s.known.count()})
}

// settled reports whether waiting for the server brings nothing more.
func (s *server) settled() (<-chan struct{}, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.start == nil || s.known.tools() != nil {
		return nil, true
	}
	return s.start.done, false
}

// remember keeps what is known for the next session.
func (s *server) remember() {
	s.store.write(func() (*list, []Prompt) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.known.live, s.known.prompts
	})
}
