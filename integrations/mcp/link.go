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
	host  host

	mu      sync.Mutex
	leaving bool // no call begins any more
	next    int
	calls   map[string]*call // under way, by progress token
}

var errEnded = errors.New("the connection ended")

// connect starts the server and shakes hands. ctx bounds that, and the life of its set
// what follows.
func connect(ctx context.Context, s *server) (l *link, err error) {
	l = newLink(s)
	transport, err := l.transport(ctx, s.set.life)
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

func newLink(s *server) *link {
	l := &link{
		server: s, done: make(chan struct{}), listed: make(chan struct{}), calls: map[string]*call{},
	}
	l.life, l.end = context.WithCancelCause(s.set.life)
	l.talk, l.hush = context.WithCancel(l.life)
	l.lists = newWatches(l)
	l.host = newHost(l)
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
		p, err := s.program.spawn(life)
		if err != nil {
			return nil, err
		}
		l.process = p
		p.pipe.heard = l.hear // nobody reads yet
		return p.pipe, nil
	case TypeHTTP:
		client, others, err := s.program.clients(ctx, l)
		if err != nil {
			return nil, err
		}
		t := &sdk.StreamableClientTransport{Endpoint: s.cfg.URL, HTTPClient: client, MaxEventSize: maxLine}
		if s.world.Authorize != nil && !s.authorized() {
			if t.OAuthHandler, err = s.world.Authorize(s.cfg, others); err != nil {
				return nil, fmt.Errorf("authorization: %w", err)
			}
		}
		return t, nil
	case TypeSSE:
		client, _, err := s.program.clients(ctx, l)
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
	options := &sdk.ClientOptions{
		Logger: slog.New(slog.DiscardHandler),
		Capabilities: &sdk.ClientCapabilities{
			RootsV2: &sdk.RootCapabilities{}, //nolint:staticcheck // SA1019: servers of today use roots
		},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { l.lists.changed(l.lists.tools) },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { l.lists.changed(l.lists.prompts) },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { l.lists.changed(l.lists.resources) },
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
		options.ElicitationHandler = l.host.elicit
	}
	if s.samples() {
		options.CreateMessageHandler = l.host.sample //nolint:staticcheck // SA1019: servers of today sample
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "reasonix", Version: s.world.Version}, options)
	for _, dir := range s.world.roots() {
		client.AddRoots(&sdk.Root{Name: filepath.Base(dir), URI: fileURI(dir)}) //nolint:staticcheck // SA1019: servers of today use roots
	}
	return client
}

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

func (l *link) lister() lister { return lister{l.server.declared, l.session, l.server.log} }

// wantLogs asks for what a server logs, which goes to its file.
func (l *link) wantLogs() {
	ctx, cancel := context.WithTimeout(l.talk, l.server.cfg.startTimeout())
	defer cancel()
	if l.lister().can().Logging == nil { //nolint:staticcheck // SA1019: servers of today log
		return
	}
	//nolint:staticcheck // SA1019: servers of today log
	if err := l.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
		l.server.log.note("ask for logs: %v", err)
	}
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
	l.calls[token] = c
	l.host.questions.unbidden, l.host.samples.unbidden = false, false
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
