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
	Spec    protocol.Spec // defaults of new sessions: model, effort, work mode, posture, directories
	Lang    string        // of people, as core/i18n has it; empty: English
	Home    string        // the user's home directory, which errors do not show; empty: unknown
}

// server is one connection's sessions.
type server struct {
	host protocol.Host
	opts Options
	conn *jsonrpc.Conn

	sessions register

	mu      sync.Mutex
	closing bool
	opening sync.WaitGroup                // only added to while not closing
	answers sync.WaitGroup                // of opening, what ends by itself
	closed  sync.WaitGroup                // answers to session/close; only added to while not closing
	beside  map[string]context.CancelFunc // requests that are served next to the reader, by id

	// What the client said of itself.
	can         acpwire.ClientCapabilities
	is          acpwire.Implementation
	wantsStatus bool
	inTerminal  bool // it can start us in a terminal
}

// Serve answers one client on r and w until it closes r, leaves w, or ctx ends;
// every turn is then cancelled, its prompt answered, and every session closed.
// None of these ends is an error, but ErrUnread behind the first two. Unless the client
// closes r first, a goroutine is left that reads r until it is closed.
func Serve(ctx context.Context, host protocol.Host, opts Options, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{host: host, opts: opts, sessions: newRegister(), beside: map[string]context.CancelFunc{}}
	s.conn = jsonrpc.New(r, w, func(req *jsonrpc.Request) { s.handle(ctx, req) })
	s.conn.Reword(s.reword)
	defer s.conn.Close()
	read := make(chan error, 1)
	go func() { read <- s.conn.Serve() }()
	var err error
	told := false
	select {
	case err = <-read:
		s.answerRest(ctx)
	case <-s.conn.Lost():
	case <-ctx.Done():
		told = true
	}
	cancel()
	return errors.Join(err, s.close(told))
}

// answerRest waits for what is served beside when nothing more can be asked: whoever
// writes its requests and then only reads gets its answers.
func (s *server) answerRest(ctx context.Context) {
	answered := make(chan struct{})
	go func() {
		s.answers.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-s.conn.Lost():
	case <-ctx.Done():
	}
}

// close ends every session at once: what each of them cancels takes its time. Nobody
// waits for the client to read from now on but the very end, and that not for long. When
// we were told to end, a client that does not read is no error.
func (s *server) close(told bool) error {
	s.mu.Lock()
	s.closing = true
	s.sessions.close()
	s.mu.Unlock()
	s.conn.Hurry()
	s.opening.Wait()
	open := s.sessions.rest()
	errs := make(chan error, len(open))
	for _, ses := range open {
		go func() {
			err := ses.Close()
			ses.followed.Wait()
			errs <- err
		}()
	}
	var all error
	for range open {
		all = errors.Join(all, <-errs)
	}
	s.closed.Wait()
	late, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s.conn.Flush(late) != nil && !told {
		return errors.Join(all, ErrUnread)
	}
	return all
}

// handle runs on the reader's goroutine: prompts, steers, cancels and closes are served
// in the order they came. What takes long is served next to it.
func (s *server) handle(ctx context.Context, req *jsonrpc.Request) {
	refuse := func(err error) {
		if err != nil {
			req.Reply(nil, err)
		}
	}
	switch req.Method {
	case "session/prompt":
		refuse(s.prompt(ctx, req))
	case acpwire.SteerMethod:
		refuse(s.steering(ctx, req))
	case "session/cancel": // a notification; whoever wants an answer gets one
		req.Reply(nil, s.cancel(ctx, req))
	case "$/cancel_request":
		s.cancelBeside(ctx, req)
	case "session/close":
		s.shut(req)
	case "session/set_config_option":
		refuse(s.setOption(ctx, req))
	case "session/set_mode":
		refuse(s.setMode(ctx, req))
	case "session/set_model":
		refuse(s.setModel(ctx, req))
	case "initialize":
		req.Reply(s.initialize(req))
	case "authenticate":
		req.Reply(nil, s.authenticate(req))
	default:
		s.elsewhere(ctx, req)
	}
}

// elsewhere serves what may take long, each request next to all others.
func (s *server) elsewhere(ctx context.Context, req *jsonrpc.Request) {
	refuse := func(err error) {
		if err != nil {
			req.Reply(nil, err)
		}
	}
	serve := map[string]func(context.Context){
		"session/new":         func(ctx context.Context) { refuse(s.open(ctx, req)) },
		"session/load":        func(ctx context.Context) { refuse(s.open(ctx, req)) },
		"session/resume":      func(ctx context.Context) { refuse(s.open(ctx, req)) },
		"session/list":        func(ctx context.Context) { req.Reply(s.list(ctx, req)) },
		"session/delete":      func(ctx context.Context) { req.Reply(nil, s.remove(ctx, req)) },
		acpwire.StatusMethod:  func(ctx context.Context) { req.Reply(s.statusOf(ctx, req)) },
		acpwire.CompactMethod: func(ctx context.Context) { req.Reply(nil, s.compact(ctx, req)) },
		acpwire.RewindMethod:  func(ctx context.Context) { req.Reply(s.rewind(ctx, req)) },
		acpwire.ForkMethod:    func(ctx context.Context) { refuse(s.fork(ctx, req)) },
	}[req.Method]
	if serve == nil {
		req.Reply(nil, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %s", req.Method))
		return
	}
	s.serveBeside(ctx, req, serve)
}

// serveBeside runs what may take long next to the reader. $/cancel_request ends it.
func (s *server) serveBeside(ctx context.Context, req *jsonrpc.Request, serve func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || req.ID == nil { // nobody would learn of it
		req.Reply(nil, jsonrpc.ErrClosed)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(req.ID)
	s.beside[id] = cancel
	answered := func() {}
	if req.Method != acpwire.CompactMethod { // that lasts as long as a model does
		s.answers.Add(1)
		answered = s.answers.Done
	}
	s.opening.Go(func() {
		defer answered()
		defer func() {
			s.mu.Lock()
			delete(s.beside, id)
			s.mu.Unlock()
			cancel()
		}()
		serve(ctx)
	})
}

// cancelBeside serves $/cancel_request, for a prompt or for what is served beside.
func (s *server) cancelBeside(ctx context.Context, req *jsonrpc.Request) {
	var p acpwire.CancelRequest
	if req.Bind(&p) == nil {
		s.mu.Lock()
		cancel := s.beside[string(p.RequestID)]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
			return
		}
	}
	req.Reply(nil, s.cancelRequest(ctx, req))
}

func (s *server) find(method, id string) (*session, error) {
	if ses := s.sessions.find(id); ses != nil {
		return ses, nil
	}
	return nil, notFound(method, id)
}
