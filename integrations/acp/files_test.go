package acp_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol"
	"reasonix/integrations/acp"
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

// One edit reads the file, checks it and writes it: the client is asked once.
func TestAnEditReadsTheBufferOnce(t *testing.T) {
	s, session, spec := lending(t, object{"fs": object{"readTextFile": true, "writeTextFile": true}})
	read := func() ([]byte, error) { return spec.Files.ReadFile(t.Context(), "/w/a.go") }
	done := beside(read)
	ask := s.requested("fs/read_text_file")
	var got any
	decode(t, ask.Params, &got)
	if diff := cmp.Diff(got, any(object{"sessionId": session, "path": "/w/a.go"})); diff != "" {
		t.Error(diff)
	}
	s.reply(ask, object{"content": "unsaved"})
	if text, err := done(t); string(text) != "unsaved" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	again, err := read()
	if string(again) != "unsaved" || err != nil {
		t.Errorf("%q, %v", again, err)
	}
	written := beside(func() (any, error) { return nil, spec.Files.WriteFile(t.Context(), "/w/a.go", []byte("edited")) })
	ask = s.requested("fs/write_text_file")
	decode(t, ask.Params, &got)
	if diff := cmp.Diff(got, any(object{"sessionId": session, "path": "/w/a.go", "content": "edited"})); diff != "" {
		t.Error(diff)
	}
	s.reply(ask, nil)
	if _, err := written(t); err != nil {
		t.Error(err)
	}
	if text, err := read(); string(text) != "edited" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if n := s.count("fs/read_text_file"); n != 1 {
		t.Errorf("the client was asked %d times", n)
	}
}

// What was read a while ago is asked for again.
func TestABufferIsReadAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &seeing{}
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		c := newClient(t, inW, outR)
		done := make(chan error, 1)
		go func() {
			done <- acp.Serve(t.Context(), protocol.Host{Opener: host}, acp.Options{}, inR, outW)
			outW.Close()
		}()
		c.call("initialize", object{"clientCapabilities": object{"fs": object{"readTextFile": true}}})
		c.open(t.TempDir())
		for _, text := range []string{"one", "two"} {
			read := beside(func() ([]byte, error) { return host.specs[0].Files.ReadFile(t.Context(), "/w/a") })
			c.reply(c.requested("fs/read_text_file"), object{"content": text})
			if got, err := read(t); string(got) != text || err != nil {
				t.Errorf("%q, %v; want %s", got, err, text)
			}
			time.Sleep(time.Second) // in the test's own time
		}
		inW.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		<-c.ended
	})
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
