package protocol

import (
	"reasonix/core/event"
	"reasonix/core/message"
)

// Op is something a person does to a session. The set is closed.
//
//sumtype:decl
type Op interface{ op() }

// Prompt starts a turn, or waits for its turn when Queue; a running turn
// otherwise refuses it with ErrBusy, unless it was cancelled: then the prompt begins
// the next one. ID is the caller's choice; the same ID twice
// is one prompt. A Text that begins with the name of a command, /name, is that
// command; the references in it, @path, are expanded.
type Prompt struct {
	ID   event.PromptID
	Text string
	// Data is text that nobody typed, standard input for example. The model reads it
	// behind Text; no command and no reference in it counts.
	Data string
	// Literal: Text is no command, whatever it begins with.
	Literal     bool
	Attachments []message.Attachment
	// Images came with the prompt and are kept nowhere yet; the session keeps them and
	// adds them to Attachments.
	Images []Image
	Queue  bool
}

// Image is a picture, bytes and all.
type Image struct {
	MIME, Name string
	Data       []byte
}

// What a Steer does when no turn runs.
const (
	SteerQueue  = "queue"  // starts a turn, behind one that was cancelled
	SteerRefuse = "refuse" // ErrStale
)

// Steer is read by the model at the next step of the running turn, and what that did not
// take begins the next one. Text is as in Prompt, with or without a turn, except that a
// command that does something in the place of a turn cannot steer: it is a *BadOp.
type Steer struct {
	ID          event.PromptID
	Text        string
	Data        string // as in Prompt
	Attachments []message.Attachment
	Images      []Image // as in Prompt
	IfIdle      string  // queue (default) or refuse
}

// Cancel stops the turn of Prompt, or whatever runs when it is empty. It is
// always accepted and works at once.
type Cancel struct {
	Prompt event.PromptID
	All    bool   // whatever runs, and every prompt and steer that waits
	Reason string // sigint, sigterm or empty; becomes TurnEnded.Reason
}

// Answer resolves a pending question; ErrStale when it is not pending.
type Answer struct {
	ID     event.RequestID
	Answer event.Answer
}

func (Prompt) op() {}
func (Steer) op()  {}
func (Cancel) op() {}
func (Answer) op() {}
