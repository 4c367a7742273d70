//go:build unix

package acp_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/provider/providertest"
)

// What was accepted and never heard, because the process was killed, is shown by every
// session/load until the model hears it, and no second time then.
func TestASteerThatNobodyHeardIsShown(t *testing.T) {
	p := start(t, providertest.Raw(providertest.Delta(`"content":"One, "`)).Hold(), providertest.Text("Two."))
	session := p.open(p.dir)
	p.prompt(session, "count")
	p.next("the reply has begun", func(m rpc) bool { return strings.Contains(m.raw, "One, ") })
	if m := p.call("_reasonix.io/session/steer", said(session, "mind the gap")); m.Error != nil {
		t.Fatal(m.raw)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.cmd.Wait()

	q := &process{t: t, home: p.home, dir: p.dir, model: p.model}
	q.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "ask"))
	words := func() (texts, ids []string) {
		q.forget()
		if m := q.load("session/load", session, q.dir); m.Error != nil {
			t.Fatal(m.raw)
		}
		return q.userSaid()
	}
	texts, ids := words()
	if diff := cmp.Diff(texts, []string{"count", "mind the gap"}); diff != "" {
		t.Errorf("loaded: %s", diff)
	}
	_, again := words()
	if diff := cmp.Diff(again, ids); diff != "" {
		t.Errorf("other ids the second time: %s", diff)
	}
	q.forget()
	if got := q.stopped(q.prompt(session, "go on")); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if texts, _ := q.userSaid(); len(texts) > 0 {
		t.Errorf("the client is told %q", texts)
	}
	requests := q.model.Requests()
	if body := string(requests[len(requests)-1].Body); strings.Count(body, "mind the gap") != 1 {
		t.Errorf("the model hears %s", body)
	}
	texts, _ = words()
	if diff := cmp.Diff(texts, []string{"count", "mind the gap", "go on"}); diff != "" {
		t.Errorf("loaded once it was heard: %s", diff)
	}
	q.in.Close()
	q.ends("")
}

// userSaid is what the client was told that users said, and the ids of the messages.
func (c *client) userSaid() (texts, ids []string) {
	for _, m := range c.all() {
		if m.Method != "session/update" {
			continue
		}
		if u := m.update(c.t).Update; u.SessionUpdate == "user_message_chunk" {
			texts, ids = append(texts, u.Content.(object)["text"].(string)), append(ids, u.MessageID)
		}
	}
	return texts, ids
}
