package acp_test

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
)

// slow is a host whose sessions are slow to say what is read of them, after a place.
type slow struct {
	protocoltest.Fake

	mu      sync.Mutex
	after   func(event.Seq) bool // nil: nothing is slow
	before  int                  // events that are said before it becomes slow
	reading chan struct{}        // one for each reader that waits
	closed  chan struct{}        // one for each session that is closed
	closing chan struct{}        // nil, or what a close waits for
}

func (s *slow) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	opened, err := s.Fake.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &slowSession{opened, s}, nil
}

func (s *slow) isSlow(after func(event.Seq) bool, before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after, s.before = after, before
}

type slowSession struct {
	protocol.Session
	of *slow
}

func (s *slowSession) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	s.of.mu.Lock()
	waits, before := s.of.after != nil && s.of.after(after), s.of.before
	s.of.mu.Unlock()
	if !waits {
		return s.Session.Events(ctx, after)
	}
	return func(yield func(event.Envelope, error) bool) {
		if before > 0 {
			for e, err := range s.Session.Events(ctx, after) {
				if !yield(e, err) {
					return
				}
				if before--; before == 0 {
					break
				}
			}
		}
		s.of.reading <- struct{}{}
		<-ctx.Done()
		yield(event.Envelope{}, ctx.Err())
	}
}

func (s *slowSession) Close() error {
	if s.of.closing != nil {
		<-s.of.closing
	}
	err := s.Session.Close()
	s.of.closed <- struct{}{}
	return err
}

// An opening can be cancelled as long as it is not answered, and so can it by the end of
// the server. Nothing of it stays open.
func TestAnOpeningEndsWhenItIsCancelled(t *testing.T) {
	present := func(after event.Seq) bool { return after == event.Tail }
	past := func(after event.Seq) bool { return after == 0 }
	for _, c := range []struct {
		method string
		slow   func(event.Seq) bool
		before int
	}{
		{"session/new", present, 0},
		{"session/load", present, 0},
		{"session/load", past, 0},
		{"session/load", past, 3}, // of which some is shown by then
		{"session/resume", present, 0},
		{"_reasonix.io/session/fork", present, 0},
	} {
		host := &slow{reading: make(chan struct{}, 1), closed: make(chan struct{}, 9)}
		s := serveHost(t, &host.Fake, protocol.Host{Opener: host, Library: host})
		dir := t.TempDir()
		id := s.open(dir)
		s.stopped(s.prompt(id, "x"))
		s.call("session/close", object{"sessionId": id})
		<-host.closed
		for range 2 {
			host.isSlow(c.slow, c.before)
			opening := s.send(c.method, object{"cwd": dir, "mcpServers": []any{}, "sessionId": id})
			<-host.reading
			if c.method == "session/new" {
				s.call("session/list", object{}) // others are served meanwhile
			}
			s.write(notification("$/cancel_request", object{"requestId": json.RawMessage(opening)}))
			if m := s.response(opening); m.Error == nil || m.Error.Code != -32800 {
				t.Errorf("%s: %s", c.method, m.raw)
			}
			<-host.closed
			host.isSlow(nil, 0)
			if m := s.call("session/resume", object{"cwd": dir, "sessionId": id}); m.Error != nil {
				t.Errorf("%s: and then: %s", c.method, m.raw)
			}
			s.call("session/close", object{"sessionId": id})
			<-host.closed
		}
		host.isSlow(c.slow, c.before)
		opening := s.send(c.method, object{"cwd": dir, "mcpServers": []any{}, "sessionId": id})
		<-host.reading
		s.in.Close() // what was asked before is still to be answered
		s.stop()
		if err := s.ends(); err != nil {
			t.Errorf("%s: %v", c.method, err)
		}
		if m := s.response(opening); m.Error == nil || m.Error.Code != -32800 {
			t.Errorf("%s: at the end: %s", c.method, m.raw)
		}
	}
}

// A close waits for what is under way with its session: its opening, or another close.
func TestACloseWaitsForWhatIsUnderWay(t *testing.T) {
	host := &slow{reading: make(chan struct{}, 1), closed: make(chan struct{}, 9), closing: make(chan struct{})}
	s := serveHost(t, &host.Fake, protocol.Host{Opener: host, Library: host})
	dir := t.TempDir()
	id := s.open(dir)
	closes := []string{s.send("session/close", object{"sessionId": id}), s.send("session/close", object{"sessionId": id})}
	s.call("session/list", object{})
	s.call("initialize", object{})
	for _, m := range s.all() {
		if m.Method == "" && (string(m.ID) == closes[0] || string(m.ID) == closes[1]) {
			t.Errorf("answered while the session is open: %s", m.raw)
		}
	}
	close(host.closing)
	for _, one := range closes {
		if m := s.response(one); m.Error != nil {
			t.Error(m.raw)
		}
	}
	<-host.closed
	host.isSlow(func(event.Seq) bool { return true }, 0)
	opening := s.send("session/resume", object{"cwd": dir, "sessionId": id})
	<-host.reading
	behind := s.send("session/close", object{"sessionId": id})
	s.call("initialize", object{})
	s.write(notification("$/cancel_request", object{"requestId": json.RawMessage(opening)}))
	s.response(behind)
	order := map[string]int{}
	for i, m := range s.all() {
		order[string(m.ID)] = i
	}
	if order[opening] == 0 || order[opening] > order[behind] {
		t.Errorf("the opening is answered at %d, the close at %d", order[opening], order[behind])
	}
}
