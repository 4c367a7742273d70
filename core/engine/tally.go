package engine

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
)

// tally is what the events of one turn add up to. Safe for concurrent use.
type tally struct {
	mu      sync.Mutex
	began   time.Time
	steps   int
	usage   message.Usage
	cost    *event.Money
	refused int // calls refused because nobody could be asked
}

func (t *tally) reset(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began, t.steps, t.usage, t.cost, t.refused = now, 0, message.Usage{}, nil, 0
}

// used is what the turn used of its limits so far.
func (t *tally) used(now time.Time) agent.Used {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := agent.Used{Steps: t.steps, Time: now.Sub(t.began)}
	if t.cost != nil {
		u.Cost = t.cost.Amount
	}
	return u
}

func (t *tally) refuse() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused++
}

// follow takes in what was recorded.
func (t *tally) follow(p event.Payload) {
	switch p := p.(type) {
	case event.Replied:
		t.replied(p)
	case event.Folded:
		t.spend(p.Usage, p.Cost)
	case event.ChildEnded:
		t.spend(p.Usage, p.Cost)
	case event.Answered:
		t.spend(p.Usage, p.Cost)
	default: // it costs nothing
	}
}

func (t *tally) replied(r event.Replied) {
	t.spend(r.Usage, r.Cost)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(r.Message.ToolCalls) > 0 {
		t.steps++
	}
}

func (t *tally) spend(usage message.Usage, cost *event.Money) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = t.usage.Add(usage)
	if cost == nil {
		return
	}
	sum := event.Money{Currency: cost.Currency}
	if t.cost != nil {
		sum = *t.cost
	}
	sum.Amount += cost.Amount
	sum.Estimated = sum.Estimated || cost.Estimated
	t.cost = &sum
}

// ended is a turn that was completed, unless calls were refused because nobody
// could be asked.
func (t *tally) ended() event.TurnEnded {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := event.TurnEnded{Outcome: event.Completed, Steps: t.steps, Usage: t.usage, Cost: t.cost}
	if t.refused > 0 {
		e.Outcome, e.Reason = event.Denied, "nobody_to_ask"
		e.Detail = fmt.Sprintf("calls refused because nobody could be asked: %d", t.refused)
	}
	return e
}

// outcome turns a runner's error into the one word the turn ends with.
func (t *tally) outcome(err error) event.TurnEnded {
	ended := t.ended()
	var stop *agent.Stop
	switch {
	case errors.As(err, &stop):
		ended.Outcome, ended.Reason, ended.Detail, ended.Failure = stop.Outcome, stop.Reason, stop.Detail, stop.Failure
	case err != nil:
		ended.Outcome, ended.Reason, ended.Detail = event.Internal, "", err.Error()
	}
	return ended
}
