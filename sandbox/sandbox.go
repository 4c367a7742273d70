// Package sandbox runs commands: the Runner every command of a tool goes through,
// what confines it, and the helper process the binary becomes when a Runner
// re-executes it. The package imports nothing of ours and decides nothing about
// permission. The shell tool, hooks and MCP launches call it.
//
// On Linux a supervisor process (the binary itself, re-executed) starts every
// command. It is the subreaper of all the command's descendants, so that nothing
// escapes by forking twice or by a session of its own, and it ends them all when
// its socket to us closes, which is also how it learns that we were killed. A
// command can kill or stop its supervisor; then we end what it had, as the
// subreaper behind it. What remains is a command that kills both the supervisor
// and us at once: its first process dies with the supervisor, what that started
// lives on. On Windows a job object does the same; elsewhere a process group comes
// close.
//
// A supervisor is itself started confined, and all it starts inherits that: inside
// bubblewrap, as the first process of its namespaces, or held by Landlock and a
// filter of system calls. One serves all commands held to the same (a confinement),
// so that a call costs what it costs without; see pool. New chooses the way of
// confinement, see way; NewOff confines nothing, with the same care for processes.
// What mounts or rules cannot hold, a keeper compares and puts back after each
// command. On macOS every command runs under a Seatbelt profile.
package sandbox

import (
	"context"
	"errors"
	"io"
)

// ErrClosed is returned by Run when the Runner was closed before or during it.
var ErrClosed = errors.New("sandbox: runner is closed")

// Cmd is one command to run in its own session and process group.
type Cmd struct {
	// Argv[0] is an absolute path, or a name looked up in the PATH of Env.
	Argv []string
	Dir  string // absolute
	// Env is the whole environment; empty means empty. On Linux a variable
	// REASONIX_SUPERVISED comes on top, by which the command's processes are known.
	Env []string
	// In is the standard input; nil is at its end from the start. A Read that is
	// under way when the command ends may outlive Run.
	In io.Reader
	// Out and Err are written by one goroutine each, or by one in all when they
	// are the same writer, which keeps their order. nil discards. An *os.File is
	// handed to the command itself.
	Out, Err io.Writer
	// What a confined command is held to; Off ignores it. Of several paths around
	// another the innermost holds; what none is around can be read. Links are
	// resolved. What is not there when the command starts is left out, apart from
	// Protected.
	Writable  []string // directories it may write, or files
	Protected []string // files and directories below Writable it may only read, there or not yet
	Released  []string // left out of Protected, with all below: a person let it write them
	Hidden    []string // paths it may not see
	Bare      []string // paths inside Hidden it may read all the same
	Network   bool     // whether it may use the network
	// Unconfined runs this one command without confinement: a person allowed it.
	Unconfined bool
}

// A Guarantee is one thing a Runner holds confined commands to.
type Guarantee string

// The guarantees.
const (
	// HoldsWrites: no file outside Cmd.Writable is created, changed, moved or removed.
	HoldsWrites Guarantee = "writes"
	// HoldsProtected: what Cmd.Protected names is as before when Run returns.
	HoldsProtected Guarantee = "protected"
	// HoldsHidden: what Cmd.Hidden names cannot be read.
	HoldsHidden Guarantee = "hidden"
	// HoldsListing: nor can be listed what is in a directory that Cmd.Hidden names.
	HoldsListing Guarantee = "listing"
	// HoldsMetadata: modes, owners and times outside Cmd.Writable do not change.
	HoldsMetadata Guarantee = "metadata"
	// HoldsNetwork: with Cmd.Network false nothing reaches a network, nor a service
	// on this machine's own addresses.
	HoldsNetwork Guarantee = "network"
	// HoldsSockets: a Unix socket outside Cmd.Writable that is there when the command
	// starts cannot be used when Cmd.Network is false.
	HoldsSockets Guarantee = "sockets"
	// HoldsDaemons: nor, with Cmd.Network true, the sockets of D-Bus, systemd and
	// engines of containers and virtual machines, as far as they are known.
	HoldsDaemons Guarantee = "daemons"
	// HoldsProcesses: processes of others can be neither traced, read nor signalled.
	HoldsProcesses Guarantee = "processes"
)

// Exit is how a command ended.
type Exit struct {
	Code     int      // -1 when ended by a signal
	Signal   string   // name of the signal, e.g. "killed"
	Killed   []string // command lines of the processes it left behind, ended after it
	TimedOut bool     // ctx ended by its deadline
	// Paths of Cmd.Protected that were put back: Restored it changed, Unclear it or
	// another command that ran changed, Others another did, found when it started or
	// ended.
	Restored, Unclear, Others []string
	// Dropped are paths of Cmd.Writable that are not writable, because a link that a
	// command can have made leads to them; each is named once by a Runner.
	Dropped []string
}

// Runner runs commands for one session. It is safe for concurrent use: commands
// that run at the same time are kept apart, and the end of one does not touch
// the processes of another.
type Runner interface {
	// Run starts cmd and waits until its first process has ended. Whatever that
	// left running is then ended too (asked first, killed 250 ms later), and the
	// output written by all of them has been passed on when Run returns. When ctx
	// ends, everything is ended the same way and Run returns the context's cause
	// within two seconds. An error is the runner's own; a command that fails is
	// an Exit.
	Run(ctx context.Context, cmd Cmd) (Exit, error)
	// Way names what confines: bwrap, landlock, seatbelt, or off; "" when nothing can
	// that has to.
	Way() string
	// Holds lists the guarantees in force; Off has none. The caller does not change
	// it. Both may take some milliseconds once.
	Holds() []Guarantee
	// Close ends every running command and whatever serves the Runner; it returns
	// when they are gone. It is idempotent.
	Close() error
}

// The ways of confinement.
const (
	WayBwrap    = "bwrap"
	WayLandlock = "landlock"
	WaySeatbelt = "seatbelt"
	WayOff      = "off"
)
