package protocoltest

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// turn runs one turn to its end.
func (b *bench) turn(c *Collector, id event.PromptID) {
	b.Helper()
	b.rig.Reply("answer to " + string(id))
	b.submit(protocol.Prompt{ID: id, Text: "question " + string(id)})
	ended(b, c, id)
}

// upToDate waits until c has everything up to last.
func upToDate(t testing.TB, c *Collector, last event.Seq) []event.Envelope {
	t.Helper()
	Until(t, "a reader has everything", func() bool {
		all := c.Durable()
		return len(all) > 0 && all[len(all)-1].Seq >= last
	})
	return c.Durable()
}

func lastSeq(events []event.Envelope) (last event.Seq) {
	for _, e := range events {
		last = max(last, e.Seq)
	}
	return last
}

func numbersHaveNoGaps(b *bench) {
	c := b.watch()
	b.turn(c, "p1")
	b.turn(c, "p2")
	for i, e := range c.Durable() {
		if e.Seq != event.Seq(i+1) {
			b.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
	for _, e := range c.Events() {
		if durable := event.KindOf(e.Payload).Class == event.Durable; durable != (e.Seq > 0) {
			b.Errorf("%T has number %d", e.Payload, e.Seq)
		}
	}
}

func replayBeginsBehind(b *bench) {
	c := b.watch()
	b.turn(c, "p1")
	all := c.Durable()
	after := all[len(all)/2].Seq
	late := Collect(b.Context(), b.Session, after)
	caught := Wait[event.CaughtUp](b, late, nil)
	got := late.Events()
	for i, e := range got {
		if _, ok := e.Payload.(event.CaughtUp); ok {
			got = got[:i]
			break
		}
		if want := all[int(after)+i]; !reflect.DeepEqual(e, want) {
			b.Errorf("replayed %+v, want %+v", e, want)
		}
	}
	if last := lastSeq(got); caught.Last < last || last < lastSeq(all) {
		b.Errorf("caught up at %d behind a replay to %d of %d", caught.Last, last, lastSeq(all))
	}
}

func tailSkips(b *bench) {
	c := b.watch()
	b.turn(c, "p1")
	late := Collect(b.Context(), b.Session, event.Tail)
	caught := Wait[event.CaughtUp](b, late, nil)
	if _, first := late.Events()[0].Payload.(event.CaughtUp); !first {
		b.Errorf("first comes %+v, want CaughtUp", late.Events()[0])
	}
	configured := Payloads[event.Configured](c.Durable())
	if want := configured[len(configured)-1]; !reflect.DeepEqual(caught.Configured, want) {
		b.Errorf("caught up with %+v, want %+v", caught.Configured, want)
	}
	at := caught.Standing
	if at.First != "question p1" || at.Words.Text != "answer to p1" || at.Turn != 1 || at.Running != "" || len(at.Queue)+len(at.Pending) > 0 || at.Closed {
		b.Errorf("the session stands at %+v", at)
	}
	if at.Ended == nil || at.Ended.Prompt != "p1" || at.Ended.Outcome != event.Completed {
		b.Errorf("the last turn ended %+v", at.Ended)
	}
	b.turn(c, "p2")
	ended(b, late, "p2")
	for _, e := range late.Durable() {
		if e.Seq <= caught.Last {
			b.Errorf("told %d behind %d", e.Seq, caught.Last)
		}
	}
}

func lateReaderGetsState(b *bench) {
	c := b.watch()
	release := b.held(c, "shown hidden")
	late := Collect(b.Context(), b.Session, event.Tail)
	shown := Wait[event.TextDelta](b, late, nil)
	if shown.Offset != 0 || shown.Text == "" || !strings.HasPrefix("shown hidden", shown.Text) {
		b.Errorf("late text %+v, want the first half from its beginning", shown)
	}
	if at := Wait[event.CaughtUp](b, late, nil).Standing; at.Running != "p1" || at.Words.Text != "" {
		b.Errorf("in the middle of a reply the session stands at %+v", at)
	}
	if phase := Wait[event.Phase](b, late, nil); phase.Name != event.PhaseModel {
		b.Errorf("late phase %+v, want %s", phase, event.PhaseModel)
	}
	caughtUp := false
	for _, e := range late.Events() {
		if _, ok := e.Payload.(event.CaughtUp); ok {
			caughtUp = true
		}
		if e.Seq == 0 && !caughtUp {
			b.Errorf("%T came before CaughtUp", e.Payload)
		}
	}
	release()
	ended(b, late, "p1")
}

func manyReaders(b *bench) {
	first := b.watch()
	release := b.held(first, "a long answer")
	var all []*Collector
	for range 8 {
		all = append(all, Collect(b.Context(), b.Session, 0))
	}
	release()
	ended(b, first, "p1")
	b.turn(first, "p2")
	want := first.Durable()
	for i, c := range all {
		if got := upToDate(b, c, lastSeq(want)); !reflect.DeepEqual(got[:min(len(got), len(want))], want) {
			b.Errorf("reader %d has %d events that differ from the %d of the first", i, len(got), len(want))
		}
	}
}

func slowReader(b *bench) {
	next, stop := iter.Pull2(b.Events(b.Context(), 0))
	defer stop()
	var got []event.Envelope
	read := func() event.Envelope {
		e, err, ok := next()
		if err != nil || !ok {
			b.Fatalf("slow reader: %v, ended %v", err, !ok)
		}
		if e.Seq > 0 {
			got = append(got, e)
		}
		return e
	}
	for {
		if _, ok := read().Payload.(event.CaughtUp); ok {
			break
		}
	}
	fast := b.watch()
	b.turn(fast, "p1")
	b.turn(fast, "p2")
	want := fast.Durable()
	for len(got) < len(want) {
		read()
	}
	if !reflect.DeepEqual(got, want) {
		b.Errorf("slow reader has %+v, want %+v", got, want)
	}
}

func readerEndsWithContext(b *bench) {
	cause, cancel := context.WithCancel(context.Background())
	c := Collect(cause, b.Session, 0)
	Wait[event.CaughtUp](b, c, nil)
	cancel()
	if err := c.End(b); !errors.Is(err, context.Canceled) {
		b.Errorf("ended with %v, want the context's error", err)
	}
	b.turn(b.watch(), "p1") // the session does not mind
	for _, err := range b.Events(b.Context(), 0) {
		b.must(err)
		break // nor does it mind a reader that leaves
	}
}

func closeEnds(b *bench) {
	c := b.watch()
	b.turn(c, "p1")
	b.must(b.Close())
	b.must(b.Close())
	if err := c.End(b); err != nil {
		b.Errorf("reader ended with %v, want nil", err)
	}
	all := c.Durable()
	if _, ok := all[len(all)-1].Payload.(event.Ended); !ok {
		b.Errorf("last comes %T, want Ended", all[len(all)-1].Payload)
	}
	for _, op := range []protocol.Op{protocol.Prompt{ID: "p2", Text: "x"}, protocol.Cancel{}, protocol.Answer{ID: "q"}} {
		if err := b.Submit(context.Background(), op); !errors.Is(err, protocol.ErrClosed) {
			b.Errorf("%T after close: %v, want ErrClosed", op, err)
		}
	}
}

func closeCancels(b *bench) {
	c := b.watch()
	b.held(c, "a long answer")
	b.must(b.Close())
	if err := c.End(b); err != nil {
		b.Errorf("reader ended with %v, want nil", err)
	}
	if end := ended(b, c, "p1"); end.Outcome != event.Cancelled {
		b.Errorf("ended %+v, want cancelled", end)
	}
}

func resume(b *bench) {
	c := b.watch()
	b.turn(c, "p1")
	b.must(b.Close())
	b.must(c.End(b))
	before := c.Durable()

	spec := b.rig.Spec
	spec.Session = b.ID()
	b.Session = b.open(spec)
	if b.ID() != spec.Session {
		b.Errorf("resumed as %s, want %s", b.ID(), spec.Session)
	}
	c = b.watch()
	b.turn(c, "p2")
	after := c.Durable()
	if len(after) < len(before) || !reflect.DeepEqual(after[:len(before)], before) {
		b.Errorf("the resumed session's first %d events differ", len(before))
	}
	for i, e := range after {
		if e.Seq != event.Seq(i+1) {
			b.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
	opened := Payloads[event.Opened](after)
	if len(opened) != 2 || opened[0].Reason != event.OpenedNew || opened[1].Reason != event.OpenedResumed {
		b.Errorf("opened %+v, want new and resumed", opened)
	}
	b.submit(protocol.Prompt{ID: "p1", Text: "once more"}) // known since before
	b.turn(c, "p3")
	if n := len(Payloads[event.TurnStarted](c.Durable())); n != 3 {
		b.Errorf("%d turns, want 3", n)
	}
}

func unknownSession(b *bench) {
	spec := b.rig.Spec
	spec.Session = "20000101-000000-ffffff"
	if s, err := b.rig.Open.Open(b.Context(), spec); !errors.Is(err, protocol.ErrUnknown) {
		b.Errorf("open: %v, %v, want ErrUnknown", s, err)
	}
}
