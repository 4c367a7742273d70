// Package protocol is what front ends speak: Ops in, Events out, and the small
// interfaces a front end is handed. It holds no logic. The engine implements it;
// run, acp and every later front end use it and see nothing of the loop.
package protocol

import (
	"context"
	"errors"
	"iter"

	"reasonix/core/event"
)

// What Submit and Open refuse with.
var (
	ErrBusy     = errors.New("a turn is running")
	ErrReadOnly = errors.New("read-only view")
	ErrClosed   = errors.New("session closed")
	ErrUnknown  = errors.New("no such session")
	ErrStale    = errors.New("not pending")
)

// BadOp is an op with a field nobody can act on, or an op this build does not
// serve (Field is then empty).
type BadOp struct{ Op, Field, Reason string }

func (e *BadOp) Error() string {
	if e.Field == "" {
		return e.Op + ": " + e.Reason
	}
	return e.Op + "." + e.Field + ": " + e.Reason
}

// Session is one conversation. It is safe for concurrent use.
type Session interface {
	ID() event.SessionID
	// Submit validates op and returns when it is accepted, not finished: a Prompt
	// or Steer is then in the journal. It refuses with ErrBusy, ErrReadOnly,
	// ErrClosed, ErrStale or *BadOp.
	Submit(ctx context.Context, op Op) error
	// Events replays durable events after "after", sends CaughtUp, then sticky
	// state, then follows. It ends with nil when the session closes and with the
	// context's error otherwise. Any number of readers at once; a slow one loses
	// merged deltas, never a durable event.
	Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error]
	// Close cancels the turn, flushes the journal and is idempotent.
	Close() error
}

// Opener opens a session: new, resumed when Spec.Session is set, or a copy of
// another when Spec.Fork is. A session that somebody else writes is refused with an
// error that names the holder, unless Spec.ReadOnly; one that is not there with
// ErrUnknown; a name that means several with an error that lists them.
type Opener interface {
	Open(ctx context.Context, spec Spec) (Session, error)
}

// Library is sessions at rest. A session is named as in Spec.Session.
type Library interface {
	// Sessions lists newest first, paged by q.Before and q.Limit.
	Sessions(ctx context.Context, q Query) ([]Info, error)
	// Rename gives a session of workspace a title; empty: its first prompt. One
	// that is open is refused.
	Rename(ctx context.Context, workspace string, id event.SessionID, title string) error
	// Delete removes a session of workspace and all that was kept for it, for good.
	// One that is open is refused.
	Delete(ctx context.Context, workspace string, id event.SessionID) error
}

// Host is what commands/wire hands to a front end.
type Host struct {
	Opener
	Library
	Catalog
}

// Files is an editor's buffers, lent to a session by its front end.
type Files interface {
	ReadFile(ctx context.Context, path string) ([]byte, error)
	WriteFile(ctx context.Context, path string, data []byte) error
}

// Terminal is an editor's pane, in which commands run where the person can see them.
type Terminal interface {
	// Run starts cmd, follows its output and waits for its end. It is killed when ctx
	// ends.
	Run(ctx context.Context, cmd TerminalCommand, out func([]byte)) (exit int, err error)
}

// TerminalCommand is what a Terminal runs.
type TerminalCommand struct {
	Call string // the id of the tool call whose command it is
	Argv []string
	Dir  string   // where it starts, absolute
	Env  []string // KEY=value, beside what the editor gives to its terminals
}

// Spec says which session to open and how. A zero field means: what the stored
// session or the configuration says.
type Spec struct {
	// Session is the id of a session of Workspace, the beginning of one, or words of
	// a title; empty: a new session.
	Session event.SessionID
	// From is the workspace that Session was made in, where that is another: the session
	// moves to Workspace for good.
	From string
	// Fork makes a new session from a copy. It excludes Session and ReadOnly.
	Fork Fork
	// ReadOnly opens a view of Session that takes no lock: Submit refuses with
	// ErrReadOnly, and Events follows what another process writes. What is not in
	// the journal, deltas for example, it does not see.
	ReadOnly      bool
	Workspace     string   // absolute
	AddDirs       []string // further writable directories
	Model, Effort string
	Approval      string // posture: ask, auto, yolo
	WorkMode      string // economy, balanced
	Limits        Limits
	Files         Files
	Terminal      Terminal     // nil: commands run here
	Servers       []ServerSpec // MCP servers that the front end brings along
	Interactive   bool         // a person can answer questions
	Client        string       // who drives the session, for whoever lists it; one line
}

// Fork names what a new session is a copy of: Session (as in Spec.Session) up to its
// record At; 0: all that is in its journal now. Turns that wait in it do not come
// along.
type Fork struct {
	Session event.SessionID
	At      event.Seq
}

// Info describes a session at rest.
type Info struct {
	ID                      event.SessionID
	Title, Workspace, Model string
	Updated                 int64 // Unix nanoseconds
	Outcome                 event.Outcome
}

// Query selects sessions. Workspace empty is every one; Text is an id, or words of a
// title; Limit 0 is all. Before is the last session of the page before. With Updated, when
// that was written last, in Unix nanoseconds, the place is found again though the session was
// used or deleted since.
type Query struct {
	Workspace, Text string
	Before          event.SessionID
	Updated         int64
	Limit           int
}

// Model is one selectable model. Ref is provider/model.
type Model struct {
	Ref, Name string
	Efforts   []string
	Window    int // tokens, 0 unknown
	Default   bool
}
