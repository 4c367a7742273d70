// Package view folds the events of a session into what a front end draws: the
// conversation as people read it, the reply in flight, open questions, what is going
// on and what it cost. Apply is pure: the same events give the same State, so that a
// fault of drawing is a row in a table test and no terminal is needed.
//
// It decides nothing, asks nobody and renders nothing. Every front end that draws
// more than the event at hand calls it; one that reads events twice, joins late or
// loses merged deltas ends in the same State as one that saw everything.
package view

import (
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
)

// State is a session as it stands. The zero State is a session nobody has read yet.
// States share memory: what a State points to is never changed, neither by Apply nor
// by whoever holds one.
type State struct {
	Last     event.Seq // the newest durable event
	At       time.Time // of that event
	CaughtUp bool      // the replay is over
	Closed   bool      // the writer closed the session in order

	Opened     event.Opened // the newest
	Configured event.Configured
	Tools      []string // names
	Offered    event.Offered
	Servers    []event.ServerChanged // by name
	Hooks      []event.HookRan
	PrefixHash string
	Repaired   *event.Repaired // what the newest opening mended; nil when nothing
	Context    event.ContextUsed
	Phase      event.Phase
	Notices    []Notice
	Folds      []Fold
	Unknown    int // events of a newer version, kept and not drawn

	First    string      // what the first prompt said, on one line
	Words    event.Words // of the newest reply with a text
	Messages []*Message  // the conversation, oldest first
	Live     Live        // the reply in flight
	Todos    []event.Todo
	Jobs     []event.JobStarted   // in the background, still running
	Children []event.ChildStarted // sessions that work or worked for this one
	Retry    *event.Retrying
	Queue    []event.PromptQueued // accepted and not read by the model yet

	Ways [][]*Message // conversations that a Rewound left, the newest last

	Turn    int            // number of the newest turn
	Running event.PromptID // prompt of the running turn; empty when none runs
	Ended   *event.TurnEnded
	Usage   message.Usage // of all replies, summaries and children
	Cost    []event.Money // of all replies, one per currency
	Pending []event.Question
	Grants  []event.Granted
	Denials []Denial
}

// Notice is a notice and its place in the conversation.
type Notice struct {
	event.Notice
	After int // how many messages came before it
}

// Fold is a compaction and its place in the conversation, which people keep seeing
// whole.
type Fold struct {
	event.Folded
	After int // how many messages came before it
}

// Apply returns s with e added. A durable event that s has already is ignored.
func Apply(s State, e event.Envelope) State {
	if e.Seq != 0 {
		if e.Seq <= s.Last {
			return s
		}
		s.Last, s.At = e.Seq, e.Time
	}
	switch p := e.Payload.(type) {
	case event.Opened:
		return s.opened(p)
	case event.Configured:
		s.Configured = p
	case event.PrefixSet:
		return s.prefixSet(p)
	case event.Repaired:
		s.Repaired = &p
	case event.Offered:
		s.Offered = p
	case event.ServerChanged:
		return s.serverChanged(p)
	case event.CaughtUp:
		return s.caughtUp(p)
	case event.Notice:
		s.Notices = with(s.Notices, Notice{p, len(s.Messages)})
	case event.Ended:
		s.Closed = true
	case event.PromptQueued:
		return s.promptQueued(p)
	case event.TurnStarted:
		s.Turn, s.Running = e.Turn, p.Prompt
	case event.UserSaid:
		return s.userSaid(e, p)
	case event.TurnEnded:
		return s.turnEnded(p)
	case event.Phase:
		s.Phase = p
	case event.TextDelta:
		return s.textDelta(p)
	case event.ReasoningDelta:
		return s.reasoningDelta(p)
	case event.CallDelta:
		return s.callDelta(p)
	case event.Retrying:
		s.Live, s.Retry = Live{}, &p
	case event.Replied:
		return s.replied(e, p)
	case event.ContextUsed:
		s.Context = p
	case event.Folded:
		return s.folded(p)
	case event.ToolStarted:
		return s.toolStarted(e, p)
	case event.ToolOutput:
		return s.toolOutput(e, p)
	case event.ToolProgress:
		return s.toolProgress(e, p)
	case event.ToolFinished:
		return s.toolFinished(e, p)
	case event.FilesChanged: // the calls' diffs show it
	case event.Rewinding: // Rewound says what became of it
	case event.Rewound:
		return s.rewound(p)
	case event.Planned:
		s.Todos = p.Todos
	case event.JobStarted:
		s.Jobs = with(s.Jobs, p)
	case event.JobEnded:
		s.Jobs = without(s.Jobs, func(j event.JobStarted) bool { return j.Job == p.Job })
	case event.ChildStarted:
		s.Children = with(s.Children, p)
	case event.ChildEnded:
		return s.spent(p.Usage, p.Cost)
	case event.Asked:
		return s.asked(p)
	case event.Answered:
		return s.answered(p)
	case event.Granted:
		s.Grants = with(s.Grants, p)
	case event.HookRan:
		s.Hooks = with(s.Hooks, p)
	case event.Unknown:
		s.Unknown++
	}
	return s
}

// with returns list with v behind it and leaves list's array alone.
func with[T any](list []T, v T) []T {
	return append(list[:len(list):len(list)], v)
}

// without returns list less what drop accepts and leaves list's array alone.
func without[T any](list []T, drop func(T) bool) []T {
	var kept []T
	for _, v := range list {
		if !drop(v) {
			kept = append(kept, v)
		}
	}
	return kept
}
