package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/agent"
	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// summarizer answers requests for a summary from a script.
type summarizer struct {
	replies [][]provider.Chunk
	asked   []provider.Request
}

func (s *summarizer) Name() string { return "summarizer" }

func (s *summarizer) Encode(dst []byte, _ []message.Message) ([]byte, error) { return dst, nil }

func (s *summarizer) Stream(_ context.Context, req provider.Request) (<-chan provider.Chunk, error) {
	s.asked = append(s.asked, req)
	reply := says("Aim: go on.")
	if len(s.replies) > 0 {
		reply, s.replies = s.replies[0], s.replies[1:]
	}
	out := make(chan provider.Chunk, len(reply))
	for _, c := range reply {
		out <- c
	}
	close(out)
	return out, nil
}

// desk is a Compactor with everything it did, in order.
type desk struct {
	*agent.Compactor
	model    *summarizer
	log      []string
	folded   []agent.Folded
	archived []message.Message
	prompt   agent.Prompt
	full     bool // the disk
}

func (d *desk) Next() string { return "a.jsonl" }

func (d *desk) Write(name string, ms []message.Message) error {
	if d.full {
		return errors.New("no space left on device")
	}
	d.log = append(d.log, fmt.Sprintf("archive %d", len(ms)))
	d.archived = append(d.archived, ms...)
	return nil
}

// newDesk is a conversation of so many turns, each worth about 2500 tokens of
// assistant's words, and a call with a failed command.
func newDesk(window, turns int) *desk {
	d := &desk{model: &summarizer{}}
	d.Compactor = &agent.Compactor{
		Provider: d.model,
		Settings: compaction.Settings{Window: window},
		Archive:  d,
		Record: func(f agent.Folded) error {
			what := "record " + string(f.Stage)
			if f.Failure != nil {
				what += " failed: " + f.Failure.Kind
			}
			d.log, d.folded = append(d.log, what), append(d.folded, f)
			return nil
		},
		Replace: func(ms []message.Message) (int, error) {
			d.log = append(d.log, "replace")
			d.set(ms)
			return d.prompt.Tokens, nil
		},
		Scale: func(n int) int { return n },
		NewID: func() string { return "digest" },
		Now:   time.Now,
	}
	ms := []message.Message{{ID: "s", Role: message.System, Content: "Be careful."}}
	for i := range turns {
		ms = append(ms,
			message.Message{ID: message.ID(fmt.Sprintf("u%d", i)), Role: message.User, Content: fmt.Sprintf("turn %d", i)},
			message.Message{ID: message.ID(fmt.Sprintf("a%d", i)), Role: message.Assistant, Content: strings.Repeat("word ", 2000)})
	}
	d.set(append(ms, message.Message{ID: "last", Role: message.User, Content: "go on"}))
	return d
}

func (d *desk) set(ms []message.Message) {
	d.prompt = agent.Prompt{Messages: ms}
	for _, m := range ms {
		d.prompt.Tokens += provider.Estimate(m.Content) + 4
	}
}

func (d *desk) ids() string {
	var ids []string
	for _, m := range d.prompt.Messages {
		ids = append(ids, string(m.ID))
	}
	return strings.Join(ids, " ")
}

func serverError() *provider.Failure {
	return &provider.Failure{Kind: provider.KindOverloaded, Provider: "summarizer", Status: 500, Retryable: true}
}

func TestCompactionArchivesRecordsAndReplacesInThisOrder(t *testing.T) {
	d := newDesk(24_000, 8)
	before := d.prompt
	if err := d.Check(t.Context(), d.prompt); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"archive 7", "record summary", "replace"}, d.log); diff != "" {
		t.Fatal(diff)
	}
	if got, want := d.ids(), "s u0 u1 u2 u3 u4 u5 u6 digest u7 a7 last"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f := d.folded[0]
	if f.Before != before.Tokens || f.After != d.prompt.Tokens || f.Lost < 17_000 || f.Trigger != compaction.Automatic || f.Archive != "a.jsonl" || f.Usage.Prompt() != 10 {
		t.Errorf("got %+v; the prompt was %d and is %d", f, before.Tokens, d.prompt.Tokens)
	}
	if req := d.model.asked[0]; len(req.Tools) > 0 || req.Wire != nil || len(req.Messages) != 2 {
		t.Errorf("asked %+v", req)
	}
	d.log = nil
	if err := d.Check(t.Context(), d.prompt); err != nil || len(d.log) > 0 {
		t.Errorf("compacted again: %v, %v", d.log, err)
	}
}

func TestSmallPromptsAreLeftAlone(t *testing.T) {
	for _, window := range []int{0, 200_000} {
		d := newDesk(window, 7)
		if err := d.Check(t.Context(), d.prompt); err != nil || len(d.log) > 0 {
			t.Errorf("window %d: %v, %v", window, d.log, err)
		}
	}
}

// The summary fails three times, then the run: nothing changes, it is recorded
// once, and the next request does not ask again.
func TestCP07FailedSummaryIsToldAndTriedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(20_000, 7)
		before := d.ids()
		for range 3 {
			d.model.replies = append(d.model.replies, fails(serverError(), ""))
		}
		if err := d.Check(t.Context(), d.prompt); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"record summary failed: overloaded"}, d.log); diff != "" || d.ids() != before {
			t.Fatalf("%s\n%s", diff, d.ids())
		}
		if err := d.Check(t.Context(), d.prompt); err != nil || len(d.log) != 1 || len(d.model.asked) != 3 {
			t.Errorf("tried at once again: %v, %v", d.log, err)
		}
		d.prompt.Tokens += 1500
		if err := d.Check(t.Context(), d.prompt); err != nil || len(d.log) != 4 {
			t.Errorf("not tried later: %v, %v", d.log, err)
		}
	})
}

// What is no summary is told as one that failed, and the conversation stays as it is.
func TestAReplyThatIsNoSummary(t *testing.T) {
	call := &message.ToolCall{ID: "c", Name: "read_file", Arguments: "{}"}
	for why, reply := range map[string][]provider.Chunk{
		"called a tool": {{Type: provider.ChunkCall, Call: call}, {Type: provider.ChunkDone}},
		"too long":      {{Type: provider.ChunkText, Text: strings.Repeat("long ", 1<<18)}, {Type: provider.ChunkDone, Finish: provider.FinishStop}},
		"refused":       {{Type: provider.ChunkText, Text: "no"}, {Type: provider.ChunkDone, Finish: provider.FinishRefusal}},
	} {
		d := newDesk(20_000, 7)
		before := d.ids()
		d.model.replies = [][]provider.Chunk{reply}
		if err := d.Check(t.Context(), d.prompt); err != nil {
			t.Fatal(err)
		}
		if len(d.log) == 0 || d.log[0] != "record summary failed: summary" || !strings.Contains(d.folded[0].Failure.Text, why) {
			t.Errorf("%s: %v: %+v", why, d.log, d.folded)
		}
		if len(d.log) == 1 && d.ids() != before {
			t.Errorf("%s: the conversation is %s", why, d.ids())
		}
	}
}

func TestCP01RefusedPromptIsCompacted(t *testing.T) {
	d := newDesk(100_000, 7)
	f := &provider.Failure{Kind: provider.KindContext, Provider: "p", Status: 400, Text: "maximum context length is 12000"}
	if err := d.Refused(t.Context(), d.prompt, f); err != nil {
		t.Fatal(err)
	}
	if d.prompt.Tokens > 9000 || d.folded[0].Trigger != compaction.Refused {
		t.Errorf("got %d tokens: %v", d.prompt.Tokens, d.log)
	}
	// It goes on refusing: that ends, with the endpoint's words.
	var err error
	for range 4 {
		if err = d.Refused(t.Context(), d.prompt, f); err != nil {
			break
		}
	}
	var stop *agent.Stop
	if !errors.As(err, &stop) || stop.Outcome != event.Limit || stop.Reason != agent.ReasonContext || !strings.Contains(stop.Detail, "12000") {
		t.Errorf("got %v", err)
	}
	if !strings.HasSuffix(d.ids(), "last") {
		t.Errorf("the prompt is gone: %s", d.ids())
	}
}

func TestRefusedWithCompactionOff(t *testing.T) {
	d := newDesk(0, 2)
	err := d.Refused(t.Context(), d.prompt, &provider.Failure{Kind: provider.KindContext})
	if err == nil || !strings.Contains(err.Error(), "context_window is 0") || len(d.log) > 0 {
		t.Errorf("got %v, %v", err, d.log)
	}
}

func TestCP03SummaryInPieces(t *testing.T) {
	d := newDesk(20_000, 7)
	d.model.replies = [][]provider.Chunk{fails(&provider.Failure{Kind: provider.KindContext, Provider: "summarizer", Status: 400}, "")}
	if err := d.Check(t.Context(), d.prompt); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"record summary failed: context", "archive 6", "record summary", "replace"}, d.log); diff != "" {
		t.Error(diff)
	}
	if len(d.model.asked) < 3 {
		t.Errorf("asked %d times", len(d.model.asked))
	}
}

// Nothing is taken out that could not be archived.
func TestFullDiskLeavesTheConversation(t *testing.T) {
	d := newDesk(20_000, 7)
	before := d.ids()
	d.full = true
	if err := d.Check(t.Context(), d.prompt); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"record summary failed: archive"}, d.log); diff != "" || d.ids() != before {
		t.Errorf("%s\n%s", diff, d.ids())
	}
	if !strings.Contains(d.folded[0].Failure.Text, "no space left") {
		t.Errorf("got %+v", d.folded[0].Failure)
	}
	d.prompt.Tokens = 20_000
	var stop *agent.Stop
	if err := d.Check(t.Context(), d.prompt); !errors.As(err, &stop) {
		t.Errorf("a prompt that does not fit: got %v", err)
	}
}

func TestCancelledCompactionChangesNothing(t *testing.T) {
	d := newDesk(20_000, 7)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&agent.Stop{Outcome: event.Cancelled})
	var stop *agent.Stop
	if err := d.Check(ctx, d.prompt); !errors.As(err, &stop) || stop.Outcome != event.Cancelled || len(d.log) > 0 {
		t.Errorf("got %v, %v", err, d.log)
	}
}

func TestCompactByHand(t *testing.T) {
	d := newDesk(200_000, 7)
	d.Settings.TailShare = 0.01
	changed, err := d.Compact(t.Context(), d.prompt, "the file names")
	if err != nil || !changed {
		t.Fatalf("got %v, %v: %v", changed, err, d.log)
	}
	if text := d.model.asked[0].Messages[1].Content; !strings.HasSuffix(text, "above all: the file names\n") {
		t.Errorf("asked %s", text[len(text)-100:])
	}
	if changed, err := d.Compact(t.Context(), d.prompt, ""); err != nil || changed {
		t.Errorf("again: got %v, %v", changed, err)
	}
}

func TestSoftThresholdIsToldOnce(t *testing.T) {
	d := newDesk(10_000, 1)
	var told []bool
	for _, tokens := range []int{4000, 5000, 5500, 7000, 5200, 3000, 5100} {
		told = append(told, d.Soft(tokens))
	}
	if diff := cmp.Diff([]bool{false, true, false, false, false, false, true}, told); diff != "" {
		t.Error(diff)
	}
}
