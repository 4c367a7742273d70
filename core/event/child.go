package event

import "reasonix/core/message"

// ProfilePlanner is the child session of the model that plans
// (ChildStarted.Profile).
const ProfilePlanner = "planner"

// ChildStarted says that another session works for this one.
type ChildStarted struct {
	Session SessionID `json:"session,omitzero"`
	Call    string    `json:"call,omitzero"` // whose work it is; empty: the turn's
	Profile string    `json:"profile,omitzero"`
	Model   string    `json:"model,omitzero"` // provider/model
}

// ChildEnded says how the child's turn ended and what it cost, which this turn's
// receipt includes. The child's own journal says the same of each reply. Without a
// Session it was one request, which an MCP server was let make.
type ChildEnded struct {
	Session SessionID     `json:"session,omitzero"`
	Call    string        `json:"call,omitzero"`
	Outcome Outcome       `json:"outcome,omitzero"`
	Usage   message.Usage `json:"usage,omitzero"`
	Cost    *Money        `json:"cost,omitzero"`
}

func (ChildStarted) payload() {}
func (ChildEnded) payload()   {}
