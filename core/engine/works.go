package engine

import (
	"reasonix/core/agent"
	"reasonix/core/event"
)

// works is what turns run on: a loop over the model and its tools, made when the first
// turn needs it and kept for the next ones. The turn's goroutine uses it, and the
// session's while no turn runs.
type works struct {
	rec   *recorder
	newID func() string
	loop  func(event.Configured) (agent.Runner, error)
	plans *Planner               // nil: nobody plans
	child func(Planner) *planner // makes the planner of this session

	runner  agent.Runner // nil until a turn needs one
	planner *planner     // nil: there is none, or no turn yet
}

// input is the conversation as the turn's runner gets it.
func (w *works) input() (agent.Runner, agent.Input, error) {
	in := agent.Input{Messages: w.rec.j.messages()}
	var configured event.Configured
	w.rec.j.with(func(h *history) {
		configured = h.configured
		in.Tools = h.prefix.Tools
		in.Todos = h.now.Todos
		in.Break, in.Sent = h.broken, h.sent
		in.Counted, in.CountedAt = h.count()
		if in.Sent == nil {
			in.SentAt = in.CountedAt
		}
		if h.model != "" && h.model != h.configured.Model {
			in.Break = &event.Break{Part: "model", Cause: "the model changed from " + h.model}
			in.Counted = 0 // by another tokenizer
		}
	})
	if w.runner == nil {
		r, err := w.loop(configured)
		if err != nil {
			return nil, in, err
		}
		w.runner = w.coordinated(r)
	}
	return w.runner, in, nil
}

// coordinated puts the planner before the session's own runner.
func (w *works) coordinated(r agent.Runner) agent.Runner {
	if w.plans == nil {
		return r
	}
	w.planner = w.child(*w.plans)
	return &agent.Coordinator{
		Executor: r, Planner: w.planner, Model: w.plans.Model, Continues: w.plans.Continues, Emit: w.rec.emit, NewID: w.newID,
	}
}

// change makes the next turn run on other parts. What the one before ran on is closed: the
// planner's child holds the journal that the next one goes on with.
func (w *works) change(loop func(event.Configured) (agent.Runner, error), plans *Planner) error {
	err := w.close()
	w.loop, w.plans = loop, plans
	return err
}

// close ends what turns ran on.
func (w *works) close() error {
	err := w.planner.close()
	w.planner, w.runner = nil, nil
	return err
}
