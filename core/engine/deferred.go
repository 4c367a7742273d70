package engine

import "reasonix/core/event"

// describer is a log that tells others what waits for the next turn, of which no record
// is in it yet.
type describer interface{ Deferred(*event.Configured) }

// describe tells the store what counts from the next turn on; nil: what counts now.
func (j *journal) describe(deferred *event.Configured) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if log, ok := j.log.(describer); ok {
		log.Deferred(deferred)
	}
}
