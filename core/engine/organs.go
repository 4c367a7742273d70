package engine

import (
	"context"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
)

// Organs are what one session is made of. Working, but for its Planner, Approvals.Policy
// and Close are required; what else is nil is not there.
type Organs struct {
	Working
	System  string         // the system text of a session that has none yet
	Roots   []string       // further writable directories
	Notices []event.Notice // about this opening
	Close   func() error   // releases what Build took
	Approvals
	Files
	Extensions
	Choices
}

// Working is the part of a session that its configuration decides, and that another
// configuration makes anew.
type Working struct {
	Configured event.Configured // the configuration's answer to Spec
	Tools      *tool.Registry
	Runner     func(event.Configured) (agent.Runner, error)
	Planner    *Planner // a second model that plans; nil: there is none
}

// Approvals is what decides calls.
type Approvals struct {
	Policy  permission.Policy
	Posture permission.Posture
	// Unasked is what becomes of a call that needs an approval when nobody can be
	// asked: permission.Allow, and anything else refuses it.
	Unasked permission.Decision
	// Sandbox says in words what holds a command that starts now; nil: nobody knows.
	Sandbox func() string
	// Guardian reviews calls of a server's tools; nil: there is none, and a person is
	// asked.
	Guardian Guardian
	// Keep stores allow rules where later sessions of the workspace find them and
	// returns the file's path, absolute. nil: answers hold for the session at most.
	Keep func(ctx context.Context, rules []string) (file string, err error)
}

// Files is what knows of the workspace's files and of who else writes them.
type Files struct {
	// Checkpoints keeps what files were; nil: nobody does, and no Rewind of files.
	Checkpoints Checkpoints
	// Lease is taken before the first call of a turn that may write; nil: no turn waits.
	Lease Lease
}

// Extensions is what people add to a session beside its configuration.
type Extensions struct {
	// Hooks are run at the points of the session; nil: there are none.
	Hooks hook.Runner
	// Prepare is done with every prompt, in this order.
	Prepare []Prepare
	// Command finds the command that a prompt begins with; ok is false for other text.
	// The error, for example of a name that no command has, refuses the prompt. nil:
	// there are no commands.
	Command func(text string) (c Command, ok bool, err error)
	// Reload reads commands, skills and hooks again; nil: there are none.
	Reload func(ctx context.Context) ([]event.Notice, error)
	// Refresh makes the tools anew when servers offer others by now; ok is false when
	// they do not. It is called where the prefix is lost anyway. nil: they never do.
	Refresh func(event.Configured) (tools *tool.Registry, runner func(event.Configured) (agent.Runner, error), ok bool, err error)
	// Server and Trust serve the ops of these names and return at once; nil: they are
	// refused.
	Server func(protocol.Server) error
	Trust  func(protocol.Trust) error
}

// Choices is what can be changed while the session is open.
type Choices struct {
	// Offered says what can be chosen; nil: nothing.
	Offered func(event.Configured) event.Offered
	// Reconfigure makes what another configuration needs; a *protocol.BadOp names the
	// field nobody can act on. nil: only the posture and the title can change.
	Reconfigure func(ctx context.Context, next event.Configured) (Working, error)
	// AddDirs lets the session write further directories; nil: it cannot.
	AddDirs func(dirs []string) error
}

// Prepare turns what the user typed into what the model reads. wire lists them;
// an error ends the turn as internal.
type Prepare func(ctx context.Context, said *event.UserSaid) error
