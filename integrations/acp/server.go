// Package acp is the Agent Client Protocol server: JSON-RPC on one side, Ops and
// Events on the other. It lets an editor open sessions, prompt, steer and cancel,
// and answers its questions through the editor. It sees the contract only,
// nothing of the engine or the loop. commands/acp runs it on standard streams.
//
// What keeps the order: requests are submitted on the reader's goroutine as they
// come, and everything a turn says, its questions and its answer included,
// leaves from the one goroutine that follows the session's events.
package acp

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// patience is how long the end waits for a client to read what it is still owed.
const patience = time.Second

// ErrUnread says that the client did not read the last messages. Every session
// was closed in order all the same.
var ErrUnread = errors.New("the client stopped reading")

// Options are what a server is started with.
type Options struct {
	Version string        // of this program
	Spec    protocol.Spec // defaults of every session: model, effort, posture
}

// server is one connection's sessions.
type server struct {
	host protocol.Host
	opts Options
	conn *jsonrpc.Conn

	mu       sync.Mutex
	sessions map[string]*session
	closing  bool
	opening  sync.WaitGroup // only added to while not closing
}

// Serve answers one client on r and w until it closes r, leaves w, or ctx ends;
// every turn is then cancelled, its prompt answered, and every session closed.
// None of these ends is an error. When ctx ends first, a goroutine is left that
// reads r until it is closed.
func Serve(ctx context.Context, host protocol.Host, opts Options, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{host: host, opts: opts, sessions: map[string]*session{}}
	s.conn = jsonrpc.New(r, w, func(req *jsonrpc.Request) { s.handle(ctx, req) })
	defer s.conn.Close()
	read := make(chan error, 1)
	go func() { read <- s.conn.Serve() }()
	var err error
	select {
	case err = <-read:
	case <-s.conn.Lost():
	case <-ctx.Done():
	}
	cancel()
	return errors.Join(err, s.close())
}

// close ends every session at once: what each of them cancels takes its time.
func (s *server) close() error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.opening.Wait()
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.sessions))
	s.mu.Unlock()
	errs := make(chan error, len(open))
	for _, ses := range open {
		go func() { errs <- ses.Close() }()
	}
	var all error
	for range open {
		all = errors.Join(all, <-errs)
	}
	return errors.Join(all, s.drain(open))
}

// drain waits until every session has told its client everything. A client that
// no longer reads is not waited for.
func (s *server) drain(open []*session) error {
	told := make(chan struct{})
	go func() {
		defer close(told)
		for _, ses := range open {
			ses.followed.Wait()
		}
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-told:
		return nil
	case <-s.conn.Lost():
		return nil
	case <-late.C:
		return ErrUnread
	}
}

// handle runs on the reader's goroutine: a prompt and the cancel right behind it
// are submitted in the order they came. Only opening a session takes long.
func (s *server) handle(ctx context.Context, req *jsonrpc.Request) {
	switch req.Method {
	case "initialize":
		req.Reply(s.initialize(), nil)
	case "authenticate":
		req.Reply(nil, s.authenticate(req))
	case "session/new":
		s.beside(req, func() { req.Reply(s.open(ctx, req)) })
	case "session/prompt":
		if err := s.prompt(ctx, req); err != nil {
			req.Reply(nil, err)
		}
	case acpwire.SteerMethod:
		req.Reply(s.steer(ctx, req))
	case "session/cancel": // a notification; whoever wants an answer gets one
		req.Reply(nil, s.cancel(ctx, req))
	case "$/cancel_request":
		req.Reply(nil, s.cancelRequest(ctx, req))
	default:
		req.Reply(nil, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %s", req.Method))
	}
}

// beside runs what takes long next to the reader.
func (s *server) beside(req *jsonrpc.Request, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || req.ID == nil { // nobody would learn of the session
		req.Reply(nil, jsonrpc.ErrClosed)
		return
	}
	s.opening.Go(f)
}

func (s *server) find(method, id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, ok := s.sessions[id]
	if !ok {
		return nil, jsonrpc.InvalidParams(method, "sessionId", "there is no session %q here", id)
	}
	return ses, nil
}
