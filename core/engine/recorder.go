package engine

import (
	"time"

	"reasonix/core/event"
)

// recorder takes what happens in a session: the journal has it first, and then those
// parts whose business it is. Safe for concurrent use.
type recorder struct {
	j       *journal
	now     func() time.Time
	phases  phases
	touched touched
	// parts take in what was recorded, in this order; set before anything is.
	parts []func(event.Payload)
}

func (r *recorder) emit(p event.Payload) error {
	if p, ok := p.(event.Phase); ok {
		return r.phases.begin(p, r.j.emit)
	}
	p = r.touched.follow(p, r.now)
	if err := r.j.emit(p); err != nil {
		return err
	}
	for _, take := range r.parts {
		take(p)
	}
	return nil
}
