package event

import (
	"time"

	"reasonix/core/message"
)

// TextDelta is text of a reply as it arrives. Offset is its byte offset in the
// message, so that merging, joining late and repeating are harmless.
type TextDelta struct {
	Message message.ID `json:"message,omitzero"`
	Offset  int        `json:"offset,omitzero"`
	Text    string     `json:"text,omitzero"`
}

// ReasoningDelta is reasoning text of a reply as it arrives.
type ReasoningDelta struct {
	Message message.ID `json:"message,omitzero"`
	Offset  int        `json:"offset,omitzero"`
	Text    string     `json:"text,omitzero"`
}

// CallDelta shows that a call is being written; Bytes is the length of its
// arguments so far.
type CallDelta struct {
	Message message.ID `json:"message,omitzero"`
	Index   int        `json:"index,omitzero"`
	Name    string     `json:"name,omitzero"`
	Bytes   int        `json:"bytes,omitzero"`
}

// Retrying discards the text of a failed attempt and announces the next one.
type Retrying struct {
	Discard message.ID    `json:"discard,omitzero"`
	Attempt int           `json:"attempt,omitzero"` // the one to come, from 2
	Of      int           `json:"of,omitzero"`
	After   time.Duration `json:"after,omitzero"`
	Failure Failure       `json:"failure,omitzero"`
}

// How a reply ended (Replied.Finish).
const (
	FinishStop      = "stop"
	FinishCalls     = "calls"
	FinishCut       = "cut"     // the stream broke
	FinishLength    = "length"  // the endpoint's output limit
	FinishRefusal   = "refusal" // the model or a filter refused
	FinishCancelled = "cancelled"
	FinishLimit     = "limit"
)

// Replied is one whole reply: the only home of its text, reasoning and calls.
type Replied struct {
	Message  message.Message `json:"message,omitzero"`
	Model    string          `json:"model,omitzero"`
	Finish   string          `json:"finish,omitzero"`
	Usage    message.Usage   `json:"usage,omitzero"`
	Cost     *Money          `json:"cost,omitzero"`
	Attempts int             `json:"attempts,omitzero"`
	Break    *Break          `json:"break,omitzero"`
}

// Break says why the request was not an extension of the last one.
type Break struct {
	// At is the first byte that differs, counted from the first message on; 0 when
	// it stands before the messages, or all of them are new to the endpoint.
	At    int    `json:"at,omitzero"`
	Part  string `json:"part,omitzero"`  // model, tools, messages
	Cause string `json:"cause,omitzero"` // in words
}

// ContextUsed is how full the model's window is.
type ContextUsed struct {
	Tokens    int  `json:"tokens,omitzero"`
	Window    int  `json:"window,omitzero"`
	Estimated bool `json:"estimated,omitzero"`
}

func (TextDelta) payload()      {}
func (ReasoningDelta) payload() {}
func (CallDelta) payload()      {}
func (Retrying) payload()       {}
func (Replied) payload()        {}
func (ContextUsed) payload()    {}
