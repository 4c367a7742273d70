package engine

import (
	"context"
	"io"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
)

// Services are what the engine lends to the organs it gets back. All functions are there
// and may be called from the moment Build gets them.
type Services struct {
	Session event.SessionID
	Open    protocol.Opener
	Emit    func(event.Payload) error // journal, then tell
	// Ask puts a question to a person; tool.ErrNobody when there is none.
	Ask func(ctx context.Context, q event.Question) (event.Answer, error)
	// Save keeps bytes beside the journal, Load reads them again.
	Save func(r io.Reader) (hash, path string, err error)
	Load func(hash string) ([]byte, error)
	// Stands is where the session stands now, for reports.
	Stands func() event.CaughtUp
	// Told are the references of the sources of this kind the model was told of in
	// user messages, oldest first.
	Told func(kind string) []string
	Resumed
	Steps
}

// Resumed is what a session had when the process before left it. It is zero for a new one.
type Resumed struct {
	Stored *event.PrefixSet // the prefix; nil for a new session
	Before event.Configured // the last configuration
	Seen   []event.Sight    // what the model has seen of files
	Todos  []event.Todo
	Jobs   int    // how many background jobs it had
	Dir    string // where the next command starts; empty: nobody knows
	// AllowWrite are the directories that answers allowed to write.
	AllowWrite []string
	// Archives is how many archives it has written, and Filling whether the user was told
	// since the last compaction that the window fills up.
	Archives int
	Filling  bool
}

// Steps is what the loop gets between its steps and around its calls: the fields of
// agent.Parts and of agent.Compactor of the same names.
type Steps struct {
	Steer   func() ([]message.Message, error)
	Gate    agent.Gate
	Hooks   agent.Hooks
	Writing func(ctx context.Context, req agent.Request) (over func() error, err error)
	// Compact returns what the user asked to be compacted since the last step.
	Compact func() (focus string, asked bool)
	// Failed reports results of calls that did not end well.
	Failed func(*message.Message) bool
}
