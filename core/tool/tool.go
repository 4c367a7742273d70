// Package tool is what the model can call: the Tool interface, the set of
// built-ins, the registry of one session and the canonical form of schemas. It
// runs nothing by itself and knows no built-in; the packages below it register
// theirs. The agent looks calls up in a Registry.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// ErrUnbound is returned by a built-in that was not bound to a session.
var ErrUnbound = errors.New("tool is not bound to a session")

// ErrNobody is returned by Env.Ask when no person is there to answer.
var ErrNobody = errors.New("nobody can be asked")

// Tool is one thing the model can call. Execute returns the text the model
// reads; an error is a failed call, whose text the model reads too.
type Tool interface {
	Name() string
	Description() string
	Schema() json.RawMessage
	ReadOnly() bool
	Execute(ctx context.Context, args json.RawMessage) (string, error)
}

// A Binder is a built-in that works on a session: the registered value only
// describes, Bind returns the one that runs.
type Binder interface {
	Tool
	Bind(env Env) (Tool, error)
}

// Subject is what a person and a rule need to know of a call before it runs.
// Paths are absolute.
type Subject struct {
	Title, Kind, Reason string // Kind: read, edit, search, execute, fetch, think, other
	Paths               []string
	Dir                 string // where a command starts, absolute; empty: the workspace
	// Preview says what the call would change, and changes nothing. It is called
	// when a person is asked about the call; nil: the tool cannot tell. No diffs:
	// the call would fail, or change nothing.
	Preview func(ctx context.Context) []event.Diff
}

// A Subjecter names the subject of its calls; for others the generic keys
// (command, path, file_path, pattern) are used.
type Subjecter interface {
	Subject(args json.RawMessage) Subject
}

// Env is a session's surroundings, built once per session by NewEnv.
type Env struct {
	Files *workspace.FS
	Run   sandbox.Runner
	// Terminal is where commands run that nothing confines; nil: here.
	Terminal protocol.Terminal
	Open     protocol.Opener
	// Ask puts a question to the user; ErrNobody when there is none.
	Ask func(ctx context.Context, q event.Question) (event.Answer, error)
	// Note records something that is not part of a call, such as the end of a
	// background job. Safe for concurrent use; an error means: not journaled.
	Note     func(event.Payload) error
	HTTP     *http.Client
	Now      func() time.Time
	Settings Settings
	Todos    []event.Todo // the list of a resumed session
	Skills   SkillSource  // nil: there are none
	Dir      string       // where the first command of a resumed session starts; empty: the workspace
	Jobs     int          // how many background jobs the session had before
	state    *state
}

// A SkillSource is what run_skill reads: the skills of the session.
type SkillSource interface {
	// Index lists them for the model, a line each; the same bytes for the same skills.
	Index() string
	// Run returns what skill name says, with its arguments put in.
	Run(name, arguments string) (string, error)
}

// Settings are the configured limits tools obey.
type Settings struct {
	Shell       string        // auto, bash, powershell, pwsh
	ShellPath   string        // explicit executable
	BashTimeout time.Duration // 0: none
	OutputCap   int           // bytes of a result the model sees; 0: 16000
	Environ     []string      // a command's environment, secrets already removed
	Temp        string        // the session's temporary directory
	Caches      []string      // directories beside the workspace that commands may write: caches of build tools
	SessionID   string        // for TMPDIR names and messages
	Network     bool          // tools may use the network (sandbox.network)
	FetchAllow  []string      // hosts web_fetch may reach on a private network too; "*" is any run of characters
	HistoryDirs HistoryDirs   // where sessions and archives are kept
	MemoryDirs  MemoryDirs    // where facts are kept
	Secrets     []string      // values that nothing a tool keeps may contain
}

// MemoryDirs are the directories of facts, the user's own and the project's; an
// empty one means that there are no such facts.
type MemoryDirs struct{ Global, Project string }

// HistoryDirs are the directory of this workspace's sessions, the one with every
// project's (<project>/sessions), and the one of archives; what is empty is not
// searched.
type HistoryDirs struct{ Sessions, Projects, Archive string }

type state struct {
	mu     sync.Mutex
	byType map[any]any
	order  []any
}

type sharedKey[T any] struct{}

// NewEnv makes e usable by Shared.
func NewEnv(e Env) Env {
	e.state = &state{byType: map[any]any{}}
	return e
}

// Shared returns the session's one T, made on first use. T is an unexported type
// of the calling package.
func Shared[T any](env Env, create func() (*T, error)) (*T, error) {
	if env.state == nil {
		return nil, ErrUnbound
	}
	env.state.mu.Lock()
	defer env.state.mu.Unlock()
	if v, ok := env.state.byType[sharedKey[T]{}]; ok {
		return v.(*T), nil
	}
	v, err := create()
	if err != nil {
		return nil, err
	}
	env.state.byType[sharedKey[T]{}] = v
	env.state.order = append(env.state.order, v)
	return v, nil
}

// Close closes every shared value that is an io.Closer, last made first. The
// engine calls it when the session closes.
func (e Env) Close() error {
	if e.state == nil {
		return nil
	}
	e.state.mu.Lock()
	defer e.state.mu.Unlock()
	var errs []error
	for i := len(e.state.order) - 1; i >= 0; i-- {
		if c, ok := e.state.order[i].(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	e.state.order, e.state.byType = nil, map[any]any{}
	return errors.Join(errs...)
}

// Call is one invocation; the agent puts it in the context and copies Exit,
// Diffs and Full into ToolFinished.
type Call struct {
	ID     string
	Out    io.Writer                                        // live output; may be nil
	Save   func(r io.Reader) (hash, path string, err error) // bytes beside the journal
	Attach func(message.Attachment)                         // an image for the model
	Note   func(event.Payload) error                        // an error means: not journaled, stop
	Exit   *int
	Diffs  []event.Diff
	Full   string
	// Release lists the protected paths that a person has let this call write.
	Release []string
}

type callKey struct{}

// WithCall returns a context that carries c.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallFrom returns the invocation ctx carries, or an empty one.
func CallFrom(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}
