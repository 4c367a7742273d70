//go:build unix

package acp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// What is chosen while a turn runs waits for its end, is told so, and is in the sidecar
// all the while; the posture counts at once and answers what it would not have asked.
func TestAChangeDuringATurnIsQueuedAndThePostureCountsAtOnce(t *testing.T) {
	p := startTwo(t,
		providertest.Calls(bash("touch made")), providertest.Text("Made."), providertest.Text("As two."))
	session := p.open(p.dir)
	id := p.prompt(session, "make it")
	ask := p.asked()
	options := p.set(session, "model", "scripted/two")
	if got := options[0]; got.CurrentValue != "scripted/one" || got.Meta["reasonix.io"].(object)["queued"] != "scripted/two" {
		t.Errorf("the option says %+v", got)
	}
	s := p.status(session)
	if s.Model.Effective != "scripted/one" || s.Model.Queued == nil || *s.Model.Queued != "scripted/two" || s.State != "running" {
		t.Errorf("status %+v", s)
	}
	if s.Phase != "waiting_permission" || s.PendingRequest == nil || s.PendingRequest.Kind != "permission" || len(s.PendingRequest.Options) < 2 {
		t.Errorf("status of what is asked: %s, %+v", s.Phase, s.PendingRequest)
	}
	var side struct {
		Model  string
		Queued struct{ Model string }
	}
	text, err := os.ReadFile(strings.TrimSuffix(s.JournalPath, ".jsonl") + ".acp.json")
	if err != nil {
		t.Fatal(err)
	}
	decode(t, text, &side)
	if side.Model != "scripted/one" || side.Queued.Model != "scripted/two" {
		t.Errorf("the sidecar says %s", text)
	}
	p.next("the change is told", func(m rpc) bool {
		return strings.Contains(m.raw, "config_option_update") && strings.Contains(m.raw, `"queued":"scripted/two"`)
	})
	p.set(session, "tool_approval", "auto") // leaves it pending
	if s := p.status(session); s.PendingRequest == nil || s.ToolApproval.Effective != "auto" {
		t.Errorf("auto: %+v", s)
	}
	p.set(session, "tool_approval", "danger-full-access")
	if got := p.stopped(id); got != "end_turn" || !p.has("made") {
		t.Errorf("stopped with %s", got)
	}
	p.reply(ask, selected("reject_once")) // too late
	protocoltest.Until(t, "the other model counts", func() bool {
		s = p.status(session)
		return s.Model.Effective == "scripted/two" && s.Model.Queued == nil
	})
	if s.ToolApproval.Effective != "yolo" || s.Title != "make it" || s.Phase != "idle" {
		t.Errorf("after the turn: %+v", s)
	}
	p.stopped(p.prompt(session, "who?"))
	if body := string(p.model.Requests()[2].Body); !strings.Contains(body, `"model":"two"`) {
		t.Errorf("the next turn asks %s", body)
	}
	p.in.Close()
	p.ends("")
}

func TestWhatCannotBeChosenIsSaidWithWhatCan(t *testing.T) {
	p := startTwo(t)
	session := p.open(p.dir)
	for _, c := range []struct {
		method         string
		params         object
		option, value  string
		allowed        []any
		configurations bool
	}{
		{method: "session/set_config_option", params: object{"configId": "model", "value": "nope"}, option: "model", value: "nope", allowed: []any{"scripted/one", "scripted/two"}},
		{method: "session/set_config_option", params: object{"configId": "effort", "value": "max"}, option: "effort", value: "max", allowed: []any{"auto", "low", "high"}},
		{method: "session/set_config_option", params: object{"configId": "work_mode", "value": "delivery"}, option: "work_mode", value: "delivery", allowed: []any{"balanced", "economy"}},
		{method: "session/set_config_option", params: object{"configId": "tool_approval", "value": "never"}, option: "tool_approval", value: "never", allowed: []any{"ask", "auto", "yolo"}},
		{method: "session/set_config_option", params: object{"configId": "profile", "value": "x"}, option: "profile", value: "x", allowed: []any{"model", "effort", "work_mode", "tool_approval"}},
		{method: "session/set_mode", params: object{"modeId": "plan"}, option: "mode", value: "plan", allowed: []any{"normal"}},
		{method: "session/set_model", params: object{"modelId": "one"}, option: "model", value: "one", allowed: []any{"scripted/one", "scripted/two"}},
		{method: "_reasonix.io/session/steer", params: object{"whenIdle": "wait", "prompt": []any{}}, option: "whenIdle", value: "wait", allowed: []any{"error", "prompt", "queue"}},
	} {
		c.params["sessionId"] = session
		m := p.call(c.method, c.params)
		if m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%v: %s", c.params, m.raw)
			continue
		}
		d := m.Error.Data
		if d["option"] != c.option || d["value"] != c.value || !cmp.Equal(d["allowed"], any(c.allowed)) {
			t.Errorf("%v: %s", c.params, m.raw)
		}
	}
	if m := p.call("session/set_config_option", object{"sessionId": session, "configId": "model", "value": 5}); m.Error == nil || m.Error.Code != -32602 {
		t.Error(m.raw)
	}
	for _, ok := range []object{{"modeId": "normal"}, {"modeId": "default"}, {"modeId": "auto"}} {
		ok["sessionId"] = session
		p.result("session/set_mode", ok, &object{})
	}
	if s := p.status(session); s.ToolApproval.Effective != "auto" || s.Mode.Effective != "normal" {
		t.Errorf("%+v", s)
	}
	p.result("session/set_model", object{"sessionId": session, "modelId": "scripted/two"}, &object{})
	if s := p.status(session); s.Model.Effective != "scripted/two" || s.Effort.Effective != "auto" {
		t.Errorf("%+v", s)
	}
	p.in.Close()
	p.ends("")
}
