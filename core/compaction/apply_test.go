package compaction_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

func TestArchiveKeepsTheOriginals(t *testing.T) {
	k := worked()
	f := compaction.PlanFold(k.input(), small)
	gone, err := compaction.Originals(k.ms, f.Edits(short, "d").Edits)
	if err != nil {
		t.Fatal(err)
	}
	want := append(append([]message.Message{}, k.ms[2:6]...), k.ms[7:10]...)
	if d := cmp.Diff(want, gone); d != "" {
		t.Fatal(d)
	}
	var b bytes.Buffer
	if err := compaction.WriteArchive(&b, gone); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != len(gone) {
		t.Errorf("got %d lines, want %d", n, len(gone))
	}
	back, err := compaction.ReadArchive(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(gone, back); d != "" {
		t.Error(d)
	}
}

func TestReadArchiveReportsWhereItIsCut(t *testing.T) {
	ms, err := compaction.ReadArchive(strings.NewReader(`{"id":"a","role":"user"}` + "\n" + `{"id":"b","ro`))
	if len(ms) != 1 || err == nil || !strings.Contains(err.Error(), "message 2") {
		t.Errorf("got %v, %v", ms, err)
	}
}

func TestApplyRefusesEditsOfAnotherConversation(t *testing.T) {
	k := worked()
	for _, edits := range [][]compaction.Edit{
		{{First: "m99", Last: "m99"}},
		{{First: "m3", Last: "m99"}},
		{{First: "m4", Last: "m3"}},
		{{First: "m5", Last: "m5"}, {First: "m3", Last: "m3"}},
	} {
		if _, err := compaction.Apply(k.ms, edits); err == nil {
			t.Errorf("%+v: no error", edits)
		}
		if _, err := compaction.Originals(k.ms, edits); err == nil {
			t.Errorf("%+v: no error from Originals", edits)
		}
	}
}

func TestArchiveNamesDiffer(t *testing.T) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 67e6, time.FixedZone("", 3600))
	if got, want := compaction.ArchiveName(at, "20260102T1-abc", 3), "20260102T140405.067-20260102T1-abc-0003.jsonl"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	seen := map[string]bool{}
	for n := range 3 {
		for _, session := range []string{"a", "b", "../c:d"} {
			name := compaction.ArchiveName(at, session, n)
			if seen[name] || strings.ContainsAny(name, `/\:`) {
				t.Errorf("%s: twice, or no file name", name)
			}
			seen[name] = true
		}
	}
}

func TestCounter(t *testing.T) {
	double := func(n int) int { return 2 * n }
	var c compaction.Counter
	if got := c.Tokens(100, double); got != 200 {
		t.Errorf("uncounted: got %d", got)
	}
	c.Counted(1000, 400)
	for estimated, want := range map[int]int{400: 1000, 450: 1100, 300: 800, 0: 200} {
		if got := c.Tokens(estimated, double); got != want {
			t.Errorf("%d: got %d, want %d", estimated, got, want)
		}
	}
	c.Counted(0, 500)
	if got := c.Tokens(400, double); got != 1000 {
		t.Errorf("an endpoint that counts nothing once: got %d", got)
	}
	c.Forget()
	if got := c.Tokens(100, double); got != 200 {
		t.Errorf("forgotten: got %d", got)
	}
}

// longTalk is a conversation of n messages as they come up in practice.
func longTalk(n int) *talk {
	k := newTalk()
	for len(k.ms) < n {
		k.user("do the next thing, and mind the edge cases of the last one").work(lines(3000), lines(600)).work(lines(1500)).says(lines(400))
	}
	return k
}

func BenchmarkPlan(b *testing.B) {
	in := longTalk(5000).input()
	s := compaction.Settings{Window: in.Tokens}
	stages := map[string]func() int{
		"snip":    func() int { return len(compaction.Snip(in, s).Edits) },
		"prune":   func() int { return len(compaction.Prune(in, s).Edits) },
		"squeeze": func() int { return len(compaction.Squeeze(in, s).Edits) },
		"drop":    func() int { return len(compaction.Drop(in, s).Edits) },
		"fold":    func() int { f := compaction.PlanFold(in, s); return f.Messages() },
	}
	for _, name := range []string{"snip", "prune", "squeeze", "drop", "fold"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if stages[name]() == 0 {
					b.Fatal("nothing was planned")
				}
			}
		})
	}
	b.Run("nothing left", func(b *testing.B) {
		again := in
		again.History = apply(b, in.History, compaction.Prune(in, s))
		b.ReportAllocs()
		for b.Loop() {
			if len(compaction.Prune(again, s).Edits) > 0 {
				b.Fatal("planned again")
			}
		}
	})
}

// What is not touched costs no allocation.
func TestUntouchedMessagesAllocateNothing(t *testing.T) {
	in := longTalk(5000).input()
	s := compaction.Settings{Window: in.Tokens}
	in.History = apply(t, in.History, compaction.Prune(in, s))
	if n := testing.AllocsPerRun(5, func() { compaction.Prune(in, s) }); n > 5 {
		t.Errorf("%v allocations to find nothing", n)
	}
	if n := testing.AllocsPerRun(5, func() { apply(t, in.History, compaction.Plan{}) }); n > 1 {
		t.Errorf("%v allocations to apply nothing", n)
	}
}
