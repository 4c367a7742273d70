package protocoltest

import (
	"cmp"
	"slices"

	"reasonix/core/event"
)

// standing is where a fake's session stands, of what its turns can change.
func standing(log []event.Envelope) (at event.Standing) {
	heard := func(id event.PromptID) {
		at.Queue = slices.DeleteFunc(at.Queue, func(q event.PromptQueued) bool { return q.ID == id })
	}
	for _, e := range log {
		if e.Seq > 0 {
			at.At = e.Time
		}
		switch p := e.Payload.(type) {
		case event.Opened:
			at.Running, at.Pending, at.Closed = "", nil, false
		case event.Ended:
			at.Closed = true
		case event.PromptQueued:
			at.Queue, at.First = append(at.Queue, p), cmp.Or(at.First, p.Line())
		case event.TurnStarted:
			at.Turn, at.Running = e.Turn, p.Prompt
		case event.UserSaid:
			heard(p.Prompt)
		case event.Replied:
			if p.Message.Content != "" {
				at.Words = event.Words{Message: p.Message.ID, Text: event.Brief(p.Message.Content)}
			}
		case event.Asked:
			at.Pending = append(at.Pending, p.Question)
		case event.Answered:
			at.Pending = slices.DeleteFunc(at.Pending, func(q event.Question) bool { return q.ID == p.ID })
		case event.TurnEnded:
			if at.Ended = &p; p.Prompt == at.Running {
				at.Running = ""
			}
			heard(p.Prompt)
		default: // no part of what a fake does
		}
	}
	return at
}
