// Package sandbox runs commands: the Runner every command of a tool goes
// through, and the helper process the binary becomes when a Runner re-executes
// it. It imports nothing of ours and decides nothing about permission; the shell
// tool and hooks call it.
package sandbox

import (
	"context"
	"io"
)

// Cmd is one command to run in its own session and process group.
type Cmd struct {
	Argv     []string
	Dir      string   // absolute
	Env      []string // the whole environment
	In       io.Reader
	Out, Err io.Writer // the same writer twice keeps their order
	Writable []string
	Hidden   []string
	Network  bool
}

// Exit is how a command ended.
type Exit struct {
	Code     int      // -1 when ended by a signal
	Signal   string   // name of the signal, e.g. "killed"
	Killed   []string // commands left behind that were ended after it, by name
	TimedOut bool
}

// Runner runs commands for one session.
type Runner interface {
	// Run starts cmd and waits for it. When ctx ends, everything the command
	// started is killed and Run returns the context's cause. An error is the
	// runner's own; a command that fails is an Exit.
	Run(ctx context.Context, cmd Cmd) (Exit, error)
	// Close ends the supervisor and everything it still runs; idempotent.
	Close() error
}
