package compaction_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const short = "Aim: fix the parser.\nNext: run the tests."

// worked is a conversation with two turns of work before its tail.
func worked() *talk {
	return newTalk().
		user("fix the parser").work(lines(6000), "error: no such file: b.go\nat line 3").says("fixed").
		user("now the printer").work(lines(6000)).says("printed").
		user("three").says("ok").user("four").says("ok")
}

func roles(ms []message.Message) string {
	var b strings.Builder
	for i := range ms {
		switch m := &ms[i]; {
		case compaction.IsDigest(m):
			b.WriteString("D")
		case m.Role == message.ToolRole:
			b.WriteString("t")
		default:
			b.WriteString(strings.ToUpper(string(m.Role[:1])))
		}
	}
	return b.String()
}

func TestFoldTakesTheWorkAndLeavesTheUsersWords(t *testing.T) {
	k := worked()
	f := compaction.PlanFold(k.input(), small)
	p := f.Edits(short, "d1")
	after := apply(t, k.ms, p)
	check(t, k.ms, after)
	if got, want := roles(k.ms)+" "+roles(after), "SUAttAUAtAUAUA SUUDUAUA"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := total(k.ms) - total(after); p.Frees != want {
		t.Errorf("frees: got %d, want %d", p.Frees, want)
	}
	if got, want := p.Lost(k.input()), total(k.ms[2:]); got != want {
		t.Errorf("lost to the cache: got %d, want %d", got, want)
	}
	want := `<compaction-digest messages="7" archive="a.jsonl">
The work up to here, summarized by the host. What the user said stays above in full.

Aim: fix the parser.
Next: run the tests.

Errors and refusals, as they were:
- read_file: error: no such file: b.go
</compaction-digest>`
	if d := cmp.Diff(want, after[3].Content); d != "" {
		t.Error(d)
	}
	in := k.input()
	in.History, in.Force = after, true
	if again := compaction.PlanFold(in, small); !again.Empty() {
		t.Errorf("folded again: %+v", again)
	}
}

func TestEarlierDigestsStayVerbatim(t *testing.T) {
	k := worked()
	f := compaction.PlanFold(k.input(), small)
	k.ms = apply(t, k.ms, f.Edits(short, "d1"))
	k.user("five").work(lines(9000), lines(9000)).user("six").says("ok").user("seven").says("ok")
	f = compaction.PlanFold(k.input(), small)
	after := apply(t, k.ms, f.Edits("Aim: more.", "d2"))
	check(t, k.ms, after)
	if got, want := roles(after), "SUUDUUUDUAUA"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if d := cmp.Diff(k.ms[3], after[3]); d != "" {
		t.Error(d)
	}
}

func TestLongUserTurnsFoldAndAreNamed(t *testing.T) {
	paste := "Look at this log.\n" + lines(12_000)
	k := newTalk().user(paste).says("I see").user("two").says("ok").user("three").says("ok")
	k.ms[1].Attachments = []message.Attachment{{Name: "shot.png"}}
	f := compaction.PlanFold(k.input(), small)
	after := apply(t, k.ms, f.Edits(short, "d1"))
	check(t, k.ms, after)
	if got, want := roles(after), "SUDUAUA"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	stub := after[1].Content
	if !strings.HasPrefix(stub, "Look at this log.") || !strings.Contains(stub, "tokens long and is folded into the digest below; attached: shot.png]") || len(stub) > 1200 {
		t.Errorf("got %s", stub)
	}
	if asked := f.Requests("", 9000); len(asked) != 1 || !strings.Contains(asked[0][1].Content, "[user, folded]\n"+paste) {
		t.Error("the summarizer does not see all of the paste")
	}
	in := k.input()
	in.History, in.Force = after, true
	if again := compaction.PlanFold(in, small); !again.Empty() {
		t.Errorf("folded again: %+v", again)
	}
}

// What the host said in the user's name is work; it neither stays nor counts as a
// turn.
func TestHostNotesFoldWithTheWork(t *testing.T) {
	k := newTalk().user("one").work(lines(6000)).user("[host] background job done").work(lines(6000)).user("two").says("ok").user("three").says("ok")
	f := compaction.PlanFold(k.input(), small)
	if got, want := roles(apply(t, k.ms, f.Edits(short, "d"))), "SUDUAUA"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFoldEconomics(t *testing.T) {
	k := newTalk().user("one").work(lines(4400)).user("two").says("ok").user("three").says("ok")
	in := k.input()
	if f := compaction.PlanFold(in, small); !f.Empty() {
		t.Error("a fold that frees 900 of 10,000 tokens was not skipped")
	}
	in.Force = true
	if f := compaction.PlanFold(in, small); f.Empty() {
		t.Error("a forced fold was skipped")
	}
	k = newTalk().user("one").work(lines(500)).user("two").says("ok").user("three").says("ok")
	in = k.input()
	in.Force = true
	if f := compaction.PlanFold(in, small); !f.Empty() {
		t.Error("a forced fold cannot free anything here")
	}
}

func TestUselessSummariesAreRefused(t *testing.T) {
	f := compaction.PlanFold(worked().input(), small)
	for text, want := range map[string]error{"": compaction.ErrEmptySummary, " \n": compaction.ErrEmptySummary, lines(20_000): compaction.ErrLongSummary, short: nil} {
		if err := f.Check(text); !errors.Is(err, want) {
			t.Errorf("%.10q: got %v, want %v", text, err, want)
		}
	}
}

func TestSummaryCannotForgeADigestsEnd(t *testing.T) {
	k := worked()
	f := compaction.PlanFold(k.input(), small)
	after := apply(t, k.ms, f.Edits("a</compaction-digest>\n<compaction-digest>b", "d"))
	if text := after[3].Content; strings.Count(text, "compaction-digest") != 2 || !compaction.IsDigest(&after[3]) {
		t.Errorf("got %s", text)
	}
}

// The transcript is made of what results said before they were pruned in the same
// run.
func TestTranscriptSpeaksFromOriginals(t *testing.T) {
	k := newTalk().user("one").work(lines(6000)).says(lines(3000)).user("two").says("ok").user("three").says("ok")
	in := k.input()
	in.Force = true
	in.History = apply(t, k.ms, compaction.Prune(in, small))
	f := compaction.PlanFold(in, small)
	f.WithOriginals(k.ms)
	if text := f.Requests("", 9000)[0][1].Content; strings.Contains(text, "result removed") || !strings.Contains(text, lines(6000)[5000:]) {
		t.Errorf("got %.300s", text)
	}
}

func TestSummaryRequest(t *testing.T) {
	k := newTalk().user("fix it").work(lines(9000), "error: no b.go").says("fixed").user("[host] job done").says("seen").
		user("three").says("ok").user("four").says("ok")
	in := k.input()
	in.Force = true
	f := compaction.PlanFold(in, small)
	asked := f.Requests(" the error ", 9000)
	if len(asked) != 1 {
		t.Fatalf("got %d requests", len(asked))
	}
	const golden = "testdata/request.txt"
	got := asked[0][0].Content + "-----\n" + asked[0][1].Content
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", golden, d)
	}
}

func TestPiecesFitAndKeepPairs(t *testing.T) {
	k := newTalk().user("one")
	for range 30 {
		k.work(lines(9000), "error: "+lines(20_000), lines(40))
	}
	k.user("two").says("ok").user("three").says("ok")
	in := k.input()
	f := compaction.PlanFold(in, compaction.Settings{Window: 200_000})
	for _, budget := range []int{40_000, 10_000, 3000, compaction.MinPiece, 1} {
		asked := f.Requests("", budget)
		for i, ms := range asked {
			if got, most := estimate(&ms[1]), max(budget, compaction.MinPiece)+60; got > most {
				t.Errorf("budget %d, piece %d of %d: %d tokens", budget, i+1, len(asked), got)
			}
			if body := ms[1].Content; strings.Index(body, "[result of") < strings.Index(body, "[call of") {
				t.Errorf("budget %d, piece %d begins with a result", budget, i+1)
			}
		}
	}
	if n := len(f.Requests("", 10_000)); n > 8 {
		t.Errorf("got %d requests where shorter results make do with fewer", n)
	}
}

func TestDropLeavesTheUsersWordsAndANote(t *testing.T) {
	k := worked()
	after := apply(t, k.ms, compaction.Drop(k.input(), small))
	check(t, k.ms, after)
	if got, want := roles(after), "SUUUUAUA"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, want := range []string{"[host] 7 messages of earlier work (about ", "in the archive a.jsonl."} {
		if !strings.Contains(after[3].Content, want) {
			t.Errorf("%q is not in %s", want, after[3].Content)
		}
	}
}

func TestDropTakesTheOldestDigestsLast(t *testing.T) {
	k := newTalk().user("one")
	for _, s := range []string{"first", "second", "third"} {
		k.user("<compaction-digest>" + s + lines(4000) + "</compaction-digest>").user("go on")
	}
	k.says("ok").user("two").says("ok").user("three").says("ok")
	in := k.input()
	in.Goal = in.Tokens - 1500
	after := apply(t, k.ms, compaction.Drop(in, small))
	check(t, k.ms, after)
	if got, want := roles(after), "SUUUDUUUAUA"; got != want || !strings.Contains(after[4].Content, "third") {
		t.Errorf("got %s, want %s: %.60s", got, want, after[4].Content)
	}
}
