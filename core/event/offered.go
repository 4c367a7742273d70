package event

import "time"

// Offered says what can be chosen in this session now.
type Offered struct {
	Commands  []Command   `json:"commands,omitzero"` // what a prompt may begin with, by name
	Models    []string    `json:"models,omitzero"`   // provider/model
	Efforts   []string    `json:"efforts,omitzero"`  // of the current model
	WorkModes []string    `json:"work_modes,omitzero"`
	Modes     []string    `json:"modes,omitzero"`
	Approvals []string    `json:"approvals,omitzero"`
	Deferred  *Configured `json:"deferred,omitzero"` // what counts from the next turn on
}

// Kinds of a command (Command.Kind).
const (
	CommandOp     = "op"     // does something to the session
	CommandReport = "report" // answers with a notice
	CommandText   = "text"   // becomes the text of a turn
	CommandFront  = "front"  // the front end's own: opens another session, leaves
)

// Command is one thing that a prompt may begin with, as /Name.
type Command struct {
	Name   string `json:"name,omitzero"`
	Hint   string `json:"hint,omitzero"` // of its arguments
	Help   string `json:"help,omitzero"` // one line
	Kind   string `json:"kind,omitzero"`
	Source string `json:"source,omitzero"` // builtin, project, user, skill, or the MCP server
}

// States of an MCP server (ServerChanged.State).
const (
	ServerUntrusted = "untrusted" // declared by the project and not granted
	ServerStarting  = "starting"
	ServerReady     = "ready"
	ServerFailed    = "failed"
	ServerStopped   = "stopped"
)

// ServerChanged is the newest state of one MCP server; it is sticky for each.
type ServerChanged struct {
	Name   string `json:"name,omitzero"`
	State  string `json:"state,omitzero"`
	Detail string `json:"detail,omitzero"` // why, with the end of what it wrote to stderr
	Tools  int    `json:"tools,omitzero"`
}

// HookRan says that a hook ran at a point, and what it said.
type HookRan struct {
	Hook    string        `json:"hook,omitzero"`
	Point   string        `json:"point,omitzero"`
	Call    string        `json:"call,omitzero"`
	Verdict string        `json:"verdict,omitzero"` // ok, block, allow, ask, deny, failed
	Reason  string        `json:"reason,omitzero"`
	Took    time.Duration `json:"took,omitzero"`
}

func (Offered) payload()       {}
func (ServerChanged) payload() {}
func (HookRan) payload()       {}
