package protocol

import (
	"time"

	"reasonix/core/event"
)

// Limits is what is wished of a session's limits, one by one: nil leaves one as it was,
// zero lifts it. Cost is in the currency of the model's price.
type Limits struct {
	Steps *int
	Cost  *float64
	Time  *time.Duration
}

// Over is what holds once the wishes are added to what held before.
func (w Limits) Over(l event.Limits) event.Limits {
	if w.Steps != nil {
		l.Steps = *w.Steps
	}
	switch {
	case w.Cost == nil:
	case *w.Cost == 0:
		l.Cost = nil
	default:
		l.Cost = &event.Money{Amount: *w.Cost}
	}
	if w.Time != nil {
		l.Time = *w.Time
	}
	return l
}
