//go:build unix

package acp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol"
	"reasonix/core/provider/providertest"
	"reasonix/integrations/acp"
)

// A session that is resumed has the status it had, and nobody reads its past for that.
func TestAResumeKnowsWhereTheSessionStands(t *testing.T) {
	todos := providertest.Call{ID: "c", Name: "todo_write", Arguments: `{"todos":[{"content":"count","status":"in_progress"}]}`}
	host := engine(t, providertest.New(t, providertest.Calls(todos).Usage(100, 0, 10), providertest.Text("One, two.").Usage(200, 0, 20)))
	read := 0
	host.Opener = &meddling{Opener: host.Opener, whenRead: func(protocol.Session) { read++ }}
	s, dir := serveWith(t, nil, host, acp.Options{}), t.TempDir()
	session := s.open(dir)
	s.stopped(s.prompt(session, "count to two"))
	status := func() (o object) {
		s.result("_reasonix.io/session/status", object{"sessionId": session}, &o)
		for _, changes := range []string{"lastActivity", "sequence", "childPids"} {
			delete(o, changes)
		}
		delete(o["usage"].(object), "contextWindow") // known from the next request on
		return o
	}
	was := status()
	if was["lastMessage"] != "One, two." || was["title"] != "count to two" || was["outcome"] != "completed" || len(was["plan"].([]any)) != 1 {
		t.Errorf("it stands at %v", was)
	}
	s.result("session/close", object{"sessionId": session}, &object{})
	var opened struct {
		Meta struct {
			Ours struct{ Status object } `json:"reasonix.io"`
		} `json:"_meta"`
	}
	s.result("session/resume", object{"sessionId": session, "cwd": dir}, &opened)
	if diff := cmp.Diff(status(), was); diff != "" {
		t.Errorf("resumed: %s", diff)
	}
	if got := opened.Meta.Ours.Status["lastMessage"]; got != "One, two." {
		t.Errorf("the answer has %v", opened.Meta.Ours.Status)
	}
	if read != 0 {
		t.Errorf("the past was read %d times", read)
	}
}
