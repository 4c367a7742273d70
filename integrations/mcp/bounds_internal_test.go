package mcp

import (
	"fmt"
	"strings"
	"testing"

	"reasonix/core/event"
)

// TestNamesOfASessionEnd: a server that has other tools in each list is heard until it has
// named too many, and those that have a name keep it.
func TestNamesOfASessionEnd(t *testing.T) {
	c := newCatalogue("s", nil, nil)
	const size = maxNamed/2 - 1
	for round := range 3 {
		l := &list{}
		for i := range size {
			l.Tools = append(l.Tools, spec{Raw: fmt.Sprintf("t%d_%05d", round, i), Schema: []byte(`{}`)})
		}
		dropped := c.take(l)
		if round < 2 {
			if len(dropped) > 0 {
				t.Errorf("round %d: %d dropped", round, len(dropped))
			}
			continue
		}
		if c.count() != 2 || len(dropped) != size-2 || !strings.Contains(dropped[0].Why, "until the next session") {
			t.Errorf("%d tools, %d dropped: %v", c.count(), len(dropped), dropped[:min(1, len(dropped))])
		}
	}
	if len(c.names) != maxNamed || len(c.raws) != maxNamed {
		t.Errorf("%d names, %d of raw ones", len(c.names), len(c.raws))
	}
	if known := c.take(&list{Tools: []spec{{Raw: "t0_00000"}}}); len(known) > 0 || c.count() != 1 {
		t.Errorf("a known name is dropped: %v", known)
	}
}

// TestStateIsTold: as it is kept, without what a terminal would obey.
func TestStateIsTold(t *testing.T) {
	var told string
	set := Start(World{Emit: func(p event.Payload) error {
		if s, ok := p.(event.ServerChanged); ok {
			told = s.Detail
		}
		return nil
	}}, nil)
	s := newServer(set, Config{Name: "s"}, "s")
	s.turn(event.ServerFailed, "it broke\x1b[2J")
	_ = set.Close()
	if told == "" || told != s.detail || strings.Contains(told, "\x1b") {
		t.Errorf("told %q, kept %q", told, s.detail)
	}
}
