package acpwire

// Our extension methods. What they are for is in docs/acp.md.
const (
	SteerMethod        = "_reasonix.io/session/steer"
	StatusMethod       = "_reasonix.io/session/status"
	StatusUpdateMethod = "_reasonix.io/session/status_update" // a notification, to clients that asked for it
	CompactMethod      = "_reasonix.io/session/compact"
	RewindMethod       = "_reasonix.io/session/rewind"
	ForkMethod         = "_reasonix.io/session/fork"
)

// Steer is the params of SteerMethod beside those of Prompt.
type Steer struct {
	WhenIdle string `json:"whenIdle"` // error (default), prompt, queue
}

// SteerResult answers it.
type SteerResult struct {
	Disposition string `json:"disposition"` // steered, started, queued
	Seq         uint64 `json:"seq"`         // of the durable event that the word became
}

// Compact is the params of CompactMethod.
type Compact struct {
	SessionID string `json:"sessionId"`
	Focus     string `json:"focus"`
}

// Rewind is the params of RewindMethod.
type Rewind struct {
	SessionID    string `json:"sessionId"`
	To           string `json:"to"`           // message id
	Conversation *bool  `json:"conversation"` // absent: true
	Files        bool   `json:"files"`
}

// Fork is the params of ForkMethod.
type Fork struct {
	OpenSession
	At uint64 `json:"at"` // record; 0: all
}

// StatusUpdate is the params of StatusUpdateMethod.
type StatusUpdate struct {
	SchemaVersion int    `json:"schemaVersion"`
	SessionID     string `json:"sessionId"`
	Sequence      uint64 `json:"sequence"`
	Event         string `json:"event"` // phase, usage, completion, error, request, plan, config, job
	Status        Status `json:"status"`
}

// Status is where a session stands.
type Status struct {
	SchemaVersion int    `json:"schemaVersion"`
	SessionID     string `json:"sessionId"`
	Title         string `json:"title,omitzero"`
	Cwd           string `json:"cwd"`
	Sequence      uint64 `json:"sequence"` // of the newest durable event
	State         string `json:"state"`    // running, idle, closed
	Phase         string `json:"phase"`
	Detail        string `json:"phaseDetail,omitzero"`
	Outcome       string `json:"outcome,omitzero"` // of the last turn
	Reason        string `json:"reason,omitzero"`

	Model        Setting `json:"model"`
	Effort       Setting `json:"effort"`
	WorkMode     Setting `json:"work_mode"`
	ToolApproval Setting `json:"tool_approval"`
	Mode         Setting `json:"mode"`

	Plan           []PlanEntry     `json:"plan"`
	CurrentCall    *CurrentCall    `json:"currentCall"`
	PendingRequest *PendingRequest `json:"pendingRequest"`
	LastMessage    string          `json:"lastMessage"` // at most 4,000 characters: its head and its tail
	Usage          UsageTotal      `json:"usage"`
	LastActivity   string          `json:"lastActivity,omitzero"` // RFC 3339
	LeaseHolder    string          `json:"leaseHolder,omitzero"`  // who else writes the workspace while this session waits
	Jobs           []Job           `json:"backgroundJobs"`
	Pids           []int           `json:"childPids"`
	Sandbox        Sandbox         `json:"sandbox"`
	JournalPath    string          `json:"journalPath,omitzero"`
}

// Setting is what counts now, and what counts from the next turn on when that is
// something else.
type Setting struct {
	Effective string  `json:"effective"`
	Queued    *string `json:"queued"`
}

// CurrentCall is the call that runs.
type CurrentCall struct {
	ID    string `json:"id"`
	Tool  string `json:"tool"`
	Title string `json:"title"`
	Since string `json:"since"` // RFC 3339
}

// PendingRequest is what a person is asked.
type PendingRequest struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"` // permission, question, unconfined, elicitation
	CallID  string   `json:"toolCallId,omitzero"`
	Tool    string   `json:"tool,omitzero"`
	Title   string   `json:"title"`
	Options []Option `json:"options"`
}

// Option is one possible answer to a PendingRequest.
type Option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind,omitzero"`
}

// UsageTotal is what a session has used so far.
type UsageTotal struct {
	InputTokens     int      `json:"inputTokens"`
	OutputTokens    int      `json:"outputTokens"`
	CachedTokens    int      `json:"cachedTokens"`
	ReasoningTokens int      `json:"reasoningTokens"`
	ContextTokens   int      `json:"contextTokens"`
	ContextWindow   int      `json:"contextWindow"` // 0: unknown
	Cost            []Amount `json:"cost"`          // one for each currency
}

// Amount is money.
type Amount struct {
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"`
	Estimated bool    `json:"estimated,omitzero"`
}

// Job is a command in the background.
type Job struct {
	ID    string `json:"id"`
	Call  string `json:"toolCallId,omitzero"`
	Title string `json:"title"`
}

// Sandbox is what commands are held to.
type Sandbox struct {
	Sandbox       string   `json:"sandbox"` // bwrap, landlock, seatbelt, off; empty: none works
	Bash          string   `json:"bash"`    // enforce, off
	AllowWrite    []string `json:"allow_write"`
	Network       bool     `json:"network"`
	WorkspaceRoot string   `json:"workspace_root"`
	ConfigFile    string   `json:"config_file"`
}

// Rewound answers RewindMethod.
type Rewound struct {
	Head     string     `json:"head"`     // message the conversation ends with now; empty: none
	Was      string     `json:"was"`      // a rewind to it undoes this one
	Restored []string   `json:"restored"` // files that were put back
	Kept     []KeptFile `json:"kept"`     // files that are somebody else's work by now
}

// KeptFile is a file that a rewind left as it was, and why.
type KeptFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}
