package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
	"reasonix/core/workspace"
)

// library is the engine's, and beyond it the sessions of every workspace: a query that
// names none is about all of them. Query.Text is an id, or words of a title.
type library struct {
	*engine.Engine
	shelves
}

// shelves are the stores of all workspaces.
type shelves struct {
	home   home
	writer string // in the header of what is written
	now    func() time.Time
}

func (w World) shelves() shelves { return shelves{home(w.Home), "reasonix " + w.Version, w.Now} }

// of is the store of a workspace. What is kept says where that is whatever becomes of the
// links which lead there.
func (s shelves) of(dir string) *jsonl.Store {
	return jsonl.New(s.home.sessions(dir), jsonl.Options{
		Workspace: workspace.Real(dir), Writer: s.writer, Now: s.now, Beside: []string{s.home.checkpoints(dir)},
	})
}

// Open implements protocol.Opener. A session that comes from another workspace is moved
// first.
func (l library) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	if spec.From != "" && spec.Session != "" {
		if err := l.move(spec); err != nil {
			return nil, err
		}
	}
	return l.Engine.Open(ctx, spec)
}

func (l library) move(spec protocol.Spec) error {
	from, to := l.of(spec.From), l.of(spec.Workspace)
	err := to.Move(from, spec.Session)
	if errors.Is(err, session.ErrUnknown) {
		return fmt.Errorf("%w: %w", protocol.ErrUnknown, err)
	}
	return err
}

// Sessions implements protocol.Library.
func (l library) Sessions(ctx context.Context, q protocol.Query) ([]protocol.Info, error) {
	dirs := []string{l.home.sessions(q.Workspace)}
	if q.Workspace == "" {
		var err error
		if dirs, err = jsonl.Dirs(string(l.home)); err != nil {
			return nil, err
		}
	}
	if found := l.byID(ctx, dirs, q); found != nil {
		return found, nil
	}
	var all []inDir
	for _, dir := range dirs {
		metas, err := jsonl.New(dir, jsonl.Options{}).List(ctx, session.Query{})
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		for _, m := range metas {
			if (m.Parent == "" || m.Client != event.ProfilePlanner) && matches(m, q.Text) {
				all = append(all, inDir{m, dir})
			}
		}
	}
	slices.SortFunc(all, func(a, b inDir) int { return older(b.Updated.UnixNano(), b.ID, a.Updated.UnixNano(), a.ID) })
	return l.page(all, q), nil
}

// older compares two sessions by when they were written last, in Unix seconds, and by id.
func older(at int64, id event.SessionID, otherAt int64, other event.SessionID) int {
	return cmp.Or(cmp.Compare(at, otherAt), cmp.Compare(id, other))
}

// inDir is a session and the directory it is kept in.
type inDir struct {
	session.Meta
	dir string
}

// byID finds the one session that q.Text is the id of; nil when it is the id of none.
func (l library) byID(ctx context.Context, dirs []string, q protocol.Query) []protocol.Info {
	id := event.SessionID(q.Text)
	if !session.ValidID(id) {
		return nil
	}
	for _, dir := range dirs {
		if in, err := jsonl.New(dir, jsonl.Options{}).Info(ctx, id); err == nil {
			return l.page([]inDir{{in.Meta, dir}}, protocol.Query{})
		}
	}
	return nil
}

func matches(m session.Meta, text string) bool {
	title := strings.ToLower(m.Title)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(title, word) {
			return false
		}
	}
	return true
}

// page is what of all, newest first, q asks for.
func (s shelves) page(all []inDir, q protocol.Query) []protocol.Info {
	if q.Updated != 0 {
		all = slices.DeleteFunc(all, func(m inDir) bool { return older(m.Updated.UnixNano(), m.ID, q.Updated, q.Before) >= 0 })
	} else if i := slices.IndexFunc(all, func(m inDir) bool { return m.ID == q.Before }); i >= 0 {
		all = all[i+1:]
	} else if q.Before != "" { // it is gone, and its own time says where it was
		all = slices.DeleteFunc(all, func(m inDir) bool { return m.ID > q.Before })
	}
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	infos := make([]protocol.Info, len(all))
	for i, m := range all {
		infos[i] = protocol.Info{
			ID: m.ID, Title: m.Title, Workspace: s.whereIs(m.dir, m.ID, m.Workspace), Model: m.Model, Updated: m.Updated.UnixNano(), Outcome: m.Outcome,
		}
	}
	return infos
}

// whereIs is the workspace of a session in dir, whose journal began in workspace: it may
// have moved since.
func (s shelves) whereIs(dir string, id event.SessionID, workspace string) string {
	if s.home.sessions(workspace) == dir {
		return workspace
	}
	side, err := jsonl.New(dir, jsonl.Options{}).Sidecar(id)
	if err != nil || side.Cwd == "" {
		return workspace
	}
	return filepath.FromSlash(side.Cwd)
}
