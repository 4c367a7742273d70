package engine

import (
	"testing"
	"time"

	"reasonix/core/session/sessiontest"
)

// The planner's journal is kept like any other: its state is one program's, and a
// conversation that was left can be read again.
func TestThePlannersJournalIsLikeAnyOther(t *testing.T) {
	e := New(Parts{Now: time.Now, Writer: "test 1"})
	p := &planner{engine: e, store: sessiontest.Memory()}
	c := p.blank("")
	if c.from.j.writer != "test 1" || c.from.j.folded.past == nil {
		t.Errorf("writer %q, past %t", c.from.j.writer, c.from.j.folded.past != nil)
	}
}
