package commands_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// What a session had comes back with it, each thing by itself: model, effort, posture,
// mode, title, todo list, grants, background jobs and working directory. A second
// resume, which begins with what the first one kept, finds the same.
func TestASessionComesBackAsItWas(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	config, err := os.ReadFile(filepath.Join(v.home, "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	v.write(filepath.Join(v.home, "config.toml"), string(config)+"supported_efforts = [\"low\", \"high\"]\n")
	call := func(name, args string) providertest.Reply {
		return providertest.Calls(providertest.Call{Name: name, Arguments: args})
	}
	v.model.Add(
		call("todo_write", `{"todos":[{"content":"mend it","status":"in_progress"}]}`),
		call("bash", `{"command":"mkdir -p sub/deep && cd sub/deep"}`),
		call("bash", `{"command":"sleep 60","run_in_background":true}`),
		providertest.Text("done"),
	)
	spec := protocol.Spec{
		Approval: "auto", Effort: "high", Interactive: true, Client: "a test",
	}
	s, c := v.openAs(spec, protocoltest.Choose("allow_session"))
	c.Say("set it up")
	title := "a title"
	if err := s.Submit(t.Context(), protocol.Configure{Title: &title}); err != nil {
		t.Fatal(err)
	}
	want := protocoltest.Wait(t, c.Collector, func(e event.Configured) bool { return e.Title == title })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		v.model.Add(call("bash", `{"command":"pwd"}`), call("bash", `{"command":"mkdir -p more"}`), providertest.Text("done"))
		s, c = v.openAs(protocol.Spec{Session: s.ID(), Interactive: true}, protocoltest.Choose("reject_once"))
		before := len(protocoltest.Payloads[event.Asked](c.Durable()))
		if end := sayAs(t, c, event.PromptID("again"+string(rune('0'+round)))); end.Outcome != event.Completed {
			t.Errorf("round %d: %+v", round, end)
		}
		got := lastOf[event.Configured](c)
		got.By = want.By // another hand
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("round %d: configuration (-want +got):\n%s", round, d)
		}
		if got.Approval != "auto" || got.Effort != "high" || got.Mode != "normal" {
			t.Errorf("round %d: configured %+v", round, got)
		}
		if asked := protocoltest.Payloads[event.Asked](c.Durable()); len(asked) != before {
			t.Errorf("round %d: asked again for %+v", round, asked[before:])
		}
		finished := protocoltest.Payloads[event.ToolFinished](c.Durable())
		dir := finished[len(finished)-2].Message.Content
		if !strings.Contains(dir, filepath.Join("sub", "deep")) {
			t.Errorf("round %d: the next command starts in %s", round, dir)
		}
		jobs := protocoltest.Payloads[event.JobEnded](c.Durable())
		if len(jobs) != 1 || jobs[0].Status == event.JobDone {
			t.Errorf("round %d: jobs %+v", round, jobs)
		}
		if todos := lastOf[event.Planned](c).Todos; len(todos) != 1 || todos[0].Text != "mend it" {
			t.Errorf("round %d: todos %+v", round, todos)
		}
		opened := protocoltest.Payloads[event.Opened](c.Durable())
		if i := slices.IndexFunc(opened, func(o event.Opened) bool { return o.Client == "a test" }); i != 0 {
			t.Errorf("round %d: opened %+v", round, opened)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The work mode is another set of tools, which is why it has a session of its own here.
func TestAWorkModeComesBack(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	v.model.Add(providertest.Text("done"), providertest.Text("done"))
	s, c := v.open(protocol.Spec{WorkMode: "economy", Approval: "yolo", Interactive: true})
	c.Say("x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, c = v.open(protocol.Spec{Session: s.ID(), Interactive: true}) // a headless resume asks for the posture anew
	sayAs(t, c, "again")
	if got := lastOf[event.Configured](c); got.WorkMode != "economy" || got.Approval != "yolo" {
		t.Errorf("configured %+v", got)
	}
	requests := v.model.Requests()
	if d := cmp.Diff(len(requests[0].Tools), len(requests[1].Tools)); d != "" {
		t.Errorf("tools (-before +after):\n%s", d)
	}
}

// openAs is open with somebody who answers.
func (v *victim) openAs(spec protocol.Spec, rule protocoltest.Rule) (protocol.Session, *protocoltest.Client) {
	v.t.Helper()
	spec.Workspace = v.workspace
	s, err := v.host().Open(v.t.Context(), spec)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { s.Close() })
	return s, protocoltest.NewClient(v.t, s, rule)
}

func lastOf[T event.Payload](c *protocoltest.Client) (last T) {
	for _, p := range protocoltest.Payloads[T](c.Durable()) {
		last = p
	}
	return last
}
