package acp

import (
	"fmt"
	"slices"

	"reasonix/core/event"
)

// backgroundFailed is the outcome of a turn that ended while a command in the background
// needs attention.
const backgroundFailed event.Outcome = "background_failed"

// jobEnded keeps a job that failed in a turn until the model is told. Of one that fails
// between turns the next one tells it first.
func (d *drawing) jobEnded(p event.JobEnded) {
	if p.Status == event.JobFailed && d.status.now().Running != "" {
		d.broken = append(d.broken, p)
	}
}

// attended forgets the jobs of which the model was told.
func (d *drawing) attended(sources []event.Source) {
	for _, src := range sources {
		if src.Kind == "job" {
			d.broken = slices.DeleteFunc(d.broken, func(j event.JobEnded) bool { return string(j.Job) == src.Ref })
		}
	}
}

// attention makes a turn that ended well one that failed, when a job failed in it and
// the model was not told: whoever drives the session has to begin another.
func (d *drawing) attention(p event.TurnEnded) event.TurnEnded {
	broken := d.broken
	d.broken = nil
	if p.Outcome != event.Completed || len(broken) == 0 {
		return p
	}
	j := broken[0]
	exit := ""
	if j.Exit != nil {
		exit = fmt.Sprintf(", exit code %d", *j.Exit)
	}
	p.Outcome, p.Reason = backgroundFailed, string(j.Job)
	p.Detail = fmt.Sprintf("background bash failed: needs attention (job %s%s): %s", j.Job, exit, d.jobs[j.Job])
	return p
}
