package protocol

import (
	"context"

	"reasonix/core/event"
)

// Catalog is reads that are answers, not events.
type Catalog interface {
	Models(ctx context.Context) ([]Model, error)
	// Complete lists what the word at byte cursor of text, a prompt of the open
	// session id, can go on with: commands behind "/", arguments of servers' prompts behind
	// those, references behind "@".
	Complete(ctx context.Context, id event.SessionID, text string, cursor int) ([]Completion, error)
	// Facts says what an open session is held to and where it is kept.
	Facts(ctx context.Context, id event.SessionID) (Facts, error)
	// Attachment is the bytes that the message.Attachment of this hash names in an open
	// session.
	Attachment(ctx context.Context, id event.SessionID, hash string) ([]byte, error)
}

// Completion is one way to go on: Insert takes the place of text[From:To].
type Completion struct {
	Insert, Label, Kind string // Kind: command, argument, file, dir, resource, template
	From, To            int    // bytes
}

// Facts is what an orchestrator wants to know of an open session beside its events.
type Facts struct {
	Journal string // the journal's path; it is there from the first prompt on
	Sandbox Sandbox
	Pids    []int    // of processes the session started that still run: commands in the background, MCP servers
	Off     []string // parts of the project's configuration that wait for the user's grant
}

// Sandbox is what commands of a session are held to. Paths are absolute.
type Sandbox struct {
	Way        string // bwrap, landlock, seatbelt, off; empty: none works, and commands are refused
	Bash       string // enforce, off: what the configuration wants
	AllowWrite []string
	Network    bool
	Workspace  string
	ConfigFile string // the user's
}
