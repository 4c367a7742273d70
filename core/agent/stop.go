package agent

import (
	"context"
	"errors"

	"reasonix/core/event"
)

// Reasons that narrow the outcome "limit".
const (
	ReasonSteps      = "steps"
	ReasonCost       = "cost"
	ReasonTime       = "time"
	ReasonNoProgress = "no_progress"
	ReasonContext    = "context" // the conversation does not fit the model's window
)

// Stop is the error of a turn that ended in a named outcome other than
// completed. It is also the cause of a turn's context: whoever cancels a turn
// says in one value what it ended as.
type Stop struct {
	Outcome        event.Outcome
	Reason, Detail string
	Failure        *event.Failure
}

func (s *Stop) Error() string {
	if s.Detail != "" {
		return s.Detail
	}
	return string(s.Outcome)
}

// stopped returns the Stop a finished context was cancelled with. A context that
// ended without one was cancelled by its caller.
func stopped(ctx context.Context) *Stop {
	var s *Stop
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return &Stop{Outcome: event.Cancelled, Detail: "the turn was cancelled"}
}
