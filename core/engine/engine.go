// Package engine is one goroutine per session: it takes Ops from a queue, keeps
// the journal, tells every reader, asks for approvals and starts turns. It
// implements core/protocol and knows nothing of files, models or terminals; what
// a session is made of comes from Parts.Build, because every workspace has its
// own configuration. Only commands/wire imports it.
package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/message"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/session"
	"reasonix/core/tool"
)

// Prepare turns what the user typed into what the model reads. wire lists them;
// an error ends the turn as internal.
type Prepare func(ctx context.Context, said *event.UserSaid) error

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

// Services are what the engine lends to the organs it gets back.
type Services struct {
	Session event.SessionID
	Open    protocol.Opener
	Emit    func(event.Payload) error // journal, then tell
	Steer   func() ([]message.Message, error)
	Gate    agent.Gate
	Ask     func(ctx context.Context, q event.Question) (event.Answer, error)
	Save    agent.SaveFunc
	Load    func(hash string) ([]byte, error)
	// Past is what is in the journal now, for reports.
	Past func(ctx context.Context) iter.Seq2[event.Envelope, error]
	// Stored is the prefix of a resumed session; nil for a new one. Before is its
	// last configuration, zero for a new one.
	Stored *event.PrefixSet
	Before event.Configured
	// Seen is what the model of a resumed session has seen of files.
	Seen []event.Sight
	// Todos is the list of a resumed session, Jobs how many background jobs it had.
	Todos []event.Todo
	Jobs  int
	// Dir is where the next command of a resumed session starts; empty: nobody knows.
	Dir string
	// Writing is agent.Parts.Writing.
	Writing func(ctx context.Context, req agent.Request) (over func() error, err error)
	// Hooks is agent.Parts.Hooks.
	Hooks agent.Hooks
	// AllowWrite are the directories that answers in a resumed session allowed to
	// write.
	AllowWrite []string
	// Compact returns what the user asked to be compacted since the last step.
	Compact func() (focus string, asked bool)
	// Failed reports results of calls that did not end well.
	Failed func(*message.Message) bool
	// Archives is how many archives the session has written, and Filling whether the
	// user was told since the last compaction that the window fills up.
	Archives int
	Filling  bool
	// Told are the references of the sources of this kind the model was told of in
	// user messages, oldest first.
	Told func(kind string) []string
}

// Organs are one session's configuration, policy, tools, prefix and loop.
type Organs struct {
	Configured event.Configured // the configuration's answer to Spec
	Policy     permission.Policy
	Posture    permission.Posture
	// Unasked is what becomes of a call that needs an approval when nobody can be
	// asked: permission.Allow, and anything else refuses it.
	Unasked permission.Decision
	// Sandbox says in words what holds a command that starts now; nil: nobody knows.
	Sandbox func() string
	// Guardian reviews calls of a server's tools; nil: there is none, and a person is
	// asked.
	Guardian Guardian
	// Hooks are run at the points of the session; nil: there are none.
	Hooks hook.Runner
	// Keep stores allow rules where later sessions of the workspace find them and
	// returns the file's path, absolute. nil: answers hold for the session at most.
	Keep func(ctx context.Context, rules []string) (file string, err error)
	// Checkpoints keeps what files were; nil: nobody does, and no Rewind of files.
	Checkpoints Checkpoints
	// Lease waits until nobody else writes the workspace, and says who does; nil: no
	// turn waits.
	Lease   Lease
	Roots   []string
	Notices []event.Notice
	Prepare []Prepare
	// Command finds the command that a prompt begins with; ok is false for other text.
	// The error, for example of a name that no command has, refuses the prompt. nil:
	// there are no commands.
	Command func(text string) (c Command, ok bool, err error)
	// Offered says what can be chosen; nil: nothing.
	Offered func(event.Configured) event.Offered
	// Reconfigure makes what another configuration needs; a *protocol.BadOp names the
	// field nobody can act on. nil: only the posture and the title can change.
	Reconfigure func(ctx context.Context, next event.Configured) (Working, error)
	// AddDirs lets the session write further directories; nil: it cannot.
	AddDirs func(dirs []string) error
	// Refresh makes the tools anew when servers offer others by now; ok is false when
	// they do not. It is called where the prefix is lost anyway. nil: they never do.
	Refresh func(event.Configured) (tools *tool.Registry, runner func(event.Configured) (agent.Runner, error), ok bool, err error)
	// Reload reads commands, skills and hooks again; nil: there are none.
	Reload func(ctx context.Context) ([]event.Notice, error)
	// Server and Trust serve the ops of these names and return at once; nil: they are
	// refused.
	Server  func(protocol.Server) error
	Trust   func(protocol.Trust) error
	System  string
	Tools   *tool.Registry
	Runner  func(event.Configured) (agent.Runner, error)
	Planner *Planner // a second model that plans; nil: there is none
	Close   func() error
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
