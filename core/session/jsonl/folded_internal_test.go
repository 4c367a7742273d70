package jsonl

import (
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
)

// TestASummaryIsPaidFor: the request for a digest counts like any other, and a
// stage without one costs nothing.
func TestASummaryIsPaidFor(t *testing.T) {
	var d digest
	at := time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC)
	d.event(event.Envelope{Seq: 3, Time: at, Payload: event.Replied{Model: "a/m", Usage: message.Usage{Input: 10}, Cost: &event.Money{Amount: 1, Currency: "USD"}}})
	d.event(event.Envelope{Seq: 4, Time: at, Payload: event.Folded{Stage: "snip"}})
	d.event(event.Envelope{Seq: 5, Time: at, Payload: event.Folded{Stage: "summary", Model: "a/m", Usage: message.Usage{Input: 5}, Cost: &event.Money{Amount: 2, Currency: "USD"}}})
	if len(d.Folds) != 2 || d.Usage.Input != 15 || len(d.Spent) != 1 || d.Spent[0].Requests != 2 || d.Spent[0].Amount != 3 {
		t.Errorf("folds %v, usage %+v, spent %+v", d.Folds, d.Usage, d.Spent)
	}
}
