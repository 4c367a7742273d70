package acp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// open answers session/new, session/load and session/resume. The session is followed
// before the client hears of it: no event of its first turn can be missed.
func (s *server) open(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.OpenSession
	if err := req.Bind(&p); err != nil {
		return err
	}
	spec, err := s.specOf(req.Method, p)
	if err != nil {
		return err
	}
	if req.Method == "session/new" {
		return s.start(ctx, req, p, spec)
	}
	ses, free, err := s.sessions.claim(ctx, p.SessionID)
	if err != nil {
		return s.internal(req.Method, err)
	}
	if ses != nil {
		return s.rejoin(ctx, req, p, ses)
	}
	defer free()
	if spec, err = s.again(ctx, req.Method, p, spec); err != nil {
		return err
	}
	return s.start(ctx, req, p, spec)
}

// specOf is what every way to open a session needs of its params. What the flags say is
// for new sessions: any other goes on as it was, and writes what the client asks for.
func (s *server) specOf(method string, p acpwire.OpenSession) (protocol.Spec, error) {
	spec := s.opts.Spec
	if method != "session/new" {
		spec.Model, spec.Effort, spec.WorkMode, spec.Approval, spec.AddDirs = "", "", "", "", nil
	}
	if !filepath.IsAbs(p.Cwd) {
		return spec, jsonrpc.InvalidParams(method, "cwd", "it must be an absolute path, got %q", p.Cwd)
	}
	if info, err := os.Stat(p.Cwd); err != nil || !info.IsDir() {
		return spec, jsonrpc.InvalidParams(method, "cwd", "%s is not a directory", p.Cwd)
	}
	spec.Workspace, spec.Interactive, spec.Client = filepath.Clean(p.Cwd), true, s.client()
	for _, dir := range p.AddDirs {
		if !filepath.IsAbs(dir) {
			return spec, jsonrpc.InvalidParams(method, "additionalDirectories", "each must be an absolute path, got %q", dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return spec, jsonrpc.InvalidParams(method, "additionalDirectories", "%s is not a directory", dir)
		}
		spec.AddDirs = append(spec.AddDirs[:len(spec.AddDirs):len(spec.AddDirs)], filepath.Clean(dir))
	}
	return spec, nil
}

// client is who drives the sessions, in one line.
func (s *server) client() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.Join(strings.Fields(s.is.Name), " ")
	if len(name) > 60 || name == "" {
		return "acp"
	}
	return "acp " + name
}

// again is the spec of a session that is there already. It must be where it was, or be
// told to move.
func (s *server) again(ctx context.Context, method string, p acpwire.OpenSession, spec protocol.Spec) (protocol.Spec, error) {
	in, ok, err := s.stored(ctx, method, p.SessionID)
	if err != nil {
		return spec, err
	}
	if !ok {
		return spec, notFound(method, p.SessionID)
	}
	spec.Session = in.ID
	if in.Workspace == "" || samePlace(in.Workspace, spec.Workspace) {
		return spec, nil
	}
	if !p.Meta.Relocate {
		return spec, wrongCwd(method, p.SessionID, in.Workspace)
	}
	spec.From = in.Workspace
	return spec, nil
}

// rejoin answers for a session that is open here: it stays as it is, and session/load
// shows it as it stands.
func (s *server) rejoin(ctx context.Context, req *jsonrpc.Request, p acpwire.OpenSession, ses *session) error {
	if !samePlace(ses.spec.Workspace, p.Cwd) {
		return wrongCwd(req.Method, p.SessionID, ses.spec.Workspace)
	}
	if req.Method != "session/load" {
		req.Reply(ses.opened(ctx, false), nil)
		return nil
	}
	done, err := ses.between(ctx, func() { s.load(ctx, req, ses) })
	switch {
	case err != nil:
		return s.internal(req.Method, err)
	case !done:
		return submitError(req.Method, protocol.ErrClosed)
	}
	return nil
}

// load answers session/load behind what it shows. It runs on the goroutine that follows
// the session.
func (s *server) load(ctx context.Context, req *jsonrpc.Request, ses *session) {
	if err := ses.drawing.replay(ctx); err != nil {
		req.Reply(nil, s.internal(req.Method, err))
		return
	}
	req.Reply(ses.opened(ctx, false), nil)
	ses.drawing.state.again()
}

// start opens spec and answers req when the session's present is known.
func (s *server) start(ctx context.Context, req *jsonrpc.Request, p acpwire.OpenSession, spec protocol.Spec) error {
	servers, err := serverSpecs(req.Method, p.MCPServers)
	if err != nil {
		return err
	}
	s.mu.Lock()
	can, wants := s.can, s.wantsStatus
	s.mu.Unlock()
	lent := lend(s.conn, can)
	spec.Servers, spec.Files, spec.Terminal = servers, lent.files(), lent.terminal()
	opened, err := s.host.Open(ctx, spec)
	if err != nil {
		return s.sessionError(req.Method, p.SessionID, err)
	}
	ses := newSession(opened, s.conn, s.host, spec, client{
		can: can, lang: s.opts.Lang, home: s.opts.Home, lent: lent, wantsStatus: wants, authMethods: s.authMethods(),
	})
	lent.bind(string(opened.ID()))
	s.sessions.expect(ses)
	s.join(ctx, req, ses)
	return nil
}

// join follows a session and returns when its opening is answered. The end of ctx ends
// the opening, and nothing that comes behind it.
func (s *server) join(ctx context.Context, req *jsonrpc.Request, ses *session) {
	following, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, func() { stop(ctx.Err()) })
	answered := make(chan struct{})
	ses.followed.Go(func() {
		defer stop(nil)
		ses.follow(following, func(err error) error {
			defer close(answered)
			if err == nil && req.Method == "session/load" {
				err = ses.drawing.replay(ctx)
			}
			if !detach() {
				err = ctx.Err()
			}
			return s.joined(following, req, ses, err)
		})
	})
	<-answered
}

// joined answers whoever opened a session as soon as its present is known. A session
// whose present or past cannot be known is closed again: nobody would follow it.
func (s *server) joined(ctx context.Context, req *jsonrpc.Request, ses *session, err error) error {
	if err != nil {
		err = errors.Join(err, ses.Close())
		s.sessions.leave(ses)
		req.Reply(nil, s.internal(req.Method, err))
		return err
	}
	s.sessions.enter(ses)
	req.Reply(ses.opened(ctx, req.Method == "session/new" || req.Method == acpwire.ForkMethod), nil)
	return nil
}

// opened is the answer to whoever opened the session.
func (s *session) opened(ctx context.Context, named bool) acpwire.OpenedSession {
	r := acpwire.OpenedSession{Models: s.models(), Modes: s.modes()}
	if named {
		r.SessionID = string(s.ID())
	}
	options, queued := configOptions(s.lang, s.status.now())
	r.ConfigOptions = options
	status, facts := s.object(ctx)
	about := map[string]any{"status": status}
	if queued != nil {
		about["queued"] = queued
	}
	if len(facts.Off) > 0 {
		about["off"] = facts.Off
	}
	r.Meta = ours(about)
	return r
}
