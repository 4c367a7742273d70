//go:build unix

package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// Rewinds that are asked for at once happen one behind the other, and each is answered
// with what itself did.
func TestEachRewindIsAnsweredWithWhatItDid(t *testing.T) {
	p := startTwo(t, providertest.Text("One."), providertest.Text("Two."), providertest.Text("Three."))
	session := p.open(p.dir)
	for _, text := range []string{"a", "b"} {
		p.stopped(p.prompt(session, text))
	}
	var said []string
	for line := range strings.Lines(p.journalOf(session)) {
		var rec struct {
			Type string
			Data struct{ Message struct{ ID string } }
		}
		if json.Unmarshal([]byte(line), &rec) == nil && rec.Type == "user.said" {
			said = append(said, rec.Data.Message.ID)
		}
	}
	type rewound struct{ Head, Was string }
	var first rewound
	p.result("_reasonix.io/session/rewind", object{"sessionId": session, "to": said[1]}, &first)
	p.stopped(p.prompt(session, "c"))
	var lines []any
	var ids []string
	for range 2 {
		id, line := p.request("_reasonix.io/session/rewind", object{"sessionId": session, "to": first.Head})
		ids, lines = append(ids, id), append(lines, line)
	}
	p.write(lines...)
	var was []string
	for _, id := range ids {
		m := p.response(id)
		if m.Error != nil {
			t.Fatal(m.raw)
		}
		var r rewound
		decode(t, m.Result, &r)
		if r.Head != first.Head {
			t.Errorf("%+v, want the head %s", r, first.Head)
		}
		was = append(was, r.Was)
	}
	if was[0] == was[1] {
		t.Errorf("both were at %s", was[0])
	}
	p.in.Close()
	p.ends("")
}
