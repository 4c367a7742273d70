package engine_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"reasonix/core/agent"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/tool"
)

// planned is a session with a planner that reads once and then plans.
func planned(t *testing.T) *world {
	w := newWorld(t, dump(100), fn{"touch", false, func(context.Context) (string, error) { return "touched", nil }})
	w.plans = providertest.New(t)
	w.plans.Respond(func(r *providertest.Received) providertest.Reply {
		if r.Last().Role == "user" {
			return one("dump").Usage(1000, 0, 100)
		}
		return providertest.Text("1. touch it").Usage(1000, 0, 100)
	})
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		if r.Last().Role == "user" {
			return one("touch").Usage(2000, 0, 100)
		}
		return providertest.Text("done").Usage(2000, 0, 100)
	})
	return w
}

func TestThePlanIsHandedOverAndNeitherPrefixIsDisturbed(t *testing.T) {
	w := planned(t)
	var spec protocol.Spec
	var c *protocoltest.Client
	for i := range 4 { // the planner's session is resumed with the session
		s := w.open(t, spec)
		c = protocoltest.NewClient(t, s, nil)
		ended := prompt(t, c, fmt.Sprintf("task %d", i))
		if ended.Outcome != event.Completed || ended.Usage.Input != 6000 || math.Abs(ended.Cost.Amount-6400e-6) > 1e-9 {
			t.Fatalf("%+v, %+v", ended, ended.Cost)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		spec.Session = s.ID()
	}
	for _, m := range []*providertest.Server{w.model, w.plans} {
		if n := len(m.Requests()); n != 8 {
			t.Errorf("%d requests, want 8", n)
		}
		m.CheckPrefix(t)
	}
	last := w.model.Requests()[7]
	if sent := users(last); strings.Count(sent, "1. touch it") != 4 || !strings.Contains(sent, "task 3") {
		t.Errorf("sent %s", sent)
	}
	for _, r := range w.plans.Requests() {
		if fmt.Sprint(r.Tools) != "[dump]" || strings.Contains(string(r.Body), "touched") {
			t.Errorf("the planner got %s", r.Body)
		}
	}
	started := protocoltest.Payloads[event.ChildStarted](c.Durable())
	if len(started) != 1 || started[0].Profile != event.ProfilePlanner {
		t.Fatalf("children %+v", started)
	}
	info, err := w.store.Info(t.Context(), started[0].Session)
	if err != nil || info.Parent != spec.Session {
		t.Errorf("child %+v: %v", info, err)
	}
	for _, limit := range []int{0, 1} { // --continue takes the first of these
		listed, err := w.Sessions(t.Context(), protocol.Query{Workspace: "/work", Limit: limit})
		if err != nil || len(listed) != 1 || listed[0].ID != spec.Session {
			t.Errorf("listed %+v: %v", listed, err)
		}
	}
	for _, said := range protocoltest.Payloads[event.UserSaid](c.Durable()) {
		if len(said.Sources) == 1 && (said.Sources[0].Kind != "plan" || said.Sources[0].Ref != string(info.ID) || said.Display != "") {
			t.Errorf("plan %+v", said)
		}
	}
}

func TestNothingIsPlannedForAContinuation(t *testing.T) {
	w := planned(t)
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	prompt(t, c, "continue")
	if n := len(w.plans.Requests()); n != 0 {
		t.Errorf("%d requests to the planner", n)
	}
}

func TestAPlannerThatFailsCostsOnlyThePlan(t *testing.T) {
	for name, reply := range map[string]providertest.Reply{
		"error":      providertest.Status(401, `{"error":{"message":"bad key"}}`),
		"refusal":    providertest.Text("I will not").Finish("content_filter"),
		"no stream":  providertest.Raw("<html>"),
		"prose only": providertest.Text("Well, I would just do it."),
	} {
		t.Run(name, func(t *testing.T) {
			w := planned(t)
			w.plans.Respond(func(*providertest.Received) providertest.Reply { return reply })
			c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
			for i := range 2 {
				if ended := prompt(t, c, fmt.Sprintf("task %d", i)); ended.Outcome != event.Completed {
					t.Errorf("%+v", ended)
				}
			}
			w.model.CheckPrefix(t)
			told := len(protocoltest.Payloads[event.Notice](c.Durable()))
			plan := strings.Contains(users(w.model.Requests()[0]), "just do it")
			if prose := name == "prose only"; plan != prose || prose != (told == 0) {
				t.Errorf("plan %t, %d notices", plan, told)
			}
		})
	}
}

func TestCancellingStopsThePlanner(t *testing.T) {
	w := planned(t)
	w.plans.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("1. wait").Gate(nil) })
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "task"}); err != nil {
		t.Fatal(err)
	}
	if err := w.plans.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(t.Context(), protocol.Cancel{}); err != nil {
		t.Fatal(err)
	}
	if ended := c.Ended("p"); ended.Outcome != event.Cancelled {
		t.Errorf("%+v", ended)
	}
	if n := len(w.model.Requests()); n != 0 {
		t.Errorf("the executor was asked %d times", n)
	}
	w.plans.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("1. go") })
	if ended := prompt(t, c, "again"); ended.Outcome != event.Completed {
		t.Errorf("%+v", ended)
	}
	if sent := users(w.model.Requests()[0]); !strings.Contains(sent, "task") || !strings.Contains(sent, "1. go") {
		t.Errorf("sent %s", sent)
	}
	w.plans.CheckPrefix(t)
}

// What was meant for a turn that was cancelled goes on with its work.
func TestNothingIsPlannedForSteering(t *testing.T) {
	w := planned(t)
	w.model.Add(providertest.Text("slow").Gate(nil))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "task"}); err != nil {
		t.Fatal(err)
	}
	if err := w.model.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for _, op := range []protocol.Op{protocol.Steer{ID: "s", Text: "the other file"}, protocol.Cancel{}} {
		if err := s.Submit(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	if ended := c.Ended("s"); ended.Outcome != event.Completed {
		t.Errorf("%+v", ended)
	}
	if n := len(w.plans.Requests()); n != 2 {
		t.Errorf("%d requests to the planner, want the 2 of the task", n)
	}
}

// Tools that are listed anew make another runner. The planner's session is closed
// before the next turn opens it again.
func TestThePlannerPlansOnAfterToolsWereListedAnew(t *testing.T) {
	w := planned(t)
	w.change = func(o *engine.Organs) {
		tools, runner := o.Tools, o.Runner
		o.Refresh = func(event.Configured) (*tool.Registry, func(event.Configured) (agent.Runner, error), bool, error) {
			return tools, runner, true, nil
		}
	}
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	prompt(t, c, "task 0")
	if err := w.lent.Emit(event.Folded{Edits: []event.Edit{{First: "none", Last: "none"}}}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		prompt(t, c, fmt.Sprintf("task %d", i+1))
	}
	if failed := notices(c, "planner_failed"); len(failed) > 0 {
		t.Errorf("no plan: %+v", failed)
	}
	if sent := users(w.model.Requests()[5]); strings.Count(sent, "1. touch it") != 3 {
		t.Errorf("sent %s", sent)
	}
}
