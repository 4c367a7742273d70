//go:build unix

package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

func TestSteersSayWhatBecameOfThem(t *testing.T) {
	p := startTwo(t, providertest.Calls(bash("touch made")), providertest.Text("Both."), providertest.Text("Begun."), providertest.Text("Queued."))
	session := p.open(p.dir)
	id := p.prompt(session, "x")
	ask := p.asked()
	type result struct {
		Disposition string
		Seq         int
	}
	steer := func(word, whenIdle string) (r result) {
		params := said(session, word)
		params["whenIdle"] = whenIdle
		p.result("_reasonix.io/session/steer", params, &r)
		return r
	}
	got := steer("and mind the gap", "error")
	if got.Disposition != "steered" {
		t.Errorf("%+v", got)
	}
	if want := fmt.Sprintf(`{"seq":%d,`, got.Seq); !strings.Contains(p.line(want), `"kind":"steer"`) {
		t.Errorf("record %d is %s", got.Seq, p.line(want))
	}
	p.reply(ask, selected("allow_once"))
	p.stopped(id)
	for whenIdle, want := range map[string]string{"prompt": "started", "queue": "queued"} {
		seq := p.status(session).Sequence
		got := steer("go "+whenIdle, whenIdle)
		if got.Disposition != want || got.Seq <= seq {
			t.Errorf("%s: %+v behind %d", whenIdle, got, seq)
		}
		protocoltest.Until(t, "its turn is over", func() bool {
			s := p.status(session)
			return s.State == "idle" && s.Sequence > got.Seq+2
		})
	}
	p.in.Close()
	p.ends("")
}

// line is the line of the only journal that begins so.
func (p *process) line(begins string) string {
	for line := range strings.Lines(p.journal()) {
		if strings.HasPrefix(line, begins) {
			return line
		}
	}
	return ""
}

func TestForkRewindAndCompact(t *testing.T) {
	p := startTwo(t, providertest.Text("Blue."), providertest.Text("Red."), providertest.Text("Forked."))
	session := p.open(p.dir)
	p.stopped(p.prompt(session, "a colour?"))
	p.stopped(p.prompt(session, "another?"))
	var fork openedSession
	p.result("_reasonix.io/session/fork", object{"sessionId": session}, &fork)
	if fork.SessionID == "" || fork.SessionID == session || fork.Meta.Ours.Status.LastMessage != "Red." {
		t.Errorf("%+v", fork)
	}
	var second string
	for line := range strings.Lines(p.journalOf(session)) {
		var rec struct {
			Type string
			Data struct {
				Display string
				Message struct{ ID string }
			}
		}
		if json.Unmarshal([]byte(line), &rec) == nil && rec.Type == "user.said" && rec.Data.Display == "another?" {
			second = rec.Data.Message.ID
		}
	}
	var rewound struct {
		Head, Was      string
		Restored, Kept []any
	}
	p.result("_reasonix.io/session/rewind", object{"sessionId": fork.SessionID, "to": second}, &rewound)
	if rewound.Head == "" || rewound.Was == rewound.Head {
		t.Errorf("%+v", rewound)
	}
	p.stopped(p.prompt(fork.SessionID, "go on"))
	if body := string(p.model.Requests()[2].Body); strings.Contains(body, "another?") || !strings.Contains(body, "a colour?") {
		t.Errorf("the fork says %s", body)
	}
	for _, bad := range []object{{"sessionId": session}, {"sessionId": session, "to": "nope"}} {
		if m := p.call("_reasonix.io/session/rewind", bad); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%v: %s", bad, m.raw)
		}
	}
	p.result("_reasonix.io/session/compact", object{"sessionId": session, "focus": "colours"}, &object{})
	if m := p.call("_reasonix.io/session/fork", object{"sessionId": "nope"}); m.Error == nil || m.Error.Code != -32002 {
		t.Error(m.raw)
	}
	p.in.Close()
	p.ends("")
}

func (p *process) journalOf(session string) string {
	p.t.Helper()
	text, err := os.ReadFile(p.status(session).JournalPath)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}
