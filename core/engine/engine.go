// Package engine is one goroutine per session: it takes Ops from a queue, keeps
// the journal, tells every reader, asks for approvals and starts turns. It
// implements core/protocol and knows nothing of files, models or terminals; what
// a session is made of comes from Parts.Build, because every workspace has its
// own configuration. Only commands/wire imports it.
//
// A session is parts, each with one job and none with the session: an origin finds or
// makes its journal, and a recorder fills it; the intake takes what a person says, turns
// keep what runs and waits, and settings what can be changed; on a turn's goroutine a
// conversation has the voice speak and the works run; questions, hooks and the gate with
// its rulebook stand before its calls, and a tracker and a rewinder behind them. A
// history is what the journal comes to. assemble.go puts the parts together.
package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// Parts is what the engine needs of the world. All are required.
type Parts struct {
	Store func(workspace string) (session.Store, error)
	Build func(ctx context.Context, spec protocol.Spec, s Services) (Organs, error)
	Now   func() time.Time
	// NewID returns a fresh id for messages and questions.
	NewID func() string
	// NewSession returns a fresh session id.
	NewSession func() event.SessionID
	Writer     string // program and version, recorded in every journal
}

// Engine opens sessions. It is safe for concurrent use.
type Engine struct{ p Parts }

// New makes an engine.
func New(p Parts) *Engine { return &Engine{p} }

// Rename implements protocol.Library.
func (e *Engine) Rename(ctx context.Context, workspace string, id event.SessionID, title string) error {
	store, id, err := e.find(ctx, workspace, id)
	if err != nil {
		return fmt.Errorf("rename: %w", err)
	}
	return store.Rename(ctx, id, title)
}

// Delete implements protocol.Library.
func (e *Engine) Delete(ctx context.Context, workspace string, id event.SessionID) error {
	store, id, err := e.find(ctx, workspace, id)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return store.Delete(ctx, id)
}

// find resolves what a person calls a session.
func (e *Engine) find(ctx context.Context, workspace string, name event.SessionID) (session.Store, event.SessionID, error) {
	store, err := e.p.Store(workspace)
	if err != nil {
		return nil, "", err
	}
	id, err := session.Find(ctx, store, string(name))
	return store, id, known(err)
}

// known gives what is not there the name front ends know it by.
func known(err error) error {
	if errors.Is(err, session.ErrUnknown) && !errors.Is(err, protocol.ErrUnknown) {
		return fmt.Errorf("%w: %w", protocol.ErrUnknown, err)
	}
	return err
}

// Sessions lists the sessions of q.Workspace, newest first.
func (e *Engine) Sessions(ctx context.Context, q protocol.Query) ([]protocol.Info, error) {
	store, err := e.p.Store(q.Workspace)
	if err != nil {
		return nil, err
	}
	metas, err := peopleOwn(ctx, store, session.Query{Before: q.Before, Limit: q.Limit})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	infos := make([]protocol.Info, len(metas))
	for i, m := range metas {
		infos[i] = protocol.Info{ID: m.ID, Title: m.Title, Workspace: m.Workspace, Model: m.Model, Updated: m.Updated.UnixNano(), Outcome: m.Outcome}
	}
	return infos, nil
}
