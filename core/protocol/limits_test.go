package protocol_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// What is wished of one limit says nothing of the others.
func TestLimitsAreWishedOneByOne(t *testing.T) {
	had := event.Limits{Steps: 3, Cost: &event.Money{Amount: 1, Currency: "EUR"}, Time: time.Hour}
	for _, c := range []struct {
		name   string
		wished protocol.Limits
		want   event.Limits
	}{
		{"nothing", protocol.Limits{}, had},
		{"another", protocol.Limits{Steps: new(9)}, event.Limits{Steps: 9, Cost: had.Cost, Time: had.Time}},
		{"none of steps", protocol.Limits{Steps: new(0)}, event.Limits{Cost: had.Cost, Time: had.Time}},
		{"none of cost", protocol.Limits{Cost: new(0.0)}, event.Limits{Steps: 3, Time: had.Time}},
		{"none of time", protocol.Limits{Time: new(time.Duration(0))}, event.Limits{Steps: 3, Cost: had.Cost}},
		{"a cost in whatever the next model's price is in", protocol.Limits{Cost: new(2.0)}, event.Limits{Steps: 3, Cost: &event.Money{Amount: 2}, Time: had.Time}},
	} {
		if diff := cmp.Diff(c.wished.Over(had), c.want); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
