package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A link is one connection to a server, from the handshake to its end.
type link struct {
	server  *server
	session *sdk.ClientSession
	process *process // nil for a server that is elsewhere
	life    context.Context
	end     context.CancelCauseFunc
	talk    context.Context // of what no call waits for: ends when we begin to leave
	hush    context.CancelFunc
	done    chan struct{} // closed when nothing of it is left
	once    sync.Once
	listed  chan struct{} // closed when its prompts are known, or cannot be

	lists watches
	turn  chan struct{} // held while a person is asked

	mu        sync.Mutex
	followed  bool // it is the server's connection, and its lists are kept up to date
	leaving   bool // no call begins any more
	next      int
	calls     map[string]*call // under way, by progress token
	asking    int              // what the server asked for and waits for
	questions int              // of it those for a person
	unbidden  bool             // there was one that no call was under way for, and no call since
}

var errEnded = errors.New("the connection ended")

// connect starts the server and shakes hands. ctx bounds that, and life what
// follows.
func (s *server) connect(ctx, life context.Context) (l *link, err error) {
	l = s.newLink(life)
	transport, err := l.transport(ctx, life)
	if err != nil {
		l.end(errEnded)
		return nil, err
	}
	// The context of the handshake is that of a stream that outlives it.
	stop := context.AfterFunc(ctx, func() { l.end(context.Cause(ctx)) })
	l.session, err = l.client().Connect(l.life, &mortal{transport, l.life}, &sdk.ClientSessionOptions{ProtocolVersion: s.cfg.protocol()})
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		stop()
		return nil, l.failed(ctx, err)
	}
	s.set.running.Go(l.watch)
	return l, nil
}

func (s *server) newLink(life context.Context) *link {
	l := &link{
		server: s, done: make(chan struct{}), listed: make(chan struct{}), turn: make(chan struct{}, 1), calls: map[string]*call{},
	}
	l.life, l.end = context.WithCancelCause(life)
	l.talk, l.hush = context.WithCancel(l.life)
	l.lists = s.watches(l)
	return l
}

// failed ends a link that never came to be and says why.
func (l *link) failed(ctx context.Context, err error) error {
	if l.session != nil {
		l.abandon()
		_ = l.session.Close()
	}
	l.end(errEnded)
	if l.process == nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	cause := context.Cause(ctx)
	if cause == nil && ended(err) {
		l.process.stop(l.server.set.grace()) // it is leaving, and its own end says more
		return errors.New(l.process.how())
	}
	l.process.stop(0)
	return cmp.Or(cause, err)
}

func (l *link) transport(ctx, life context.Context) (sdk.Transport, error) {
	s := l.server
	switch s.cfg.kind() {
	case TypeStdio:
		p, err := s.spawn(life)
		if err != nil {
			return nil, err
		}
		l.process = p
		p.pipe.heard = l.hear // nobody reads yet
		return p.pipe, nil
	case TypeHTTP:
		client, others, err := s.clients(ctx, l)
		if err != nil {
			return nil, err
		}
		t := &sdk.StreamableClientTransport{Endpoint: s.cfg.URL, HTTPClient: client, MaxEventSize: maxLine}
		if s.set.world.Authorize != nil && !s.authorized() {
			if t.OAuthHandler, err = s.set.world.Authorize(s.cfg, others); err != nil {
				return nil, fmt.Errorf("authorization: %w", err)
			}
		}
		return t, nil
	case TypeSSE:
		client, _, err := s.clients(ctx, l)
		if err != nil {
			return nil, err
		}
		return &sdk.SSEClientTransport{Endpoint: s.cfg.URL, HTTPClient: client, MaxEventSize: maxLine}, nil
	}
	return nil, fmt.Errorf("type %q is none of stdio, http, sse", s.cfg.Type)
}

// client says what we can do for the server. Nothing is advertised by default.
func (l *link) client() *sdk.Client {
	s := l.server
	w := s.set.world
	options := &sdk.ClientOptions{
		Logger: slog.New(slog.DiscardHandler),
		Capabilities: &sdk.ClientCapabilities{
			RootsV2: &sdk.RootCapabilities{}, //nolint:staticcheck // SA1019: servers of today use roots
		},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { l.changed(l.lists.tools) },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { l.changed(l.lists.prompts) },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { l.changed(l.lists.resources) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { l.progress(r.Params) },
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { //nolint:staticcheck // SA1019: servers of today log
			data, _ := json.Marshal(r.Params.Data)
			s.log.note("%s %s: %.4000s", r.Params.Level, r.Params.Logger, data)
		},
	}
	if s.asks() {
		options.Capabilities.Elicitation = &sdk.ElicitationCapabilities{
			Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
		}
		options.ElicitationHandler = l.elicit
	}
	if s.samples() {
		options.CreateMessageHandler = l.sample //nolint:staticcheck // SA1019: servers of today sample
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "reasonix", Version: w.Version}, options)
	for _, dir := range w.roots() {
		client.AddRoots(&sdk.Root{Name: filepath.Base(dir), URI: fileURI(dir)}) //nolint:staticcheck // SA1019: servers of today use roots
	}
	return client
}

// asks and samples report what the server is told that it may ask of us.
func (s *server) asks() bool    { return s.set.world.Ask != nil }
func (s *server) samples() bool { return s.set.world.Sample != nil && s.cfg.Sampling }

func (w World) roots() []string {
	if len(w.Roots) == 0 {
		return []string{w.Workspace}
	}
	return w.Roots
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// watch waits for the end of the connection and clears away what is left of it.
func (l *link) watch() {
	defer close(l.done)
	_ = l.session.Wait()
	l.abandon()
	l.known()
	l.end(errEnded)
	if l.process != nil {
		l.process.stop(l.server.set.grace())
	}
	l.server.lost(l)
}

// close ends the connection in order. It returns when nothing of it is left.
func (l *link) close() {
	l.abandon()
	if l.process != nil {
		// Its input ends, and with that the session.
		_ = l.process.pipe.Close()
	}
	timer := time.AfterFunc(l.server.set.grace(), func() { l.end(errEnded) })
	defer timer.Stop()
	_ = l.session.Close()
	<-l.done
}

// abandon gives up what waits for an answer, ours or the server's: it would hold
// up the end.
func (l *link) abandon() {
	l.hush()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = true
	for _, c := range l.calls {
		c.stop(errEnded)
	}
}

// known says that the server's prompts are known, or cannot be.
func (l *link) known() { l.once.Do(func() { close(l.listed) }) }

// gone reports whether the link ends or has ended.
func (l *link) gone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaving
}

// why says why the connection is gone.
func (l *link) why() string {
	if l.process != nil {
		<-l.process.done
		return l.process.how()
	}
	return "the connection to it ended"
}

// enter takes note of a call, gives it a token by which progress finds it, and
// runs it.
func (l *link) enter(c *call, run func(token string)) (token string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving {
		return "", errEnded
	}
	l.next++
	token = strconv.Itoa(l.next)
	l.calls[token], l.unbidden = c, false
	l.server.set.running.Go(func() { run(token) })
	return token, nil
}

func (l *link) leave(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, token)
}

// only returns the call that is under way when there is just one.
func (l *link) only() *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) == 1 {
		for _, c := range l.calls {
			return c
		}
	}
	return nil
}
