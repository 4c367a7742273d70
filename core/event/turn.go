package event

import "reasonix/core/message"

// Outcome is the one word a turn ends with. Every front end shows the same word.
type Outcome string

// The nine outcomes (docs/architecture.md section 4).
const (
	Completed Outcome = "completed"
	Cut       Outcome = "cut"
	Refused   Outcome = "refused"
	Cancelled Outcome = "cancelled"
	Limit     Outcome = "limit"
	Provider  Outcome = "provider"
	Stalled   Outcome = "stalled"
	Denied    Outcome = "denied"
	Internal  Outcome = "internal"
)

// Kinds of a queued prompt.
const (
	KindPrompt = "prompt"
	KindSteer  = "steer"
)

// PromptQueued says that a prompt was accepted; it survives kill -9.
type PromptQueued struct {
	ID          PromptID             `json:"id,omitzero"`
	Kind        string               `json:"kind,omitzero"` // prompt, steer
	Display     string               `json:"display,omitzero"`
	Data        string               `json:"data,omitzero"`    // what nobody typed: standard input
	Literal     bool                 `json:"literal,omitzero"` // Display is no command
	Attachments []message.Attachment `json:"attachments,omitzero"`
}

// TurnStarted opens a turn; TurnEnded with the same Prompt closes it.
type TurnStarted struct {
	Prompt  PromptID `json:"prompt,omitzero"`
	Trigger string   `json:"trigger,omitzero"` // user
}

// UserSaid is a user message: Display is what was typed, Message what the model
// reads.
type UserSaid struct {
	Prompt  PromptID        `json:"prompt,omitzero"`
	Display string          `json:"display,omitzero"`
	Message message.Message `json:"message,omitzero"`
	Sources []Source        `json:"sources,omitzero"`
}

// SourceData is the kind of text that nobody typed. While a prompt is prepared, it
// stands before all others where nothing was typed at all.
const SourceData = "stdin"

// Source names what was added to a user message beside what was typed.
type Source struct {
	Kind  string `json:"kind,omitzero"` // stdin, command, file, dir, image, resource, changed, host, job, plan, memory, hook
	Ref   string `json:"ref,omitzero"`
	Bytes int    `json:"bytes,omitzero"`
}

// TurnEnded closes a turn with exactly one outcome. Reason is a short code that
// narrows it (steps, cost, time, no_progress, sigint...), Detail a sentence.
type TurnEnded struct {
	Prompt  PromptID      `json:"prompt,omitzero"`
	Outcome Outcome       `json:"outcome,omitzero"`
	Reason  string        `json:"reason,omitzero"`
	Detail  string        `json:"detail,omitzero"`
	Steps   int           `json:"steps,omitzero"` // replies with calls
	Usage   message.Usage `json:"usage,omitzero"`
	Cost    *Money        `json:"cost,omitzero"`
	Failure *Failure      `json:"failure,omitzero"`
}

// Failure is what an endpoint or the network did wrong.
type Failure struct {
	Kind      string `json:"kind,omitzero"`
	Phase     string `json:"phase,omitzero"` // connect, first_byte, stream
	Provider  string `json:"provider,omitzero"`
	Text      string `json:"text,omitzero"`
	Status    int    `json:"status,omitzero"` // HTTP
	Retryable bool   `json:"retryable,omitzero"`
}

// Phase names.
const (
	PhaseIdle       = "idle"
	PhaseStarting   = "starting"
	PhaseModel      = "model"
	PhaseTool       = "tool"
	PhasePermission = "waiting_permission"
	PhaseInput      = "waiting_input"
	PhaseRetrying   = "retrying"
	PhaseCompacting = "compacting"        // Detail is the step
	PhasePlanning   = "planning"          // Detail is the planner's model
	PhaseWorkspace  = "waiting_workspace" // another session writes it; Holder says whose
)

// Phase says what the session is doing now.
type Phase struct {
	Name   string `json:"name,omitzero"`
	Detail string `json:"detail,omitzero"`
	Holder string `json:"holder,omitzero"` // of the workspace, in words
}

func (PromptQueued) payload() {}
func (TurnStarted) payload()  {}
func (UserSaid) payload()     {}
func (TurnEnded) payload()    {}
func (Phase) payload()        {}
