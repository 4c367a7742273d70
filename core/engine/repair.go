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

// mendLoaded returns the records that make a loaded conversation whole again: a
// result for every call that has none, an end for every job that has none, and a
// note of what was lost or answers no call. They are written, so that every later
// resume sends the same bytes and says nothing twice.
func mendLoaded(j *journal, mail *mailbox, newID func() string) []event.Payload {
	records := mendCalls(j, newID)
	var mended event.Repaired
	for _, r := range records {
		if f, ok := r.(event.ToolFinished); ok {
			mended.Answered = append(mended.Answered, f.Call)
		}
	}
	var jobs []event.JobStarted
	j.with(func(h *history) {
		mended.Answered = append(slices.Clone(h.closed), mended.Answered...)
		mended.Dropped = slices.Clone(h.orphans)
		jobs = h.now.Jobs
	})
	for _, job := range jobs {
		ended := event.JobEnded{Job: job.Job, Status: event.JobInterrupted}
		records = append(records, ended)
		mail.jobEnded(ended)
	}
	if mended.Reason = mendedWords(mended); mended.Reason != "" {
		records = append(records, mended)
	}
	return records
}

func mendedWords(m event.Repaired) string {
	var why []string
	if n := len(m.Answered); n > 0 {
		why = append(why, fmt.Sprintf("calls without a result: %d", n))
	}
	if n := len(m.Dropped); n > 0 {
		why = append(why, fmt.Sprintf("results that answer no call: %d", n))
	}
	return strings.Join(why, "; ")
}

// mendCalls returns a result for every call of the last reply that has none.
func mendCalls(j *journal, newID func() string) (records []event.Payload) {
	j.with(func(h *history) {
		for _, c := range h.unanswered() {
			records = append(records, interruptedResult(message.ID(newID()), c, h.started[c.ID]))
		}
	})
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
