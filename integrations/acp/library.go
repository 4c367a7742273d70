package acp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// pageSize is how many sessions one answer of session/list has at most.
const pageSize = 50

// list answers session/list from what is on disk. The cursor of a page is when the last
// session of the one before was written, and its id.
func (s *server) list(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var p acpwire.ListSessions
	if err := req.Bind(&p); err != nil {
		return nil, err
	}
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		return nil, jsonrpc.InvalidParams(req.Method, "cwd", "it must be an absolute path, got %q", p.Cwd)
	}
	q := protocol.Query{Workspace: p.Cwd, Limit: pageSize + 1}
	if !fromCursor(&q, p.Cursor) {
		return nil, jsonrpc.InvalidParams(req.Method, "cursor", "it is none of ours: %q", p.Cursor)
	}
	if s.host.Library == nil {
		return acpwire.SessionList{Sessions: []acpwire.ListedSession{}}, nil
	}
	found, err := s.host.Sessions(ctx, q)
	if err != nil {
		return nil, s.internal(req.Method, err)
	}
	list := acpwire.SessionList{Sessions: []acpwire.ListedSession{}}
	if len(found) > pageSize {
		found = found[:pageSize]
		list.NextCursor = cursorOf(found[pageSize-1])
	}
	for _, in := range found {
		list.Sessions = append(list.Sessions, listed(in, p.Cwd))
	}
	return list, nil
}

func cursorOf(in protocol.Info) string {
	return strconv.FormatInt(in.Updated, 10) + "." + string(in.ID)
}

// fromCursor adds the place that a cursor names; false when it is none of cursorOf.
func fromCursor(q *protocol.Query, cursor string) bool {
	if cursor == "" {
		return true
	}
	at, id, ok := strings.Cut(cursor, ".")
	updated, err := strconv.ParseInt(at, 10, 64)
	q.Before, q.Updated = event.SessionID(id), updated
	return ok && err == nil && id != "" && !strings.ContainsFunc(id, notInID)
}

func notInID(r rune) bool {
	return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

func listed(in protocol.Info, cwd string) acpwire.ListedSession {
	l := acpwire.ListedSession{SessionID: string(in.ID), Cwd: in.Workspace, Title: in.Title}
	if l.Cwd == "" {
		l.Cwd = cwd
	}
	if in.Updated != 0 {
		l.UpdatedAt = time.Unix(0, in.Updated).UTC().Format(time.RFC3339)
	}
	about := map[string]any{}
	if in.Model != "" {
		about["model"] = in.Model
	}
	if in.Outcome != "" {
		about["outcome"] = in.Outcome
	}
	if len(about) > 0 {
		l.Meta = ours(about)
	}
	return l
}

// stored finds a session at rest by its id; false when there is none.
func (s *server) stored(ctx context.Context, method, id string) (protocol.Info, bool, error) {
	if s.host.Library == nil || id == "" || strings.ContainsFunc(id, notInID) {
		return protocol.Info{}, false, nil
	}
	found, err := s.host.Sessions(ctx, protocol.Query{Text: id})
	if err != nil {
		return protocol.Info{}, false, s.internal(method, err)
	}
	i := slices.IndexFunc(found, func(in protocol.Info) bool { return string(in.ID) == id })
	if i < 0 {
		return protocol.Info{}, false, nil
	}
	return found[i], true, nil
}

// samePlace reports whether two paths are one directory, through whatever links.
func samePlace(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	at, err := os.Stat(a)
	if err != nil {
		return false
	}
	bt, err := os.Stat(b)
	return err == nil && os.SameFile(at, bt)
}

// shut answers session/close: the turn has stopped, and everything is saved, when the
// client hears of it. It waits for whoever opens or closes the session already. A session
// that is not open here is closed.
func (s *server) shut(_ context.Context, req *jsonrpc.Request) error {
	var p acpwire.OfSession
	if err := req.Bind(&p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, under := s.sessions.take(p.SessionID)
	switch {
	case ses != nil:
		s.closed.Go(func() { req.Reply(nil, s.end(req.Method, ses)) })
	case under != nil:
		s.closed.Go(func() { req.Reply(nil, s.endBehind(req.Method, p.SessionID, under)) })
	default:
		req.Reply(nil, nil)
	}
	return nil
}

// endBehind closes a session when what is under way with it is over, unless it is closed
// by then.
func (s *server) endBehind(method, id string, under <-chan struct{}) error {
	for under != nil {
		<-under
		var ses *session
		if ses, under = s.sessions.take(id); ses != nil {
			return s.end(method, ses)
		}
	}
	return nil
}

// end closes a session that was taken. What its turn still says comes before it returns.
func (s *server) end(method string, ses *session) error {
	err := ses.Close()
	ses.followed.Wait()
	s.sessions.closed(ses)
	if err != nil {
		return s.internal(method, err)
	}
	return nil
}

// remove answers session/delete: the session and all that was kept for it are gone. One
// that is open here is closed first; one that is nowhere is gone.
func (s *server) remove(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.OfSession
	if err := req.Bind(&p); err != nil {
		return err
	}
	for {
		ses, free, err := s.sessions.claim(ctx, p.SessionID)
		if err != nil {
			return s.internal(req.Method, err)
		}
		if ses == nil {
			defer free()
			break
		}
		ses, _ = s.sessions.take(p.SessionID)
		if ses == nil && ctx.Err() != nil { // they are all being closed
			return s.internal(req.Method, ctx.Err())
		}
		if ses == nil {
			continue // another request closes it
		}
		if err := s.end(req.Method, ses); err != nil {
			return err
		}
	}
	in, ok, err := s.stored(ctx, req.Method, p.SessionID)
	if err != nil || !ok {
		return err
	}
	err = s.host.Delete(ctx, in.Workspace, in.ID)
	if errors.Is(err, protocol.ErrUnknown) {
		return nil
	}
	return s.sessionError(req.Method, p.SessionID, err)
}
