package view

import "reasonix/core/event"

func (s State) asked(p event.Asked) State {
	s.Pending = with(s.Pending, p.Question)
	return s
}

func (s State) answered(p event.Answered) State {
	s.Pending = without(s.Pending, func(q event.Question) bool { return q.ID == p.ID })
	return s
}
