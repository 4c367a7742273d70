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
	opening sync.WaitGroup                 // only added to while not closing
	answers sync.WaitGroup                 // of opening, what ends by itself
	closed  sync.WaitGroup                 // answers to session/close; only added to while not closing
	beside  map[string]*context.CancelFunc // requests that are served next to the reader, by id

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
	s := &server{host: host, opts: opts, sessions: newRegister(), beside: map[string]*context.CancelFunc{}}
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

// handler serves one kind of request. An error is the answer; without one it answers by
// itself.
type handler func(s *server, ctx context.Context, req *jsonrpc.Request) error

// inOrder are the requests that are served on the reader's goroutine, one behind the
// other.
var inOrder = map[string]handler{
	"session/prompt":            (*server).prompt,
	acpwire.SteerMethod:         (*server).steering,
	"session/cancel":            answering((*server).cancel), // a notification; whoever wants an answer gets one
	"$/cancel_request":          answering((*server).cancelBeside),
	"session/close":             (*server).shut,
	"session/set_config_option": (*server).setOption,
	"session/set_mode":          (*server).setMode,
	"session/set_model":         (*server).setModel,
	"initialize":                resulting((*server).initialize),
	"authenticate":              answering((*server).authenticate),
}

// nextTo are the requests that may take long, served each next to all others.
var nextTo = map[string]handler{
	"session/new":         (*server).open,
	"session/load":        (*server).open,
	"session/resume":      (*server).open,
	"session/list":        resulting((*server).list),
	"session/delete":      answering((*server).remove),
	acpwire.StatusMethod:  resulting((*server).statusOf),
	acpwire.CompactMethod: answering((*server).compact),
	acpwire.RewindMethod:  resulting((*server).rewind),
	acpwire.ForkMethod:    (*server).fork,
}

// resulting serves a request that is answered with what serve returns.
func resulting(serve func(*server, context.Context, *jsonrpc.Request) (any, error)) handler {
	return func(s *server, ctx context.Context, req *jsonrpc.Request) error {
		result, err := serve(s, ctx, req)
		if err == nil {
			req.Reply(result, nil)
		}
		return err
	}
}

// answering serves a request whose answer says no more than that it was done.
func answering(serve handler) handler {
	return func(s *server, ctx context.Context, req *jsonrpc.Request) error {
		err := serve(s, ctx, req)
		if err == nil {
			req.Reply(nil, nil)
		}
		return err
	}
}

// handle runs on the reader's goroutine: prompts, steers, cancels and closes are served
// in the order they came. What takes long is served next to it.
func (s *server) handle(ctx context.Context, req *jsonrpc.Request) {
	if serve := inOrder[req.Method]; serve != nil {
		if err := serve(s, ctx, req); err != nil {
			req.Reply(nil, err)
		}
		return
	}
	if serve := nextTo[req.Method]; serve != nil {
		s.serveBeside(ctx, req, serve)
		return
	}
	req.Reply(nil, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %s", req.Method))
}

// serveBeside runs what may take long next to the reader. $/cancel_request ends it.
func (s *server) serveBeside(ctx context.Context, req *jsonrpc.Request, serve handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || req.ID == nil { // nobody would learn of it
		req.Reply(nil, jsonrpc.ErrClosed)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	id, mine := string(req.ID), &cancel
	s.beside[id] = mine
	answered := func() {}
	if req.Method != acpwire.CompactMethod { // that lasts as long as a model does
		s.answers.Add(1)
		answered = s.answers.Done
	}
	s.opening.Go(func() {
		defer answered()
		defer func() {
			s.mu.Lock()
			if s.beside[id] == mine { // the client may have used the id again
				delete(s.beside, id)
			}
			s.mu.Unlock()
			cancel()
		}()
		if err := serve(s, ctx, req); err != nil {
			req.Reply(nil, err)
		}
	})
}

// cancelBeside serves $/cancel_request, for a prompt or for what is served beside.
func (s *server) cancelBeside(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.CancelRequest
	if req.Bind(&p) == nil {
		s.mu.Lock()
		cancel := s.beside[string(p.RequestID)]
		s.mu.Unlock()
		if cancel != nil {
			(*cancel)()
			return nil
		}
	}
	return s.cancelRequest(ctx, req)
}

func (s *server) find(method, id string) (*session, error) {
	if ses := s.sessions.find(id); ses != nil {
		return ses, nil
	}
	return nil, notFound(method, id)
}
