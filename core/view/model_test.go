package view_test

import (
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/view"
)

func text(offset int, s string) event.Payload {
	return event.TextDelta{Message: "m", Offset: offset, Text: s}
}

func TestTextJoinsAtItsOffset(t *testing.T) {
	for _, c := range []struct {
		name   string
		deltas []event.Payload
		want   view.Stream
	}{
		{"in pieces", []event.Payload{text(0, "ab"), text(2, "cd")}, view.Stream{Text: "abcd"}},
		{"repeated", []event.Payload{text(0, "ab"), text(2, "cd"), text(0, "ab"), text(2, "cd")}, view.Stream{Text: "abcd"}},
		{"merged after its parts", []event.Payload{text(0, "ab"), text(2, "cd"), text(0, "abcdef")}, view.Stream{Text: "abcdef"}},
		{"overlapping", []event.Payload{text(0, "abc"), text(2, "cde")}, view.Stream{Text: "abcde"}},
		{"joined late", []event.Payload{text(4, "ef")}, view.Stream{Offset: 4, Text: "ef"}},
		{"joined late, then the beginning", []event.Payload{text(4, "ef"), text(0, "abcde")}, view.Stream{Text: "abcdef"}},
		{"joined late, then all", []event.Payload{text(4, "ef"), text(0, "abcdefgh")}, view.Stream{Text: "abcdefgh"}},
		{"an earlier piece that does not reach", []event.Payload{text(4, "ef"), text(0, "ab")}, view.Stream{Offset: 4, Text: "ef"}},
		{"a lost piece", []event.Payload{text(0, "ab"), text(4, "ef")}, view.Stream{Offset: 4, Text: "ef"}},
		{"nothing", []event.Payload{text(0, ""), text(0, "ab"), text(2, "")}, view.Stream{Text: "ab"}},
	} {
		wantSame(t, c.name, after(c.deltas...).Live.Text, c.want)
	}
}

func TestRetryDiscardsWhatTheFailedAttemptShowed(t *testing.T) {
	retrying := event.Retrying{Discard: "m", Attempt: 2, Of: 5}
	s := after(text(0, "half a reply"), event.ReasoningDelta{Message: "m", Text: "hm"}, retrying)
	wantSame(t, "live", s.Live, view.Live{})
	wantSame(t, "retry", s.Retry, &retrying)
	s = after(text(0, "half a reply"), retrying, event.TextDelta{Message: "n", Text: "whole"})
	wantSame(t, "live", s.Live, view.Live{Message: "n", Text: view.Stream{Text: "whole"}})
	if s.Retry != nil {
		t.Errorf("still retrying: %+v", s.Retry)
	}
}

func TestLateTextOfAWholeReplyIsIgnored(t *testing.T) {
	replied := event.Replied{Message: message.Message{ID: "m", Content: "ab"}}
	s := after(text(0, "a"), replied, text(0, "ab"), event.CallDelta{Message: "m"}, event.ReasoningDelta{Message: "m", Text: "x"})
	wantSame(t, "live", s.Live, view.Live{})
}

func TestCallsBeingWrittenAreOrderedAndReplaced(t *testing.T) {
	call := func(index, bytes int) event.CallDelta {
		return event.CallDelta{Message: "m", Index: index, Name: "ls", Bytes: bytes}
	}
	s := after(call(1, 1), call(0, 2), call(2, 3), call(1, 9))
	wantSame(t, "calls", s.Live.Calls, []event.CallDelta{call(0, 2), call(1, 9), call(2, 3)})
}

func TestCostsAreSummedByCurrency(t *testing.T) {
	cost := func(amount float64, currency string, estimated bool) event.Payload {
		return event.Replied{Cost: &event.Money{Amount: amount, Currency: currency, Estimated: estimated}}
	}
	s := after(cost(1, "USD", false), cost(2, "CNY", false), cost(3, "USD", true), event.Replied{})
	wantSame(t, "cost", s.Cost, []event.Money{{Amount: 4, Currency: "USD", Estimated: true}, {Amount: 2, Currency: "CNY"}})
}

func TestLiveOutputKeepsItsEnd(t *testing.T) {
	var deltas []event.Payload
	whole := strings.Repeat("漢0123456789", 20_000)
	for at := 0; at < len(whole); at += 1000 {
		deltas = append(deltas, event.ToolOutput{Call: "a", Offset: at, Text: whole[at:min(at+1000, len(whole))]})
	}
	got := after(append([]event.Payload{calls}, deltas...)...).Messages[0].Calls[0].Output
	if n := len(got.Text); n > 64<<10 || n < 60<<10 {
		t.Errorf("%d bytes kept", n)
	}
	if got.Offset+len(got.Text) != len(whole) || !strings.HasSuffix(whole, got.Text) {
		t.Errorf("kept %d bytes from %d, want the end of %d", len(got.Text), got.Offset, len(whole))
	}
}
