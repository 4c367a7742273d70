package view

import (
	"cmp"
	"slices"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
)

// liveOutput is how many bytes of a running call's output are kept, from its end.
// The result, when it comes, is kept whole.
const liveOutput = 64 << 10

// Call is one call of a reply and what became of it.
type Call struct {
	ID, Name, Arguments string

	Title string
	Kind  string // read, edit, search, execute, other
	Rule  string // why it ran unasked, or was denied
	Held  string // what confines it, in words; empty: it is no command
	Paths []string

	Started bool
	Status  event.Status // empty until it finished
	Result  message.ID   // of the message with it
	Reason  string       // of a denial
	Output  Stream       // live output, then the result the model reads
	Exit    *int
	Diffs   []event.Diff
	Full    string // hash of the whole output
	Took    time.Duration
	// Progress is how far a running call is, by its own account.
	Progress event.ToolProgress
	Images   []message.Attachment
}

// Denial is a call that was refused.
type Denial struct {
	Call, Tool, Title, Rule, Reason string
	Turn                            int
}

// changeCall applies change to a copy of the newest call of that id. A call nobody
// has seen the reply of, because the replay was skipped, gets a message of its own.
func (s State) changeCall(e event.Envelope, id string, change func(*Call)) State {
	s.Messages = slices.Clone(s.Messages)
	for i, m := range slices.Backward(s.Messages) {
		j := slices.IndexFunc(m.Calls, func(c Call) bool { return c.ID == id })
		if j < 0 {
			continue
		}
		changed := *m
		changed.Calls = slices.Clone(m.Calls)
		change(&changed.Calls[j])
		s.Messages[i] = &changed
		return s
	}
	call := Call{ID: id}
	change(&call)
	s.Messages = append(s.Messages, &Message{Role: message.Assistant, Turn: e.Turn, Time: e.Time, Calls: []Call{call}})
	return s
}

func (s State) toolStarted(e event.Envelope, p event.ToolStarted) State {
	return s.changeCall(e, p.Call, func(c *Call) {
		c.Started = true
		// Of a second run only what differs is told.
		c.Title, c.Kind, c.Rule, c.Held = cmp.Or(p.Title, c.Title), cmp.Or(p.Kind, c.Kind), cmp.Or(p.Rule, c.Rule), cmp.Or(p.Held, c.Held)
		if len(p.Paths) > 0 {
			c.Paths = p.Paths
		}
	})
}

func (s State) toolOutput(e event.Envelope, p event.ToolOutput) State {
	return s.changeCall(e, p.Call, func(c *Call) {
		if c.Status == "" {
			c.Output = c.Output.add(p.Offset, p.Text).last(liveOutput)
		}
	})
}

func (s State) toolProgress(e event.Envelope, p event.ToolProgress) State {
	return s.changeCall(e, p.Call, func(c *Call) {
		if c.Status == "" {
			c.Progress = p
		}
	})
}

func (s State) toolFinished(e event.Envelope, p event.ToolFinished) State {
	var denied *Denial
	s = s.changeCall(e, p.Call, func(c *Call) {
		c.Progress = event.ToolProgress{}
		c.Status, c.Reason, c.Result = p.Status, p.Reason, p.Message.ID
		c.Output = Stream{Text: p.Message.Content}
		c.Exit, c.Diffs, c.Full, c.Took = p.Exit, p.Diffs, p.Full, p.Took
		c.Images = p.Message.Attachments
		if p.Title != "" {
			c.Title = p.Title
		}
		if p.Rule != "" {
			c.Rule = p.Rule
		}
		if p.Status == event.StatusDenied {
			denied = &Denial{Call: p.Call, Tool: c.Name, Title: c.Title, Rule: p.Rule, Reason: p.Reason, Turn: e.Turn}
		}
	})
	if denied != nil {
		s.Denials = with(s.Denials, *denied)
	}
	return s
}
