package event

import (
	"encoding/json"

	"reasonix/core/message"
)

// Kinds of a question.
const (
	AskPermission = "permission"
	AskQuestion   = "question"
	AskUnconfined = "unconfined" // the sandbox stopped a command: run it again without?
	// AskElicitation is a question of an MCP server: a form by Schema, or an address
	// to open in Body. The answer's Data is the form's.
	AskElicitation = "elicitation"
)

// Option kinds, as editors know them.
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
)

// Asked puts a question to the user; the turn waits for its Answered.
type Asked struct {
	Question Question `json:"question,omitzero"`
}

// Question is everything a front end needs to ask it.
type Question struct {
	ID      RequestID       `json:"id,omitzero"`
	Kind    string          `json:"kind,omitzero"` // permission, question, unconfined
	Call    string          `json:"call,omitzero"`
	Tool    string          `json:"tool,omitzero"`
	Title   string          `json:"title,omitzero"`
	Reason  string          `json:"reason,omitzero"` // the model's own
	Dir     string          `json:"dir,omitzero"`
	Sandbox string          `json:"sandbox,omitzero"` // what holds, in words
	Diffs   []Diff          `json:"diffs,omitzero"`
	Body    string          `json:"body,omitzero"` // the whole call or question
	Why     string          `json:"why,omitzero"`  // why it is asked; empty: no rule speaks of it
	Rule    string          `json:"rule,omitzero"` // what an answer for the session stores
	Parts   []Part          `json:"parts,omitzero"`
	Widens  []string        `json:"widens,omitzero"`
	Options []Option        `json:"options,omitzero"`
	Multi   bool            `json:"multi,omitzero"`
	Fresh   bool            `json:"fresh,omitzero"`
	Schema  json.RawMessage `json:"schema,omitzero"`
}

// Part is one command or redirection of a chain of them, judged alone.
type Part struct {
	Text    string `json:"text,omitzero"`
	Verdict string `json:"verdict,omitzero"` // allow, ask, deny
	Rule    string `json:"rule,omitzero"`    // what decided; empty: no rule speaks of it
	Why     string `json:"why,omitzero"`
}

// Option is one possible answer.
type Option struct {
	ID     string `json:"id,omitzero"`
	Label  string `json:"label,omitzero"`
	Kind   string `json:"kind,omitzero"`
	Detail string `json:"detail,omitzero"`
	// Rules are what choosing it would store, exactly; Example is something else
	// they would allow.
	Rules   []string `json:"rules,omitzero"`
	Example string   `json:"example,omitzero"`
}

// Answer is what was chosen or typed.
type Answer struct {
	Choice    []string        `json:"choice,omitzero"`
	Text      string          `json:"text,omitzero"`
	Data      json.RawMessage `json:"data,omitzero"`
	Cancelled bool            `json:"cancelled,omitzero"`
}

// Who answered (Answered.By).
const (
	ByUser     = "user"
	ByPolicy   = "policy"
	ByCancel   = "cancel"
	ByClose    = "close"
	ByGuardian = "guardian" // the model that reviews calls
)

// Answered closes a question. A guardian's stands alone, with the id "review-" and that
// of the call; cancelled, it is no verdict, and a person is asked if there is one.
type Answered struct {
	ID     RequestID     `json:"id,omitzero"`
	Answer Answer        `json:"answer,omitzero"`
	By     string        `json:"by,omitzero"`
	Usage  message.Usage `json:"usage,omitzero"` // of the guardian's request
	Cost   *Money        `json:"cost,omitzero"`
}

// GrantWrite begins a granted "rule" that is none: it names a directory that
// commands and file tools may write for the rest of the session.
const GrantWrite = "sandbox.allow_write="

// Granted records a rule that an answer added.
type Granted struct {
	Rule  string `json:"rule,omitzero"`
	Scope string `json:"scope,omitzero"` // session, project, user
	File  string `json:"file,omitzero"`
	Until string `json:"until,omitzero"`
}

func (Asked) payload()    {}
func (Answered) payload() {}
func (Granted) payload()  {}
