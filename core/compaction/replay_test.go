package compaction_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

func TestReplayOfAWholeJournalIsApply(t *testing.T) {
	k := worked()
	f := compaction.PlanFold(k.input(), small)
	p := f.Edits(short, "d1")
	got, missed := compaction.Replay(k.ms, p.Edits)
	if d := cmp.Diff(apply(t, k.ms, p), got); d != "" || missed != 0 {
		t.Errorf("%d missed\n%s", missed, d)
	}
}

// without is the conversation as it is read back when one record is damaged: the
// results of a lost reply answer nothing and go, a lost result gets another in its
// place.
func without(ms []message.Message, i int) []message.Message {
	out := append([]message.Message{}, ms[:i]...)
	rest := ms[i+1:]
	switch ms[i].Role {
	case message.ToolRole:
		out = append(out, message.Message{ID: "lost-" + ms[i].ID, Role: message.ToolRole, ToolCallID: ms[i].ToolCallID, Content: "interrupted"})
	case message.Assistant:
		for len(rest) > 0 && rest[0].Role == message.ToolRole {
			rest = rest[1:]
		}
	case message.System, message.User:
	}
	return append(out, rest...)
}

// Whichever message is lost, what is read back keeps pairs and every other word
// of the user, and has the digest.
func TestReplayOfADamagedJournal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk()
		for range rapid.IntRange(2, 6).Draw(t, "turns") {
			k.user(lines(rapid.SampledFrom([]int{30, 9000}).Draw(t, "user")))
			for range rapid.IntRange(0, 3).Draw(t, "rounds") {
				k.work(lines(3000), lines(3000))
			}
			k.says("done")
		}
		in := k.input()
		in.Force = true
		f := compaction.PlanFold(in, small)
		plans := []compaction.Plan{compaction.Snip(in, small), compaction.Prune(in, small), compaction.Drop(in, small)}
		if !f.Empty() {
			plans = append(plans, f.Edits(short, "digest"))
		}
		p := rapid.SampledFrom(plans).Draw(t, "plan")
		back := without(k.ms, rapid.IntRange(1, len(k.ms)-1).Draw(t, "lost"))
		got, _ := compaction.Replay(back, p.Edits)
		if w := wrong(back, got); w != "" {
			t.Fatal(w)
		}
		if n := digests(got); n != digests(apply(t, k.ms, p)) {
			t.Fatalf("got %d digests", n)
		}
	})
}

func digests(ms []message.Message) int {
	n := 0
	for i := range ms {
		if compaction.IsDigest(&ms[i]) {
			n++
		}
	}
	return n
}
