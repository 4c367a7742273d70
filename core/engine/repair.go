package engine

import (
	"fmt"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/message"
)

const (
	resultInterrupted = "interrupted: reasonix was stopped while this call ran; it may have had effects. Check before you go on."
	resultNeverRan    = "not run: reasonix was stopped before this call began."
)

// mend returns the records that make a loaded conversation whole again: a result
// for every call that has none, and a note of what answers no call. They are
// written, so that the next resume sends the same bytes.
func (s *sess) mend() []event.Payload {
	var records []event.Payload
	var mended event.Repaired
	s.j.with(func(h *history) {
		for _, c := range h.unanswered() {
			records = append(records, interruptedResult(message.ID(s.e.p.NewID()), c, h.started[c.ID]))
			mended.Answered = append(mended.Answered, c.ID)
		}
		mended.Dropped = slices.Clone(h.orphans)
	})
	var why []string
	var jobs []event.JobID
	s.j.with(func(h *history) { jobs = slices.Clone(h.running) })
	for _, id := range jobs {
		ended := event.JobEnded{Job: id, Status: event.JobInterrupted}
		records = append(records, ended)
		s.finished = append(s.finished, ended)
	}
	if len(mended.Answered) > 0 {
		why = append(why, fmt.Sprintf("%d calls had no result", len(mended.Answered)))
	}
	if len(mended.Dropped) > 0 {
		why = append(why, fmt.Sprintf("%d results answer no call", len(mended.Dropped)))
	}
	if len(why) > 0 {
		mended.Reason = strings.Join(why, "; ")
		records = append(records, mended)
	}
	return records
}

func interruptedResult(id message.ID, c message.ToolCall, began bool) event.ToolFinished {
	text := resultNeverRan
	if began {
		text = resultInterrupted
	}
	return event.ToolFinished{
		Call: c.ID, Title: c.Name, Status: event.StatusInterrupted,
		Message: message.Message{ID: id, Role: message.ToolRole, ToolCallID: c.ID, Name: c.Name, Content: text},
	}
}
