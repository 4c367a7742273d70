package compaction_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

var small = compaction.Settings{Window: 10_000}

func contents(ms []message.Message) []string {
	var texts []string
	for _, m := range ms {
		texts = append(texts, m.Content)
	}
	return texts
}

func TestLevels(t *testing.T) {
	want := map[int]compaction.Level{
		0: compaction.Calm, 4999: compaction.Calm, 5000: compaction.Soft, 6000: compaction.Snipping,
		8000: compaction.Pruning, 9000: compaction.Forced, 9999: compaction.Forced, 10_000: compaction.Over,
	}
	for tokens, level := range want {
		if got := small.Level(tokens); got != level {
			t.Errorf("%d tokens: got %d, want %d", tokens, got, level)
		}
	}
	if got := (compaction.Settings{}).Level(1 << 30); got != compaction.Calm {
		t.Errorf("window 0: got %d", got)
	}
}

func TestSnipKeepsHeadAndTailOfStaleResults(t *testing.T) {
	old := lines(12_000)
	k := newTalk().user("one").work(old).says("done").user("two").says("ok").user("three").work(lines(3000))
	p := compaction.Snip(k.input(), small)
	after := apply(t, k.ms, p)
	check(t, k.ms, after)
	got := after[3].Content
	if len(got) > 1700 || !strings.HasPrefix(old, got[:900]) || !strings.HasSuffix(old, got[len(got)-400:]) || !strings.Contains(got, " bytes left out, archived ...]") {
		t.Errorf("got %d bytes: %s", len(got), got)
	}
	if d := cmp.Diff(contents(k.ms[4:]), contents(after[4:])); d != "" {
		t.Errorf("what stands behind was touched (-before +after):\n%s", d)
	}
	if want := total(k.ms) - total(after); p.Frees != want {
		t.Errorf("frees: got %d, want %d", p.Frees, want)
	}
}

// Every stage planned again after it was applied gives nothing, and a pruned
// result is left alone by all.
func TestPlanningAgainGivesNothing(t *testing.T) {
	k := newTalk()
	for range 4 {
		k.user("go on").work(lines(8000), "error: no such file\n"+lines(4000), lines(100))
	}
	in := k.input()
	in.Force = true
	for _, stage := range []func(compaction.Input, compaction.Settings) compaction.Plan{
		compaction.Snip, compaction.Prune, compaction.Squeeze, compaction.Drop,
	} {
		p := stage(in, small)
		if len(p.Edits) == 0 {
			t.Fatal("nothing was planned")
		}
		in.History = apply(t, in.History, p)
		check(t, k.ms, in.History)
		in.Tokens = total(in.History)
		if again := stage(in, small); len(again.Edits) > 0 {
			t.Errorf("%s: planned again: %+v", p.Stage, again.Edits)
		}
	}
}

func TestSnippedResultsArePrunedLater(t *testing.T) {
	k := newTalk().user("one").work(lines(12_000)).user("two").says("ok").user("three").says("ok")
	in := k.input()
	in.History = apply(t, in.History, compaction.Snip(in, small))
	in.Force = true
	in.History = apply(t, in.History, compaction.Prune(in, small))
	if got := in.History[3]; got.ID != "m3.prune" || !strings.HasPrefix(got.Content, "[result removed to save context: ") || got.ToolCallID != "c0" {
		t.Errorf("got %+v", got)
	}
	for _, again := range []compaction.Plan{compaction.Snip(in, small), compaction.Prune(in, small), compaction.Squeeze(in, small)} {
		if len(again.Edits) > 0 {
			t.Errorf("a pruned result was touched: %+v", again)
		}
	}
}

func TestErrorsAndRefusalsAreKept(t *testing.T) {
	for _, text := range []string{
		"error: no such file\n" + lines(5000),
		"denied: rule Bash(rm:*)\n" + lines(5000),
		"interrupted: the turn was stopped\n" + lines(5000),
		lines(5000) + "\nexit code 2\n",
		lines(5000) + "\nended by signal: killed\n[a remark]\n",
	} {
		k := newTalk().user("one").work(text, lines(9000)).user("two").says("ok").user("three").says("ok")
		for _, stage := range []func(compaction.Input, compaction.Settings) compaction.Plan{compaction.Snip, compaction.Prune} {
			if after := apply(t, k.ms, stage(k.input(), small)); after[3].Content != text || after[4].Content == k.ms[4].Content {
				t.Errorf("%.30q: got %.40q and %.40q", text, after[3].Content, after[4].Content)
			}
		}
	}
	if compaction.IsError(&message.Message{Role: message.ToolRole, Content: "fine\nexit code 0\n"}) {
		t.Error("a command that succeeded is no error")
	}
}

func TestCallerKnowsMoreErrors(t *testing.T) {
	k := newTalk().user("one").work(lines(9000), lines(9000)).user("two").says("ok").user("three").says("ok")
	in := k.input()
	in.Failed = func(m *message.Message) bool { return m.ID == "m3" }
	if after := apply(t, k.ms, compaction.Snip(in, small)); after[3].ID != "m3" || after[4].ID != "m4.snip" {
		t.Errorf("got %s and %s", after[3].ID, after[4].ID)
	}
}

func TestPrunedImagesGo(t *testing.T) {
	k := newTalk().user("one").work("a picture").user("two").says("ok").user("three").says("ok")
	k.ms[3].Attachments = []message.Attachment{{MIME: "image/png", Hash: "h"}}
	in := k.input()
	in.Force = true
	if after := apply(t, k.ms, compaction.Prune(in, small)); len(after[3].Attachments) != 0 {
		t.Errorf("got %+v", after[3])
	}
	if len(k.ms[3].Attachments) != 1 {
		t.Error("the original was changed")
	}
}

func TestStepsThatFreeLittleWait(t *testing.T) {
	k := newTalk().user("one").work(lines(4000)).user("two").says("ok").user("three").says("ok")
	in := k.input()
	if p := compaction.Snip(in, small); len(p.Edits) > 0 {
		t.Errorf("600 of 10,000 tokens were worth breaking the prefix: %+v", p)
	}
	in.Force = true
	if p := compaction.Snip(in, small); len(p.Edits) != 1 {
		t.Errorf("forced: got %+v", p)
	}
}

func TestWindowZeroPlansNothing(t *testing.T) {
	k := newTalk().user("one").work(lines(90_000)).user("two").says("ok").user("three").says("ok")
	in := k.input()
	in.Force = true
	var off compaction.Settings
	f := compaction.PlanFold(in, off)
	if n := len(compaction.Snip(in, off).Edits) + len(compaction.Prune(in, off).Edits) + len(compaction.Squeeze(in, off).Edits) + len(compaction.Drop(in, off).Edits); n > 0 || !f.Empty() {
		t.Errorf("got %d edits, fold %+v", n, f)
	}
}

// The tail is two user turns, or a fifth of the window when they are longer.
func TestRecentTailIsTheSmallerOfTurnsAndShare(t *testing.T) {
	short := newTalk().user("one").work(lines(9000)).user("two").work(lines(3000)).user("three").work(lines(3000))
	in := short.input()
	in.Force = true
	if p := compaction.Prune(in, small); len(p.Edits) != 1 || p.Edits[0].First != "m3" {
		t.Errorf("two turns: got %+v", p.Edits)
	}
	long := newTalk().user("one").work(lines(6000)).work(lines(6000)).work(lines(6000)).work(lines(6000))
	in = long.input()
	in.Force = true
	if p := compaction.Prune(in, small); len(p.Edits) != 3 || p.Edits[2].First != "m7" {
		t.Errorf("a fifth of the window: got %+v", p.Edits)
	}
}

func TestSqueezeReachesTheTail(t *testing.T) {
	k := newTalk().user("one").work("error: "+lines(9000), lines(9000)).work(lines(30_000), "error: "+lines(30_000))
	in := k.input()
	after := apply(t, k.ms, compaction.Squeeze(in, small))
	check(t, k.ms, after)
	if got := total(after); got > 3000 {
		t.Errorf("got %d tokens", got)
	}
	for i, begin := range map[int]string{3: "error: 0000", 4: "[result removed", 6: "000000", 7: "error: 0000"} {
		if !strings.HasPrefix(after[i].Content, begin) {
			t.Errorf("message %d: got %.40q", i, after[i].Content)
		}
	}
}
