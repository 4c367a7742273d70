package compaction_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

// The endpoint takes a third of what its configuration says and answers 400. The
// prompt is not lost, and one compaction is enough.
func TestCP01OverflowIsCompactedOnce(t *testing.T) {
	s := newSession(100_000)
	s.endpoint.takes = 15_000
	for range 5 {
		s.user("read them").work(lines(8000), lines(8000)).says(lines(800))
	}
	s.user("the prompt that met the limit")
	before := slices.Clone(s.ms)
	if step := s.send(compaction.Automatic); step != compaction.Send {
		t.Fatalf("got %s: %v", step, s.steps)
	}
	check(t, before, s.ms)
	if last := s.ms[len(s.ms)-1]; last.Content != "the prompt that met the limit" || s.tokens() > s.endpoint.takes {
		t.Errorf("%d tokens, ends with %q", s.tokens(), last.Content)
	}
	if d := fmt.Sprint(s.steps); d != "[send prune send]" {
		t.Errorf("got %s", d)
	}
}

// 200 results of 20 KB in one long turn; what asks for the summary is refused as
// well.
func TestCP03SummaryRequestTooBig(t *testing.T) {
	for name, summarize := range map[string]func(string) string{"answers": nil, "says nothing": func(string) string { return "" }} {
		s := newSession(200_000)
		s.endpoint.takes, s.endpoint.summarize = 15_000, summarize
		s.user("read everything")
		for range 200 {
			s.work(lines(20_000))
		}
		before := slices.Clone(s.ms)
		if step := s.send(compaction.Automatic); step != compaction.Send && step != compaction.Defer {
			t.Fatalf("%s: got %s: %v", name, step, s.steps)
		}
		check(t, before, s.ms)
		if s.tokens() > s.endpoint.takes || s.endpoint.asked > 20 {
			t.Errorf("%s: %d tokens after %d requests for a summary: %v", name, s.tokens(), s.endpoint.asked, s.steps)
		}
		// The next turn goes on as if nothing had been.
		s.steps = nil
		s.user("and now?").work("short")
		if step := s.send(compaction.Automatic); step != compaction.Send || s.tokens() > s.endpoint.takes {
			t.Errorf("%s: then %s with %d tokens: %v", name, step, s.tokens(), s.steps)
		}
	}
}

// The share of the window that the tail may have ends between a call and its
// results.
func TestCP04PairsAndOrder(t *testing.T) {
	for size := 500; size < 12_000; size += 500 {
		k := newTalk().user("one").work(lines(9000)).says("so").work(lines(size), lines(size), lines(size))
		in := k.input()
		in.Force = true
		f := compaction.PlanFold(in, small)
		for name, p := range map[string]compaction.Plan{
			"snip": compaction.Snip(in, small), "prune": compaction.Prune(in, small), "squeeze": compaction.Squeeze(in, small),
			"drop": compaction.Drop(in, small), "fold": f.Edits(short, "d"),
		} {
			after := apply(t, k.ms, p)
			if w := wrong(k.ms, after); w != "" {
				t.Errorf("%s with results of %d bytes: %s", name, size, w)
			}
			if got := roles(after); !strings.HasSuffix(got, "Attt") {
				t.Errorf("%s with results of %d bytes: the last calls are gone: %s", name, size, got)
			}
		}
	}
}

// 40 KB of tool schemas count towards a window of 64 KB of tokens' worth of text:
// it triggers where the messages alone would not.
func TestCP05ToolSchemasCount(t *testing.T) {
	s := newSession(16_000)
	s.user("one").work(lines(8000), lines(8000)).user("two").says("ok").user("three")
	if r := s.compact(compaction.Automatic); r.Step != compaction.Send || len(s.steps) != 1 {
		t.Fatalf("without schemas: %v", s.steps)
	}
	s.overhead, s.steps = 10_000, nil
	if r := s.compact(compaction.Automatic); r.Step != compaction.Send || s.tokens() >= 12_800 {
		t.Errorf("%v, %d tokens", s.steps, s.tokens())
	}
	if s.steps[0] != compaction.StepPrune {
		t.Errorf("got %v", s.steps)
	}
}

// The summary fails three times: as long as the prompt fits, the history stays as
// it is, the user is told, and it is tried again later, not before every request.
func TestCP07FailedSummaryLeavesTheHistory(t *testing.T) {
	s := newSession(40_000)
	s.endpoint.down = 3
	for range 8 {
		s.user("think aloud").says(lines(16_000))
	}
	s.user("go on")
	var asked []int
	for range 12 {
		before := slices.Clone(s.ms)
		down := s.endpoint.down
		step := s.send(compaction.Automatic)
		asked = append(asked, s.endpoint.asked)
		if down == 0 && step == compaction.Send && s.endpoint.asked > 3 {
			check(t, before, s.ms)
			break
		}
		if len(before) != len(s.ms) {
			t.Fatalf("the history was touched: %v", s.steps)
		}
		s.says(lines(4000)).user("go on")
	}
	if s.tokens() > 32_000 || s.endpoint.down > 0 {
		t.Errorf("%d tokens, asked %v: %v", s.tokens(), asked, s.steps)
	}
	if slices.Contains(s.steps, compaction.StepDrop) {
		t.Errorf("something was dropped: %v", s.steps)
	}
}

// Switching to a model whose window is a fraction of the history.
func TestSE09SmallerWindow(t *testing.T) {
	s := newSession(200_000)
	for range 15 {
		s.user("read on").work(lines(20_000)).says("done")
	}
	s.settings.Window, s.endpoint.takes = 16_000, 16_000
	s.user("and with the small model?")
	before := slices.Clone(s.ms)
	if step := s.send(compaction.Automatic); step != compaction.Send {
		t.Fatalf("got %s: %v", step, s.steps)
	}
	check(t, before, s.ms)
}

// 500 turns with a 32k window: every request fits, no word of the user is lost,
// pairs stay, and between compactions each request begins with the last one.
func TestFiveHundredTurns(t *testing.T) {
	s := newSession(32_000)
	s.overhead, s.endpoint.takes = 5000, 32_000
	s.endpoint.summarize = func(text string) string { return "Aim: " + text[:min(len(text), 1500)] }
	var said, sent []message.Message
	compactions, prompts := 0, 0
	for n := range 500 {
		s.user(fmt.Sprintf("turn %d: do the next thing", n))
		said = append(said, s.ms[len(s.ms)-1])
		for k := range 1 + n%3 {
			s.work(lines(500+(n*7919+k*104729)%9000), "error: nothing there")
			s.steps = nil
			if step := s.send(compaction.Automatic); step == compaction.Stop {
				t.Fatalf("turn %d failed: %v", n, s.steps)
			}
			if s.tokens() > 32_000 {
				t.Fatalf("turn %d: %d tokens", n, s.tokens())
			}
			if same := len(s.ms) >= len(sent) && slices.EqualFunc(sent, s.ms[:len(sent)], func(a, b message.Message) bool { return a.ID == b.ID && a.Content == b.Content }); !same {
				if len(s.steps) < 2 {
					t.Fatalf("turn %d: the prefix broke without a compaction", n)
				}
				compactions++
			}
			sent = slices.Clone(s.ms)
			prompts += s.tokens()
		}
		s.says("done with " + fmt.Sprint(n))
	}
	check(t, said, s.ms)
	if id := s.unaccounted(); id != "" {
		t.Errorf("%s is neither in the conversation nor in the archive", id)
	}
	if compactions > 250 {
		t.Errorf("the prefix broke %d times in 1000 requests", compactions)
	}
	t.Logf("of %d tokens sent, %d in %d breaks were not in the cache any more; %d summaries read %d", prompts, s.lost, compactions, s.endpoint.asked, s.endpoint.read)
}
