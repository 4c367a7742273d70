package session

import (
	"reasonix/core/event"
	"reasonix/core/message"
)

// ByRename is Configured.By of a record that only gave the session a title.
const ByRename = "rename"

// Info is what is known of a session without reading its journal through.
type Info struct {
	Meta
	Last    event.Seq // the highest number
	Journal string    // path; empty where the store has no files
	Bytes   int64     // of the journal
	Damaged int       // lines that could not be read
	Holder  string    // who writes it now, in words; empty: nobody

	Turns []TurnAt
	// Reason and Detail are those of the last turn's end, beside Meta.Outcome.
	Reason, Detail string
	// Unfinished is the turn that has no end: it runs when there is a Holder and
	// was interrupted otherwise.
	Unfinished *Unfinished

	// Effective is the configuration the last turn ran with, Queued the one that
	// the next turn will, nil when it is the same.
	Effective event.Configured
	Queued    *event.Configured
	Waiting   []event.PromptQueued // accepted and not begun; Display is the first line

	Usage message.Usage
	Spent []Spend

	Prefix event.Seq   // of the last PrefixSet, 0 when there is none
	Folds  []event.Seq // of the records that folded the conversation
}

// TurnAt is where a turn begins.
type TurnAt struct {
	Turn int       `json:"turn"`
	Seq  event.Seq `json:"seq"` // of TurnStarted
}

// Unfinished is a turn without an end.
type Unfinished struct {
	Turn     int            `json:"turn,omitzero"`
	Prompt   event.PromptID `json:"prompt,omitzero"`
	Calls    []PendingCall  `json:"calls,omitzero"`    // without a result
	Question string         `json:"question,omitzero"` // title of the one that waits for an answer
}

// PendingCall is a call without a result.
type PendingCall struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitzero"`
	Title   string `json:"title,omitzero"`
	Started bool   `json:"started,omitzero"` // it may have had an effect
}

// Spend is what one model cost on one day (UTC, 2006-01-02) in one currency; Currency
// is empty when no price is known.
type Spend struct {
	Day       string        `json:"day"`
	Model     string        `json:"model"`
	Requests  int           `json:"requests"`
	Usage     message.Usage `json:"usage,omitzero"`
	Amount    float64       `json:"amount,omitzero"`
	Currency  string        `json:"currency,omitzero"`
	Estimated bool          `json:"estimated,omitzero"`
}
