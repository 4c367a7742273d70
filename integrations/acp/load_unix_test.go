//go:build unix

package acp_test

import (
	"encoding/json"
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
	"reasonix/integrations/acp"
)

// inFlight is a server with a turn in it whose reply stands still in its middle until
// it is let go on.
type inFlight struct {
	*served
	host         *meddling
	session, dir string
	prompt       string // the request's id
	goOn         func() // closes the gate
}

// reply is one of which "thinking " and "one " are there at once and "two " and "three"
// when the gate is closed.
func reply(gate <-chan struct{}) providertest.Reply {
	return providertest.Raw(
		providertest.Delta(`"reasoning_content":"thinking "`), providertest.Delta(`"content":"one "`),
		providertest.Delta(`"content":"two "`), providertest.Delta(`"content":"three"`),
		providertest.Finish("stop"), providertest.Event("[DONE]")).GateAt(2, gate)
}

func startReply(t *testing.T) *inFlight {
	t.Helper()
	gate := make(chan struct{})
	r := &inFlight{dir: t.TempDir(), goOn: func() { close(gate) }}
	host := engine(t, providertest.New(t, reply(gate)))
	r.host = &meddling{Opener: host.Opener}
	host.Opener = r.host
	r.served = serveWith(t, nil, host, acp.Options{})
	r.session = r.open(r.dir)
	r.prompt = r.served.prompt(r.session, "count")
	r.next("the reply has begun", func(m rpc) bool { return strings.Contains(m.raw, `"one "`) })
	r.forget()
	return r
}

func (r *inFlight) load() (id string) {
	return r.send("session/load", object{"sessionId": r.session, "cwd": r.dir, "mcpServers": []any{}})
}

// shown is what a session/load, of that id, shows.
func (r *inFlight) shown(id string) []string {
	r.t.Helper()
	r.response(id)
	all := r.all()
	return r.said(all[:slices.IndexFunc(all, func(m rpc) bool { return string(m.ID) == id })])
}

// soFar is what it has to show while the reply stands still.
var soFar = []string{"user_message: count", "agent_thought: thinking ", "agent_message: one "}

// toTheEnd is what was told since, up to the end of the turn.
var toTheEnd = []string{
	"user_message: count", "agent_thought: thinking ", "agent_message: one two three", "answer to session/load", "answer to session/prompt",
}

// said is what was told of every message, kinds and messages in the order of their
// first pieces, and where requests were answered.
func (r *inFlight) said(from []rpc) (all []string) {
	r.t.Helper()
	var ids []string
	at := map[string]int{}
	for _, m := range from {
		if m.Method == "" {
			all = append(all, "answer to "+r.methods[string(m.ID)])
			continue
		}
		u := m.update(r.t).Update
		content, _ := u.Content.(object)
		text, _ := content["text"].(string)
		if u.MessageID == "" || text == "" {
			continue
		}
		if !slices.Contains(ids, u.MessageID) {
			ids = append(ids, u.MessageID)
		}
		key := u.SessionUpdate + u.MessageID
		if i, begun := at[key]; begun {
			all[i] += text
			continue
		}
		at[key] = len(all)
		all = append(all, strings.TrimSuffix(u.SessionUpdate, "_chunk")+": "+text)
	}
	return all
}

// A session/load in the middle of a reply shows the reply from its beginning, and what
// follows goes on exactly there.
func TestALoadShowsTheReplyInFlight(t *testing.T) {
	r := startReply(t)
	if diff := cmp.Diff(r.shown(r.load()), soFar); diff != "" {
		t.Errorf("until the answer: %s", diff)
	}
	r.next("the commands are told again", func(m rpc) bool { return strings.Contains(m.raw, "available_commands_update") })
	r.goOn()
	r.stopped(r.prompt)
	if diff := cmp.Diff(r.said(r.all()), toTheEnd); diff != "" {
		t.Errorf("until the end: %s", diff)
	}
}

// The reply goes on, or even ends, while its past is read for a session/load: no piece
// of it is lost or shown twice.
func TestAReplyGoesOnDuringALoad(t *testing.T) {
	for name, until := range map[string]func(t *testing.T, c *protocoltest.Collector){
		"a delta": func(t *testing.T, c *protocoltest.Collector) {
			protocoltest.Wait(t, c, func(d event.TextDelta) bool { return strings.Contains(d.Text, "two ") })
		},
		"the end": func(t *testing.T, c *protocoltest.Collector) {
			protocoltest.Wait[event.TurnEnded](t, c, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := startReply(t)
			r.host.whenRead = func(s protocol.Session) {
				c := protocoltest.Collect(t.Context(), s, event.Tail)
				protocoltest.Wait[event.CaughtUp](t, c, nil)
				r.goOn()
				until(t, c)
			}
			if diff := cmp.Diff(r.shown(r.load()), soFar); diff != "" {
				t.Errorf("until the answer: %s", diff)
			}
			r.stopped(r.prompt)
			if diff := cmp.Diff(r.said(r.all()), toTheEnd); diff != "" {
				t.Errorf("until the end: %s", diff)
			}
		})
	}
}

// Two loads of a session at once are served one behind the other.
func TestTwoLoadsAtOnce(t *testing.T) {
	r := startReply(t)
	first, second := r.load(), r.load()
	r.response(first)
	r.response(second)
	all := r.all()
	cut := slices.IndexFunc(all, func(m rpc) bool { return m.Method == "" }) + 1
	for _, part := range [][]rpc{all[:cut], all[cut:]} {
		if diff := cmp.Diff(r.said(part), append(slices.Clip(soFar), "answer to session/load")); diff != "" {
			t.Error(diff)
		}
	}
	r.goOn()
	r.stopped(r.prompt)
	if text := r.text(r.session); text != "one one two three" {
		t.Errorf("in all %q", text)
	}
}

// A session/load shows a call that waits for a permission, which is asked for again, and
// either request may be answered; and one that runs with its output so far.
func TestALoadShowsTheCallUnderWay(t *testing.T) {
	const command = `touch made; echo so far; until [ -e go ]; do sleep 0.02; done; echo the rest`
	for _, answered := range []string{"the first", "the second"} {
		t.Run(answered, func(t *testing.T) {
			dir := t.TempDir()
			model := providertest.New(t, providertest.Calls(providertest.Call{ID: "c", Name: "bash", Arguments: mustJSON(object{"command": command})}), providertest.Text("Done."))
			s := serveWith(t, nil, engine(t, model), acp.Options{})
			session := s.open(dir)
			s.result("session/set_config_option", object{"sessionId": session, "configId": "tool_approval", "value": "ask"}, &object{})
			prompt := s.prompt(session, "go")
			first := s.asked()
			load := object{"sessionId": session, "cwd": dir, "mcpServers": []any{}}
			s.response(s.send("session/load", load))
			second := s.asked()
			var of struct{ ToolCall struct{ ToolCallID string } }
			if decode(t, second.Params, &of); of.ToolCall.ToolCallID != "c" || string(first.ID) == string(second.ID) {
				t.Errorf("asked again with %s", second.raw)
			}
			s.reply(map[string]rpc{"the first": first, "the second": second}[answered], selected("allow_once"))
			s.next("the output is shown", func(m rpc) bool { return strings.Contains(m.raw, `console\nso far`) })
			s.forget()
			got := callsOf(t, heardBefore(t, s, s.send("session/load", load)))
			want := []string{"tool_call c in_progress ", "tool_call_update c  ```console\nso far\n```"}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Error(diff)
			}
			if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s.stopped(prompt)
			ends := 0
			for _, m := range s.all() {
				if strings.Contains(m.raw, `"status":"completed"`) && strings.Contains(m.raw, "the rest") {
					ends++
				}
			}
			if ends != 1 {
				t.Errorf("the call ended %d times", ends)
			}
		})
	}
}

// callsOf is what updates say of calls, a line each.
func callsOf(t *testing.T, updates []any) (all []string) {
	for _, one := range updates {
		if one.(object)["toolCallId"] == nil {
			continue
		}
		var u struct {
			SessionUpdate, ToolCallID, Status string

			Content []struct{ Content struct{ Text string } }
		}
		decode(t, []byte(mustJSON(one)), &u)
		line := u.SessionUpdate + " " + u.ToolCallID + " " + u.Status + " "
		for _, c := range u.Content {
			line += c.Content.Text
		}
		all = append(all, line)
	}
	return all
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
