package run

import (
	"reasonix/commands/cmdutil"
	"reasonix/core/event"
)

// limitFlags sets what a turn was stopped by, by its reason.
var limitFlags = map[string]string{"steps": "max-steps", "cost": "max-cost", "time": "max-turn-time"}

// endedError is a turn that ended in another outcome than completed. It was
// shown by the printer already where a machine reads.
type endedError struct {
	ended event.TurnEnded
}

func (e *endedError) Error() string {
	if e.ended.Detail != "" {
		return e.ended.Detail
	}
	return string(e.ended.Outcome)
}

// Hint says what to do about a fault of the endpoint, whose kinds are
// core/provider's.
func (e *endedError) Hint() string {
	if e.ended.Reason == "context" {
		return "begin a new session, or choose a model with a larger window: --model"
	}
	if e.ended.Outcome == event.Limit {
		hint := "reasonix run --continue goes on from here"
		if flag, ok := limitFlags[e.ended.Reason]; ok {
			hint += "; the session keeps its limit, --" + flag + " sets another, 0 none"
		}
		return hint
	}
	if e.ended.Failure == nil {
		return ""
	}
	switch e.ended.Failure.Kind {
	case "auth":
		return "reasonix setup key NAME stores another key, reasonix doctor --online tests it"
	case "connection", "not_a_stream":
		return "check base_url and that the server runs: reasonix doctor --online"
	}
	if !e.ended.Failure.Retryable {
		return "what was done is kept; the endpoint will refuse the same again"
	}
	return "what was done is kept: reasonix run --continue tries again"
}

func (e *endedError) ExitCode() int { return cmdutil.CodeOfTurn(e.ended) }
