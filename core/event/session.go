package event

import (
	"time"

	"reasonix/core/message"
)

// How a session came to be opened (Opened.Reason).
const (
	OpenedNew       = "new"
	OpenedResumed   = "resumed"
	OpenedForked    = "forked"     // a copy of Parent up to its record At
	OpenedTakenOver = "taken-over" // resumed, and the last writer did not close it
)

// Opened records each time a writer opens the session.
type Opened struct {
	Reason    string    `json:"reason,omitzero"` // new, resumed, forked, taken-over
	Writer    string    `json:"writer,omitzero"` // program and version
	Workspace string    `json:"workspace,omitzero"`
	Roots     []string  `json:"roots,omitzero"`  // further writable directories
	Parent    SessionID `json:"parent,omitzero"` // of a fork
	At        Seq       `json:"at,omitzero"`     // the last record the fork has of it
	Client    string    `json:"client,omitzero"` // who drives it: run, acp zed, ...
}

// What a session works with can be (Configured.WorkMode, Mode) or come from (By).
const (
	WorkEconomy  = "economy"
	WorkBalanced = "balanced"
	ModeNormal   = "normal"
	BySession    = "session" // an op, or the session's journal
)

// NoticeReport is the code of a Notice that answers a command, which Args names.
const NoticeReport = "report"

// Configured is the whole resulting configuration, not a change of it.
type Configured struct {
	Model    string `json:"model,omitzero"` // provider/model
	Effort   string `json:"effort,omitzero"`
	WorkMode string `json:"work_mode,omitzero"` // economy, balanced
	Approval string `json:"approval,omitzero"`  // posture: ask, auto, yolo
	Mode     string `json:"mode,omitzero"`
	Title    string `json:"title,omitzero"`
	By       string `json:"by,omitzero"` // flag, config, session
	Limits   Limits `json:"limits,omitzero"`
}

// Limits stop a turn gracefully, before the next call. Zero is no limit.
type Limits struct {
	Steps int           `json:"steps,omitzero"`
	Cost  *Money        `json:"cost,omitzero"`
	Time  time.Duration `json:"time,omitzero"`
}

// Money is an amount in one currency (ISO 4217).
type Money struct {
	Amount    float64 `json:"amount,omitzero"`
	Currency  string  `json:"currency,omitzero"`
	Estimated bool    `json:"estimated,omitzero"`
}

// PrefixSet stores the system text and tool schemas verbatim: what a resumed
// session sends again byte for byte.
type PrefixSet struct {
	System string               `json:"system,omitzero"`
	Tools  []message.ToolSchema `json:"tools,omitzero"`
	Hash   string               `json:"hash,omitzero"` // SHA-256 of both, hex
	Reason string               `json:"reason,omitzero"`
}

// Repaired says what loading mended. The result a call lacked is a
// ToolFinished{interrupted} of its own.
type Repaired struct {
	Answered []string     `json:"answered,omitzero"` // call ids given a result
	Dropped  []message.ID `json:"dropped,omitzero"`  // messages that answer no call
	Reason   string       `json:"reason,omitzero"`
}

// CaughtUp ends a replay and brings what a reader that skipped it still needs.
type CaughtUp struct {
	Session    SessionID  `json:"session,omitzero"`
	Last       Seq        `json:"last,omitzero"`
	Configured Configured `json:"configured,omitzero"`
	Tools      []string   `json:"tools,omitzero"` // names, sorted
	// Notices are those of this opening, for a reader that skipped the replay.
	Notices []Notice `json:"notices,omitzero"`
	// Standing is where the session stands, for the same reader.
	Standing Standing `json:"standing,omitzero"`
}

// Notice levels.
const (
	LevelInfo    = "info"
	LevelWarning = "warning"
	LevelError   = "error"
)

// Notice tells the user something that is no other event. Code and Args are for
// translation; Text is the English sentence.
type Notice struct {
	Level string   `json:"level,omitzero"`
	Code  string   `json:"code,omitzero"`
	Args  []string `json:"args,omitzero"`
	Text  string   `json:"text,omitzero"`
}

// Ended is the last record of a writer: the session was closed in order.
type Ended struct {
	Reason string `json:"reason,omitzero"`
}

func (Opened) payload()     {}
func (Configured) payload() {}
func (PrefixSet) payload()  {}
func (Repaired) payload()   {}
func (CaughtUp) payload()   {}
func (Notice) payload()     {}
func (Ended) payload()      {}
