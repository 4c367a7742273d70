package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// hooks are hooks in this process, one of a point.
type hooks map[hook.Point]func(in hook.Input) hook.Verdict

func (h hooks) Wants(p hook.Point, _ string) bool { return h[p] != nil }

func (h hooks) Fire(_ context.Context, p hook.Point, in hook.Input) (hook.Verdict, error) {
	return h[p](in), nil
}

// A hook that keeps a turn going does not give it new limits.
func TestATurnThatAHookKeepsGoingHasOneBudget(t *testing.T) {
	var n atomic.Int64
	w := newWorld(t, touch(&n))
	w.hooks = hooks{hook.TurnEnd: func(hook.Input) hook.Verdict { return hook.Verdict{Block: true, By: "more", Reason: "go on"} }}
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		if r.Last().Role == "user" {
			return one("touch")
		}
		return providertest.Text("done")
	})
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Limits: protocol.Limits{Steps: new(3)}}), nil)
	if ended := c.Say("x"); ended.Outcome != event.Limit || ended.Reason != "steps" || n.Load() != 3 || ended.Steps != 3 {
		t.Errorf("%+v after %d calls", ended, n.Load())
	}
}
