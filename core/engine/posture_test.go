package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/tool"
)

// postures is what becomes of every kind of call. Of each triple the first is with
// a person, the second headless where an unanswered question is a yes, the third
// headless where it is a no.
//
//	run      it runs unasked
//	asked    a person is asked
//	no       refused, whatever a person would say
//	nobody   refused because nobody can be asked
const postures = `
kind     posture  fallback allow        fallback ask          fallback deny
reader   *        run   run   run       run   run   run       run   run   run
writer   ask      run   run   run       asked run   nobody    no    no    no
writer   auto     run   run   run       run   run   run       no    no    no
writer   yolo     run   run   run       run   run   run       no    no    no
allowed  *        run   run   run       run   run   run       run   run   run
ruled    ask      asked run   nobody    asked run   nobody    asked run   nobody
ruled    auto     asked run   nobody    asked run   nobody    asked run   nobody
ruled    yolo     run   run   run       run   run   run       run   run   run
denied   *        no    no    no        no    no    no        no    no    no
looking  *        run   run   run       run   run   run       no    no    no
opaque   *        asked nobody nobody   asked nobody nobody   no    no    no
guarded  *        asked nobody nobody   asked nobody nobody   no    no    no
secret   *        asked nobody nobody   asked nobody nobody   asked nobody nobody
keeping  *        asked nobody nobody   asked nobody nobody   no    no    no
dropping *        asked nobody nobody   asked nobody nobody   no    no    no
hidden   *        no    no    no        no    no    no        no    no    no
ask      *        asked run   run       asked run   run       asked run   run
todo     *        run   run   run       run   run   run       run   run   run
`

// kinds are the calls of the table, by kind.
var kinds = map[string]providertest.Call{
	"reader": {Name: "look"}, "writer": {Name: "touch"}, "allowed": {Name: "allowed"}, "ruled": {Name: "ruled"}, "denied": {Name: "denied"},
	"looking": {Name: "bash", Arguments: `{"command":"ls -l"}`}, // a command that only reads
	"opaque":  {Name: "bash", Arguments: `{"command":"$X y"}`},  // a deny rule may be about it
	"guarded": {Name: "write_file", Arguments: `{"path":".envrc"}`}, "secret": {Name: "read_file", Arguments: `{"path":"/home/me/.ssh/id"}`},
	"hidden": {Name: "read_file", Arguments: `{"path":"/home/me/.env"}`}, "keeping": {Name: "remember"}, "dropping": {Name: "forget"}, "ask": {Name: "ask"}, "todo": {Name: "todo_write"},
}

func ok(context.Context) (string, error) { return "ok", nil }

func TestEveryPostureAndEveryKindOfCall(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(postures), "\n")[1:]
	for i, fallback := range []permission.Decision{permission.Allow, permission.Ask, permission.Deny} {
		for _, posture := range []string{"ask", "auto", "yolo"} {
			for k, front := range []string{"person", "headless allow", "headless deny"} {
				t.Run(fmt.Sprint(fallback, " ", posture, " ", front), func(t *testing.T) {
					want := map[string]string{}
					for _, line := range lines {
						row := strings.Fields(line)
						if row[1] == "*" || row[1] == posture {
							want[row[0]] = row[2+3*i+k]
						}
					}
					if d := cmp.Diff(want, becameOf(t, fallback, posture, front)); d != "" {
						t.Errorf("-want +got\n%s", d)
					}
				})
			}
		}
	}
}

// becameOf makes every kind of call through an engine with a person who allows
// everything once.
func becameOf(t *testing.T, fallback permission.Decision, posture, front string) map[string]string {
	w := newWorld(t, fn{"look", true, ok}, fn{"touch", false, ok}, fn{"allowed", false, ok}, fn{"ruled", false, ok}, fn{"denied", false, ok},
		fn{"bash", false, ok}, fn{"write_file", false, ok}, fn{"read_file", true, ok}, fn{"todo_write", false, ok}, fn{"remember", false, ok}, fn{"forget", false, ok})
	w.tools = append(w.tools, asking{fn{"ask", true, ok}, w})
	w.deny = front == "headless deny"
	w.policy = permission.Policy{
		Mode: fallback, Root: "/work", ReadOnlyCommands: true,
		Allow: []permission.Rule{{Tool: "allowed", Source: "user"}}, Ask: []permission.Rule{{Tool: "ruled", Source: "user"}},
		Deny:   []permission.Rule{{Tool: "denied", Source: "user"}, {Tool: "Bash", Spec: "rm:*", Source: "user"}},
		Places: permission.Places{Names: []string{".envrc"}, Secrets: []string{"/home/me/.ssh"}, Hidden: []string{"/home/me/.env"}},
	}
	var calls []providertest.Call
	for kind, c := range kinds {
		c.ID = kind
		calls = append(calls, c)
	}
	w.model.Add(providertest.Calls(calls...), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Approval: posture, Interactive: front == "person"}), protocoltest.Choose("allow_once"))
	ended := c.Say("all of it")
	got := map[string]string{}
	for _, f := range protocoltest.Payloads[event.ToolFinished](c.Durable()) {
		switch {
		case f.Status == event.StatusOK:
			got[f.Call] = "run"
		case strings.Contains(f.Reason, "nobody can be asked"):
			got[f.Call] = "nobody"
		default:
			got[f.Call] = "no"
		}
	}
	for _, a := range protocoltest.Payloads[event.Asked](c.Durable()) {
		got[a.Question.Call] = "asked"
	}
	nobody := false
	for _, what := range got {
		nobody = nobody || what == "nobody"
	}
	if (ended.Outcome == event.Denied) != nobody {
		t.Errorf("the turn ended %s with %v", ended.Outcome, got)
	}
	return got
}

// asking is a tool with a question of its own.
type asking struct {
	fn
	w *world
}

func (a asking) Execute(ctx context.Context, _ json.RawMessage) (string, error) {
	_, err := a.w.lent.Ask(ctx, event.Question{Kind: event.AskQuestion, Call: tool.CallFrom(ctx).ID, Options: []event.Option{{ID: "allow_once"}}})
	if err != nil && !errors.Is(err, tool.ErrNobody) {
		return "", err
	}
	return "answered", nil
}
