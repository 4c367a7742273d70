package acp

import (
	"fmt"
	"slices"

	"reasonix/core/event"
)

// backgroundFailed is the outcome of a turn that ended while a command in the background
// needs attention.
const backgroundFailed event.Outcome = "background_failed"

// failedJobs are the jobs that failed in the turn that runs and of which the model was
// not told.
type failedJobs struct {
	titles map[event.JobID]string
	broken []event.JobEnded
}

// ended keeps a job that failed in a turn until the model is told. Of one that fails
// between turns the next one tells it first.
func (f *failedJobs) ended(p event.JobEnded) {
	if p.Status == event.JobFailed {
		f.broken = append(f.broken, p)
	}
}

// attended forgets the jobs of which the model was told.
func (f *failedJobs) attended(sources []event.Source) {
	for _, src := range sources {
		if src.Kind == "job" {
			f.broken = slices.DeleteFunc(f.broken, func(j event.JobEnded) bool { return string(j.Job) == src.Ref })
		}
	}
}

// attention makes a turn that ended well one that failed, when a job failed in it and
// the model was not told: whoever drives the session has to begin another.
func (f *failedJobs) attention(p event.TurnEnded) event.TurnEnded {
	broken := f.broken
	f.broken = nil
	if p.Outcome != event.Completed || len(broken) == 0 {
		return p
	}
	j := broken[0]
	exit := ""
	if j.Exit != nil {
		exit = fmt.Sprintf(", exit code %d", *j.Exit)
	}
	p.Outcome, p.Reason = backgroundFailed, string(j.Job)
	p.Detail = fmt.Sprintf("background bash failed: needs attention (job %s%s): %s", j.Job, exit, f.titles[j.Job])
	return p
}
