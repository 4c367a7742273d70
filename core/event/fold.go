package event

import "reasonix/core/message"

// Stages of a compaction (Folded.Stage).
const (
	FoldSnip    = "snip"
	FoldPrune   = "prune"
	FoldSummary = "summary"
)

// Folded says that the conversation was made smaller, and how: the one place where
// a request is no extension of the last. Without edits it is a stage that failed
// and changed nothing; Failure says why.
type Folded struct {
	Stage   string        `json:"stage,omitzero"`   // snip, prune, summary
	Trigger string        `json:"trigger,omitzero"` // automatic, manual, refused
	Edits   []Edit        `json:"edits,omitzero"`
	Archive string        `json:"archive,omitzero"` // the file with the originals, in <home>/archive
	Before  int           `json:"before,omitzero"`  // tokens of the next request
	After   int           `json:"after,omitzero"`   // the same, estimated
	Lost    int           `json:"lost,omitzero"`    // tokens that the endpoint's cache no longer has, estimated
	Model   string        `json:"model,omitzero"`   // provider/model that wrote the summary
	Usage   message.Usage `json:"usage,omitzero"`   // of the requests for it
	Cost    *Money        `json:"cost,omitzero"`
	Failure *Failure      `json:"failure,omitzero"`
}

// Edit replaces the messages from First to Last, both included, by With.
type Edit struct {
	First message.ID        `json:"first,omitzero"`
	Last  message.ID        `json:"last,omitzero"`
	With  []message.Message `json:"with,omitzero"`
}

func (Folded) payload() {}
