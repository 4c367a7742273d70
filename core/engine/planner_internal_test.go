package engine

import (
	"testing"
	"time"

	"reasonix/core/protocol"
	"reasonix/core/session/sessiontest"
)

// The planner's journal is kept like any other: its state is one program's, and a
// conversation that was left can be read again.
func TestThePlannersJournalIsLikeAnyOther(t *testing.T) {
	e := New(Parts{Now: time.Now, Writer: "test 1"})
	p := &planner{parent: e.blank(sessiontest.Memory(), protocol.Spec{})}
	c := p.blank("")
	if c.j.writer != "test 1" || c.j.folded.past == nil {
		t.Errorf("writer %q, past %t", c.j.writer, c.j.folded.past != nil)
	}
}
