package acp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol"
)

// lending opens a session of a client that can do what it says, and returns what the
// session was opened with.
func lending(t *testing.T, can object) (*served, string, protocol.Spec) {
	t.Helper()
	host := &seeing{}
	s := serveHost(t, &host.Fake, protocol.Host{Opener: host})
	s.call("initialize", object{"protocolVersion": 1, "clientCapabilities": can})
	session := s.open(t.TempDir())
	return s, session, host.specs[0]
}

// count is how many messages of a method were heard.
func (c *client) count(method string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.heard {
		if m.Method == method {
			n++
		}
	}
	return n
}

// beside runs f while the test plays the client.
func beside[T any](f func() (T, error)) func(*testing.T) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	return func(t *testing.T) (T, error) {
		t.Helper()
		select {
		case r := <-done:
			return r.v, r.err
		case <-time.After(10 * time.Second):
			t.Fatal("waited in vain")
		}
		panic("unreachable")
	}
}

func TestAClientThatLendsNothingIsAskedForNothing(t *testing.T) {
	_, _, spec := lending(t, object{})
	if spec.Files != nil || spec.Terminal != nil {
		t.Errorf("lent %v, %v", spec.Files, spec.Terminal)
	}
}

// What the client said a moment ago may be written over since: every read asks, above all
// the one before a write.
func TestEveryReadOfABufferAsks(t *testing.T) {
	s, session, spec := lending(t, object{"fs": object{"readTextFile": true, "writeTextFile": true}})
	reads := func(text string) {
		t.Helper()
		done := beside(func() ([]byte, error) { return spec.Files.ReadFile(t.Context(), "/w/a.go") })
		ask := s.requested("fs/read_text_file")
		var got any
		decode(t, ask.Params, &got)
		if diff := cmp.Diff(got, any(object{"sessionId": session, "path": "/w/a.go"})); diff != "" {
			t.Error(diff)
		}
		s.reply(ask, object{"content": text})
		if is, err := done(t); string(is) != text || err != nil {
			t.Errorf("%q, %v; want %s", is, err, text)
		}
	}
	reads("unsaved")
	reads("written over")
	written := beside(func() (any, error) { return nil, spec.Files.WriteFile(t.Context(), "/w/a.go", []byte("edited")) })
	ask := s.requested("fs/write_text_file")
	var got any
	decode(t, ask.Params, &got)
	if diff := cmp.Diff(got, any(object{"sessionId": session, "path": "/w/a.go", "content": "edited"})); diff != "" {
		t.Error(diff)
	}
	s.reply(ask, nil)
	if _, err := written(t); err != nil {
		t.Error(err)
	}
	reads("typed since")
}

// A file that the client does not give, or cannot take, is the disk's.
func TestWhatTheClientRefusesIsLeftToTheDisk(t *testing.T) {
	s, _, spec := lending(t, object{"fs": object{"readTextFile": true}})
	read := beside(func() ([]byte, error) { return spec.Files.ReadFile(t.Context(), "/w/no") })
	s.refuse(s.requested("fs/read_text_file"), -32002)
	if _, err := read(t); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("refused: %v", err)
	}
	if err := spec.Files.WriteFile(t.Context(), "/w/a", []byte("x")); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a client that reads only: %v", err)
	}
	s, _, spec = lending(t, object{"fs": object{"readTextFile": true, "writeTextFile": true}})
	if err := spec.Files.WriteFile(t.Context(), "/w/a", []byte{0xff, 0}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("no text: %v", err)
	}
	written := beside(func() (any, error) { return nil, spec.Files.WriteFile(t.Context(), "/w/a", []byte("x")) })
	s.refuse(s.requested("fs/write_text_file"), -32603)
	if _, err := written(t); err == nil || errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a write that failed: %v", err)
	}
}

// A read that nobody waits for is given up, and one of a client that left ends.
func TestAReadEndsWithItsCall(t *testing.T) {
	s, _, spec := lending(t, object{"fs": object{"readTextFile": true}})
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	read := beside(func() ([]byte, error) { return spec.Files.ReadFile(ctx, "/w/a") })
	s.requested("fs/read_text_file")
	stop(stopped)
	if _, err := read(t); !errors.Is(err, stopped) {
		t.Errorf("cancelled: %v", err)
	}
	s.requested("$/cancel_request")
	read = beside(func() ([]byte, error) { return spec.Files.ReadFile(t.Context(), "/w/a") })
	s.requested("fs/read_text_file")
	s.in.Close()
	if _, err := read(t); err == nil || errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a client that left: %v", err)
	}
}
