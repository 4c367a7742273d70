package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
)

// CP-01: whatever words the endpoint has for it, a refused prompt is compacted once
// and the turn goes on.
func TestCP01ARefusedPromptIsCompactedOnceAndSentAgain(t *testing.T) {
	for _, refusal := range []string{
		`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 20000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
		`{"error":{"type":"invalid_request_error","message":"prompt is too long: 215000 tokens > 200000 maximum"}}`,
		`{"error":{"code":"InvalidParameter","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"}}`,
	} {
		w := newWorld(t, dump(9_000))
		w.window = 1_000_000
		work := worker(providertest.Call{Name: "dump"})
		refused := 0
		w.model.Respond(func(r *providertest.Received) providertest.Reply {
			if len(r.Body) > 60_000 {
				refused++
				return providertest.Status(400, refusal)
			}
			return work(r)
		})
		c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
		for i := range 8 {
			if ended := prompt(t, c, fmt.Sprintf("turn %d", i)); ended.Outcome != event.Completed {
				t.Fatalf("turn %d: %+v", i, ended)
			}
		}
		done, failed := folds(c.Durable())
		if refused != 1 || len(done) == 0 || len(failed) > 0 || done[0].Trigger != "refused" || done[0].After >= done[0].Before {
			t.Errorf("%d refusals, done %+v, failed %+v", refused, done, failed)
		}
		last := w.model.Requests()[len(w.model.Requests())-1]
		for i := range 8 {
			if !strings.Contains(users(last), fmt.Sprintf("turn %d", i)) {
				t.Errorf("turn %d is lost", i)
			}
		}
	}
}

// CP-03: an endpoint that refuses the request for the summary as well.
func TestCP03ASummaryThatDoesNotFitIsMadeOfPieces(t *testing.T) {
	w := newWorld(t, dump(20_000))
	w.window = 1_000_000
	work := worker(providertest.Call{Name: "dump"}, providertest.Call{Name: "dump"})
	var limit int // bytes of a request
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		if limit > 0 && len(r.Body) > limit {
			return providertest.Status(400, `{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}`)
		}
		return work(r)
	})
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	for i := range 20 {
		prompt(t, c, fmt.Sprintf("turn %d", i))
	}
	limit = 30_000
	for i := 20; i < 23; i++ {
		if ended := prompt(t, c, fmt.Sprintf("turn %d", i)); ended.Outcome == event.Limit {
			// A turn may end because nothing helped; the session goes on.
			t.Logf("turn %d: %s", i, ended.Detail)
		} else if ended.Outcome != event.Completed {
			t.Errorf("turn %d: %+v", i, ended)
		}
	}
	if n := len(w.model.Requests()); n > 120 {
		t.Errorf("%d requests", n)
	}
	if ended := prompt(t, c, "last"); ended.Outcome != event.Completed {
		t.Errorf("%+v", ended)
	}
}

// CP-04: three results of one reply are folded with their call or not at all; the
// server is strict.
func TestCP04CallsAndResultsAreNeverParted(t *testing.T) {
	for size := 500; size <= 6_000; size += 1_100 {
		w := newWorld(t, dump(size))
		w.window = 8_000
		w.model.Respond(worker(providertest.Call{Name: "dump"}, providertest.Call{Name: "dump"}, providertest.Call{Name: "dump"}))
		c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
		for i := range 12 {
			if ended := prompt(t, c, fmt.Sprintf("turn %d", i)); ended.Outcome != event.Completed {
				t.Fatalf("%d bytes, turn %d: %+v", size, i, ended)
			}
		}
		done, _ := folds(c.Durable())
		if n := checkRequests(t, w.model.Requests(), c.Durable()); n == 0 && len(done) > 0 {
			t.Errorf("%d bytes: %d compactions without a break", size, len(done))
		}
	}
}

// wide is a tool whose schema alone is n bytes.
type wide struct {
	fn
	n int
}

func (w wide) Description() string { return strings.Repeat("describes ", w.n/10) }

// CP-05: the schemas of the tools count, also before the endpoint has counted.
func TestCP05ToolSchemasCount(t *testing.T) {
	w := newWorld(t, wide{dump(4_000), 40_000})
	w.window = 16_000
	largest := 0
	work := worker(providertest.Call{Name: "dump"})
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		largest = max(largest, len(r.Body)/4)
		return work(r)
	})
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	for i := range 12 {
		if ended := prompt(t, c, fmt.Sprintf("turn %d", i)); ended.Outcome != event.Completed {
			t.Fatalf("turn %d: %+v", i, ended)
		}
	}
	if done, _ := folds(c.Durable()); len(done) == 0 || largest > w.window {
		t.Errorf("%d compactions, the largest prompt had %d tokens of %d", len(done), largest, w.window)
	}
}

// CP-07: three errors of the endpoint leave the conversation as it was, and it is
// tried again later.
func TestCP07AFailedSummaryChangesNothing(t *testing.T) {
	w := newWorld(t, dump(2_000))
	w.window = 100_000
	broken := true
	work := worker(providertest.Call{Name: "dump"})
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		if summary(r) && broken {
			return providertest.Status(500, `{"error":{"message":"overloaded"}}`)
		}
		return work(r)
	})
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	for i := range 30 {
		prompt(t, c, fmt.Sprintf("turn %d", i))
	}
	before := len(w.model.Requests())
	compactNow(t, c, "the parser")
	done, failed := folds(c.Durable())
	if len(done) != 0 || len(failed) != 1 || failed[0].Trigger != "manual" || failed[0].Failure.Status != 500 {
		t.Fatalf("done %+v, failed %+v", done, failed)
	}
	tried := w.model.Requests()[before:]
	if len(tried) != 3 || !strings.Contains(string(tried[0].Body), "the parser") {
		t.Errorf("%d requests", len(tried))
	}
	prompt(t, c, "once more")
	if n := checkRequests(t, w.model.Requests(), c.Durable()); n != 0 {
		t.Errorf("%d breaks", n)
	}
	broken = false
	compactNow(t, c, "")
	if done, _ = folds(c.Durable()); len(done) != 1 || done[0].Stage != "summary" || done[0].Usage.Prompt() == 0 || done[0].Lost == 0 {
		t.Errorf("done %+v", done)
	}
	prompt(t, c, "and on")
	if n := checkRequests(t, w.model.Requests(), c.Durable()); n != 1 {
		t.Errorf("%d breaks, want 1", n)
	}
}

func TestThereMayBeNothingToCompact(t *testing.T) {
	for _, tt := range []struct {
		window int
		turns  int
		code   string
	}{{0, 1, "compact_off"}, {10_000, 1, "compact_nothing"}, {10_000, 0, "compact_nothing"}} {
		w := newWorld(t, dump(10))
		w.window = tt.window
		w.model.Respond(worker(providertest.Call{Name: "dump"}))
		c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
		for range tt.turns {
			c.Say("hello")
		}
		compactNow(t, c, "")
		notices := protocoltest.Payloads[event.Notice](c.Durable())
		if len(notices) != 1 || notices[0].Code != tt.code {
			t.Errorf("%+v: %+v", tt, notices)
		}
	}
}

// SE-09: a conversation that fills most of one model's window is compacted before
// a smaller model is asked.
func TestSE09ASmallerWindowOnResumeCompactsFirst(t *testing.T) {
	w := newWorld(t, dump(8_000))
	w.window = 128_000
	w.model.Respond(worker(providertest.Call{Name: "dump"}))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	for i := range 40 {
		prompt(t, c, fmt.Sprintf("turn %d", i))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.window = 16_000
	before := len(w.model.Requests())
	c = protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: s.ID(), Model: "scripted/small"}), nil)
	if ended := prompt(t, c, "small"); ended.Outcome != event.Completed {
		t.Fatalf("%+v", ended)
	}
	for _, r := range w.model.Requests()[before:] {
		if len(r.Body)/4 > 16_000 {
			t.Errorf("a request of %d tokens", len(r.Body)/4)
		}
	}
	last := w.model.Requests()[len(w.model.Requests())-1]
	for i := range 40 {
		if !strings.Contains(users(last), fmt.Sprintf("turn %d", i)) {
			t.Errorf("turn %d is lost", i)
		}
	}
}

// CP-06: between compactions every request extends the last one, also over resumes,
// and what a resumed session sends first is what the one before would have sent.
func TestCP06ResumingAfterAFoldSendsTheSameBytes(t *testing.T) {
	w := newWorld(t, dump(3_000))
	w.window = 9_000
	w.model.Respond(worker(providertest.Call{Name: "dump"}))
	spec := protocol.Spec{}
	var events []event.Envelope
	for i := range 40 {
		s := w.open(t, spec)
		c := protocoltest.NewClient(t, s, nil)
		for k := range 1 + i%3 {
			if ended := prompt(t, c, fmt.Sprintf("turn %d.%d", i, k)); ended.Outcome != event.Completed {
				t.Fatalf("%+v", ended)
			}
		}
		if i%7 == 6 {
			compactNow(t, c, "")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		spec.Session = s.ID()
		events = c.Durable()
	}
	done, failed := folds(events)
	breaks := checkRequests(t, w.model.Requests(), events)
	t.Logf("%d requests, %d stages, %d breaks", len(w.model.Requests()), len(done), breaks)
	if breaks == 0 || len(failed) > 0 {
		t.Errorf("%d breaks, failed %+v", breaks, failed)
	}
	// The originals of everything folded are in an archive.
	for _, f := range done {
		if f.Archive == "" {
			t.Errorf("nothing archived: %+v", f)
		}
	}
}

// A journal that a kill cut before or behind any stage of a compaction goes on with
// all that was said.
func TestAKillDuringACompactionLosesNothing(t *testing.T) {
	w := newWorld(t, dump(3_000))
	w.window = 9_000
	w.model.Respond(worker(providertest.Call{Name: "dump"}))
	s := w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	for i := range 12 {
		prompt(t, c, fmt.Sprintf("turn %d.", i))
	}
	compactNow(t, c, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	said, cuts := 0, 0
	for _, e := range c.Durable() {
		if _, ok := e.Payload.(event.UserSaid); ok {
			said++
		}
		if _, ok := e.Payload.(event.Folded); !ok {
			continue
		}
		for _, at := range []event.Seq{e.Seq - 1, e.Seq} {
			cuts++
			id := event.SessionID(fmt.Sprintf("20260102T000000Z-%06x", at))
			if err := w.store.Copy(t.Context(), s.ID(), at, session.Meta{ID: id, Workspace: "/work"}); err != nil {
				t.Fatal(err)
			}
			resumed := protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: id}), nil)
			if ended := prompt(t, resumed, "after"); ended.Outcome != event.Completed {
				t.Fatalf("cut at %d: %+v", at, ended)
			}
			sent := users(w.model.Requests()[len(w.model.Requests())-1])
			for i := range said {
				if !strings.Contains(sent, fmt.Sprintf("turn %d.", i)) {
					t.Errorf("cut at %d: turn %d of %d is lost", at, i, said)
				}
			}
		}
	}
	if cuts < 4 {
		t.Errorf("%d cuts", cuts)
	}
}

// A turn that runs is compacted before its next request.
func TestACompactionIsTakenBetweenTwoSteps(t *testing.T) {
	var s protocol.Session
	w := newWorld(t, dump(4_000), fn{"ask_for_it", false, func(ctx context.Context) (string, error) {
		return "asked", s.Submit(ctx, protocol.Compact{Focus: "the parser"})
	}})
	w.window = 20_000
	work := worker(providertest.Call{Name: "dump"})
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		if !summary(r) && r.Last().Role == "user" && strings.HasPrefix(r.Last().Content, "now") {
			return one("ask_for_it")
		}
		return work(r)
	})
	s = w.open(t, protocol.Spec{})
	c := protocoltest.NewClient(t, s, nil)
	for i := range 6 {
		prompt(t, c, fmt.Sprintf("turn %d", i))
	}
	if ended := prompt(t, c, "now"); ended.Outcome != event.Completed || ended.Usage.Prompt() == 0 {
		t.Fatalf("%+v", ended)
	}
	done, failed := folds(c.Durable())
	if len(done) != 1 || len(failed) != 0 || done[0].Trigger != "manual" {
		t.Fatalf("done %+v, failed %+v", done, failed)
	}
	if n := checkRequests(t, w.model.Requests(), c.Durable()); n != 1 {
		t.Errorf("%d breaks", n)
	}
	replies := protocoltest.Payloads[event.Replied](c.Durable())
	if b := replies[len(replies)-1].Break; b == nil || b.At == 0 {
		t.Errorf("break %+v", b)
	}
}

// A full disk ends no session: nothing is taken out of the conversation.
func TestWhatCannotBeArchivedStays(t *testing.T) {
	w := newWorld(t, dump(4_000))
	w.window, w.box.err = 9_000, errors.New("no space left on device")
	w.model.Respond(worker(providertest.Call{Name: "dump"}))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	for i := range 5 {
		prompt(t, c, fmt.Sprintf("turn %d", i))
	}
	done, failed := folds(c.Durable())
	if len(done) > 0 || len(failed) == 0 || !strings.Contains(failed[0].Failure.Text, "no space left") {
		t.Errorf("done %+v, failed %+v", done, failed)
	}
	if n := checkRequests(t, w.model.Requests(), c.Durable()); n != 0 {
		t.Errorf("%d breaks", n)
	}
}

// A session of 500 turns in a window of 32,000 tokens.
func TestFiveHundredTurnsInASmallWindow(t *testing.T) {
	const window, turns = 32_000, longSession
	w := newWorld(t, dump(5_000))
	w.window = window
	work, largest := worker(providertest.Call{Name: "dump"}), 0
	w.model.Respond(func(r *providertest.Received) providertest.Reply {
		largest = max(largest, len(r.Body)/4)
		return work(r)
	})
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
	for i := range turns {
		if ended := prompt(t, c, fmt.Sprintf("turn %d.", i)); ended.Outcome != event.Completed {
			t.Fatalf("turn %d: %+v", i, ended)
		}
	}
	requests := w.model.Requests()
	breaks := checkRequests(t, requests, c.Durable())
	lost := 0
	said := users(requests[len(requests)-1])
	for i := range turns {
		if !strings.Contains(said, fmt.Sprintf("turn %d.", i)) {
			lost++
		}
	}
	done, failed := folds(c.Durable())
	t.Logf("%d requests, %d stages, %d breaks, the largest prompt had %d tokens; %s", len(requests), len(done), breaks, largest, cached(requests))
	if lost > 0 || len(failed) > 0 || breaks == 0 || largest > window {
		t.Errorf("%d user turns lost, %d stages failed", lost, len(failed))
	}
	if refused := w.model.Rejections(); len(refused) > 0 {
		t.Error(refused)
	}
}
