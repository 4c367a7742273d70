package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted plays replies: each is the chunks of one attempt.
type scripted struct {
	replies [][]provider.Chunk
	bodies  [][]byte // the wire bytes of each request
	hold    bool     // after the script: say "partial" and wait for the end of ctx
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Encode(dst []byte, batch []message.Message) ([]byte, error) {
	for _, m := range batch {
		b, err := json.Marshal(m)
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, b...), '\n')
	}
	return dst, nil
}

func (s *scripted) Stream(ctx context.Context, req provider.Request) (<-chan provider.Chunk, error) {
	var body []byte
	if req.Wire != nil {
		body = bytes.Clone(req.Wire.Bytes())
	}
	s.bodies = append(s.bodies, body)
	out := make(chan provider.Chunk, 64)
	if len(s.replies) == 0 {
		if !s.hold {
			close(out)
			return out, nil
		}
		out <- provider.Chunk{Type: provider.ChunkText, Text: "partial"}
		go func() {
			<-ctx.Done()
			out <- provider.Chunk{Type: provider.ChunkError, Err: ctx.Err()}
			close(out)
		}()
		return out, nil
	}
	for _, c := range s.replies[0] {
		out <- c
	}
	s.replies = s.replies[1:]
	close(out)
	return out, nil
}

func says(text string) []provider.Chunk {
	return []provider.Chunk{
		{Type: provider.ChunkText, Text: text},
		{Type: provider.ChunkDone, Finish: provider.FinishStop, Usage: &message.Usage{Input: 10, Output: 2}},
	}
}

func calls(cs ...message.ToolCall) []provider.Chunk {
	var chunks []provider.Chunk
	for _, c := range cs {
		chunks = append(chunks, provider.Chunk{Type: provider.ChunkCall, Call: &c})
	}
	return append(chunks, provider.Chunk{Type: provider.ChunkDone, Finish: provider.FinishStop, Usage: &message.Usage{Input: 10, Output: 2}})
}

func fails(f *provider.Failure, text string) []provider.Chunk {
	chunks := []provider.Chunk{{Type: provider.ChunkError, Err: f}}
	if text != "" {
		chunks = append([]provider.Chunk{{Type: provider.ChunkText, Text: text}}, chunks...)
	}
	return chunks
}

func cutShort() *provider.Failure {
	return &provider.Failure{Kind: provider.KindCut, Phase: provider.PhaseStream, Provider: "scripted", Retryable: true}
}

// fn is a tool made of a function.
type fn struct {
	name  string
	reads bool
	run   func(ctx context.Context, args json.RawMessage) (string, error)
}

func (f fn) Name() string            { return f.name }
func (f fn) Description() string     { return "a test tool" }
func (f fn) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (f fn) ReadOnly() bool          { return f.reads }
func (f fn) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	return f.run(ctx, args)
}

// echo returns its arguments.
func echo(name string, reads bool) fn {
	return fn{name, reads, func(_ context.Context, args json.RawMessage) (string, error) { return name + string(args), nil }}
}

type gateFunc func(agent.Request) agent.Verdict

func (g gateFunc) Check(_ context.Context, r agent.Request) (agent.Verdict, error) { return g(r), nil }

// rig is an agent and everything it told.
type rig struct {
	*agent.Agent
	provider *scripted
	mu       sync.Mutex
	told     []event.Payload
	in       agent.Input
}

func newRig(t *testing.T, p *scripted, tools ...tool.Tool) *rig {
	t.Helper()
	reg, err := tool.NewRegistry(tool.NewEnv(tool.Env{}), nil, tools...)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{provider: p}
	n := 0
	var mu sync.Mutex
	r.Agent = agent.New(agent.Parts{
		Provider: p, Model: "scripted/one", Tools: reg, Now: time.Now,
		Gate: gateFunc(func(agent.Request) agent.Verdict { return agent.Verdict{Allow: true} }),
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("m%d", n)
		},
		Emit: func(p event.Payload) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, p)
			return nil
		},
	})
	r.in = agent.Input{Messages: []message.Message{
		{ID: "system", Role: message.System, Content: "be brief"}, {ID: "u", Role: message.User, Content: "go"},
	}}
	return r
}

// told returns the payloads of one type.
func told[T event.Payload](r *rig) []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []T
	for _, p := range r.told {
		if v, ok := p.(T); ok {
			all = append(all, v)
		}
	}
	return all
}

func (r *rig) results() map[string]string {
	all := map[string]string{}
	for _, f := range told[event.ToolFinished](r) {
		all[f.Call] = string(f.Status) + ": " + f.Message.Content
	}
	return all
}

func outcome(t *testing.T, err error) agent.Stop {
	t.Helper()
	var stop *agent.Stop
	if !errors.As(err, &stop) {
		t.Fatalf("the turn ended with %v, want a Stop", err)
	}
	return *stop
}

func TestATurnRunsCallsUntilTheModelAnswers(t *testing.T) {
	r := newRig(t, &scripted{replies: [][]provider.Chunk{
		calls(message.ToolCall{ID: "a", Name: "look", Arguments: `{"x":1}`}), says("done"),
	}}, echo("look", true))
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.results(), map[string]string{"a": `ok: look{"x":1}`}); diff != "" {
		t.Error(diff)
	}
	replies := told[event.Replied](r)
	if len(replies) != 2 || replies[1].Message.Content != "done" || replies[0].Finish != event.FinishCalls {
		t.Errorf("replies: %+v", replies)
	}
}

func TestEveryRequestExtendsTheOneBefore(t *testing.T) {
	p := &scripted{}
	for i := range 20 {
		p.replies = append(p.replies, calls(message.ToolCall{ID: "call_0", Name: "look", Arguments: fmt.Sprintf(`{"i":%d}`, i)}))
	}
	p.replies = append(p.replies, says("done"))
	r := newRig(t, p, echo("look", true))
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(p.bodies); i++ {
		if !bytes.HasPrefix(p.bodies[i], p.bodies[i-1]) {
			t.Fatalf("request %d does not extend request %d", i+1, i)
		}
	}
	if len(p.bodies) != 21 || len(r.results()) != 20 {
		t.Errorf("%d requests and %d results; every call needs an id of its own (SSE-08)", len(p.bodies), len(r.results()))
	}
}

func TestReadersRunTogetherAndWritersAlone(t *testing.T) {
	var readers, writers, most, overlap atomic.Int32
	meet := make(chan struct{})
	read := fn{"read", true, func(context.Context, json.RawMessage) (string, error) {
		if readers.Add(1) == 2 {
			close(meet)
		}
		<-meet // both readers are here at once, or this never returns
		most.Store(max(most.Load(), readers.Load()))
		if writers.Load() > 0 {
			overlap.Add(1)
		}
		readers.Add(-1)
		return "r", nil
	}}
	write := fn{"write", false, func(context.Context, json.RawMessage) (string, error) {
		if writers.Add(1) > 1 || readers.Load() > 0 {
			overlap.Add(1)
		}
		writers.Add(-1)
		return "w", nil
	}}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(
		message.ToolCall{ID: "1", Name: "read"}, message.ToolCall{ID: "2", Name: "read"},
		message.ToolCall{ID: "3", Name: "write"}, message.ToolCall{ID: "4", Name: "write"},
	), says("done")}}, read, write)
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 2 || overlap.Load() != 0 {
		t.Errorf("%d readers at once, %d overlaps with a writer", most.Load(), overlap.Load())
	}
	last := r.provider.bodies[1]
	at := -1
	for _, id := range []string{"1", "2", "3", "4"} {
		next := bytes.Index(last, []byte(`"tool_call_id":"`+id+`"`))
		if next <= at {
			t.Fatalf("results are not in the order of the calls:\n%s", last)
		}
		at = next
	}
}

func TestBadCallsAreAnsweredAndNotRun(t *testing.T) {
	ran := false
	work := fn{"work", false, func(context.Context, json.RawMessage) (string, error) { ran = true; return "", nil }}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(
		message.ToolCall{ID: "1", Name: "nope", Arguments: "{}"},
		message.ToolCall{ID: "2", Name: "work", Arguments: "{\"a\": \"x\n"},
		message.ToolCall{ID: "3", Name: "work", Arguments: `[1]`},
	), says("done")}}, work)
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	got := r.results()
	for id, want := range map[string]string{"1": `failed: error: there is no tool named "nope"`, "2": "at byte 9", "3": "not a JSON object"} {
		if !strings.Contains(got[id], want) {
			t.Errorf("call %s: %q lacks %q", id, got[id], want)
		}
	}
	if ran {
		t.Error("a call with bad arguments ran")
	}
}

func TestAPanicOfAToolFailsOneCall(t *testing.T) {
	boom := fn{"boom", true, func(context.Context, json.RawMessage) (string, error) { panic("bug") }}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{
		calls(message.ToolCall{ID: "1", Name: "boom"}, message.ToolCall{ID: "2", Name: "look"}), says("done"),
	}}, boom, echo("look", true))
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	got := r.results()
	if !strings.Contains(got["1"], "internal error in tool boom") || got["2"] != "ok: look{}" {
		t.Errorf("results %v", got)
	}
}

func TestADeniedCallIsAResult(t *testing.T) {
	r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(message.ToolCall{ID: "1", Name: "work"}), says("ok then")}}, echo("work", false))
	r.Gate = gateFunc(func(agent.Request) agent.Verdict {
		return agent.Verdict{Rule: "Bash(rm:*)", Reason: "the rule Bash(rm:*) forbids it"}
	})
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	f := told[event.ToolFinished](r)[0]
	if f.Status != event.StatusDenied || f.Rule != "Bash(rm:*)" || !strings.Contains(f.Message.Content, "Do not try") {
		t.Errorf("result %+v", f)
	}
	if n := len(told[event.ToolStarted](r)); n != 0 {
		t.Errorf("%d calls started", n)
	}
}

func TestACutReplyIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &scripted{replies: [][]provider.Chunk{fails(cutShort(), "hel"), fails(cutShort(), ""), says("hello")}})
		if err := r.Run(t.Context(), r.in); err != nil {
			t.Fatal(err)
		}
		retries := told[event.Retrying](r)
		if len(retries) != 2 || retries[0].Discard == "" || retries[1].Discard != "" || retries[0].Attempt != 2 || retries[0].Of != 5 {
			t.Errorf("retries: %+v", retries)
		}
		if replies := told[event.Replied](r); len(replies) != 1 || replies[0].Message.Content != "hello" || replies[0].Attempts != 3 {
			t.Errorf("replies: %+v", replies)
		}
	})
}

func TestGivingUpKeepsWhatWasShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &scripted{}
		for range 5 {
			p.replies = append(p.replies, fails(cutShort(), "half a"))
		}
		r := newRig(t, p)
		stop := outcome(t, r.Run(t.Context(), r.in))
		if stop.Outcome != event.Provider || stop.Failure == nil || !strings.Contains(stop.Detail, "5 tries") {
			t.Errorf("stop %+v", stop)
		}
		replies := told[event.Replied](r)
		if len(replies) != 1 || replies[0].Finish != event.FinishCut || replies[0].Message.Content != "half a" {
			t.Errorf("replies %+v", replies)
		}
	})
}

func TestFailuresThatWillNotPassAreNotRetried(t *testing.T) {
	for kind, want := range map[string]event.Outcome{provider.KindAuth: event.Provider, provider.KindRequest: event.Provider, provider.KindStalled: event.Stalled} {
		r := newRig(t, &scripted{replies: [][]provider.Chunk{fails(&provider.Failure{Kind: kind, Provider: "scripted", Status: 401}, "")}})
		if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Outcome != want || len(r.provider.bodies) != 1 {
			t.Errorf("%s: %s after %d requests", kind, stop.Outcome, len(r.provider.bodies))
		}
	}
}

func TestCancelDuringBackOffIsImmediate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := cutShort()
		f.After = time.Minute
		r := newRig(t, &scripted{replies: [][]provider.Chunk{fails(f, "")}})
		ctx, cancel := context.WithCancelCause(t.Context())
		begun := time.Now()
		time.AfterFunc(time.Second, func() { cancel(&agent.Stop{Outcome: event.Cancelled, Reason: "sigint"}) })
		stop := outcome(t, r.Run(ctx, r.in))
		if stop.Outcome != event.Cancelled || stop.Reason != "sigint" || time.Since(begun) != time.Second {
			t.Errorf("%+v after %s", stop, time.Since(begun))
		}
	})
}

func TestACancelledReplyKeepsItsShownText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &scripted{hold: true})
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(&agent.Stop{Outcome: event.Cancelled}) })
		if stop := outcome(t, r.Run(ctx, r.in)); stop.Outcome != event.Cancelled {
			t.Errorf("stop %+v", stop)
		}
		replies := told[event.Replied](r)
		if len(replies) != 1 || replies[0].Finish != event.FinishCancelled || replies[0].Message.Content != "partial" {
			t.Errorf("replies %+v", replies)
		}
	})
}

func TestTheTimeLimitStopsAReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &scripted{hold: true})
		r.Limits.Time = time.Minute
		stop := outcome(t, r.Run(t.Context(), r.in))
		if stop.Outcome != event.Limit || stop.Reason != agent.ReasonTime {
			t.Errorf("stop %+v", stop)
		}
		if replies := told[event.Replied](r); len(replies) != 1 || replies[0].Finish != event.FinishLimit {
			t.Errorf("replies %+v", replies)
		}
	})
}

func TestCancelDuringACallAnswersEveryCall(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	slow := fn{"slow", false, func(ctx context.Context, _ json.RawMessage) (string, error) {
		cancel(&agent.Stop{Outcome: event.Cancelled})
		<-ctx.Done()
		return "so far", ctx.Err()
	}}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(message.ToolCall{ID: "1", Name: "slow"}, message.ToolCall{ID: "2", Name: "slow"})}}, slow)
	if stop := outcome(t, r.Run(ctx, r.in)); stop.Outcome != event.Cancelled {
		t.Errorf("stop %+v", stop)
	}
	want := map[string]string{
		"1": "cancelled: so far\ninterrupted: the turn was stopped while this was running",
		"2": "cancelled: not run: the turn was stopped",
	}
	if diff := cmp.Diff(r.results(), want); diff != "" {
		t.Error(diff)
	}
}

func TestACallThatDoesNotStopIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stuck := make(chan struct{})
		deaf := fn{"deaf", true, func(context.Context, json.RawMessage) (string, error) { <-stuck; return "late", nil }}
		r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(message.ToolCall{ID: "1", Name: "deaf"})}}, deaf)
		time.AfterFunc(time.Second, func() { cancel(&agent.Stop{Outcome: event.Cancelled}) })
		begun := time.Now()
		if stop := outcome(t, r.Run(ctx, r.in)); stop.Outcome != event.Cancelled || time.Since(begun) != 4*time.Second {
			t.Errorf("stop %+v after %s", stop, time.Since(begun))
		}
		if got := r.results()["1"]; !strings.Contains(got, "left behind") {
			t.Errorf("result %q", got)
		}
		close(stuck)
	})
}

func forever() *scripted {
	p := &scripted{}
	for i := range 40 {
		p.replies = append(p.replies, calls(message.ToolCall{ID: "c", Name: "look", Arguments: fmt.Sprintf(`{"i":%d}`, i)}))
	}
	return p
}

// HL-07: limits stop before the next request, and what was done is kept.
func TestHL07Budgets(t *testing.T) {
	r := newRig(t, forever(), echo("look", true))
	r.Limits.Steps = 3
	if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Outcome != event.Limit || stop.Reason != agent.ReasonSteps {
		t.Errorf("stop %+v", stop)
	}
	if len(r.provider.bodies) != 3 || len(r.results()) != 3 {
		t.Errorf("%d requests, %d results, want 3 and 3", len(r.provider.bodies), len(r.results()))
	}

	r = newRig(t, forever(), echo("look", true))
	r.Price = &provider.Price{Input: 1e5, Output: 1e5, Currency: "USD"} // 0.1 a token
	r.Limits.Cost = &event.Money{Amount: 3, Currency: "USD"}
	if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Reason != agent.ReasonCost || len(r.provider.bodies) != 3 {
		t.Errorf("stop %+v after %d requests of 1.2", stop, len(r.provider.bodies))
	}

	silent := forever()
	for _, reply := range silent.replies {
		reply[len(reply)-1].Usage = nil
	}
	r = newRig(t, silent, echo("look", true))
	r.Price, r.Limits.Cost = &provider.Price{Input: 1e4, Output: 1e4, Currency: "USD"}, &event.Money{Amount: 1, Currency: "USD"}
	if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Reason != agent.ReasonCost {
		t.Errorf("stop %+v", stop)
	}
	if notices := told[event.Notice](r); len(notices) != 1 || notices[0].Code != "cost_estimated" {
		t.Errorf("notices %+v", notices)
	}
}

func TestIdenticalRoundsPause(t *testing.T) {
	p := &scripted{}
	for range 40 {
		p.replies = append(p.replies, calls(message.ToolCall{ID: "c", Name: "look", Arguments: `{}`}))
	}
	r := newRig(t, p, echo("look", true))
	stop := outcome(t, r.Run(t.Context(), r.in))
	if stop.Outcome != event.Limit || stop.Reason != agent.ReasonNoProgress || len(p.bodies) != 16 {
		t.Errorf("%+v after %d requests", stop, len(p.bodies))
	}
}

// SSE-24: a call cut by the output limit is not run and the model is told.
func TestSSE24OutputLimit(t *testing.T) {
	half := []provider.Chunk{
		{Type: provider.ChunkProgress, Progress: &provider.CallProgress{Name: "look", Bytes: 10}},
		{Type: provider.ChunkDone, Finish: provider.FinishLength},
	}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{half, says("smaller then")}}, echo("look", true))
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(r.provider.bodies[1], []byte("output limit")) {
		t.Errorf("the model was not told: %s", r.provider.bodies[1])
	}
	prose := []provider.Chunk{{Type: provider.ChunkText, Text: "long"}, {Type: provider.ChunkDone, Finish: provider.FinishLength}}
	r = newRig(t, &scripted{replies: [][]provider.Chunk{prose}})
	if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Outcome != event.Cut {
		t.Errorf("stop %+v", stop)
	}
	r = newRig(t, &scripted{replies: [][]provider.Chunk{half, half, half, half, half}})
	if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Outcome != event.Cut || len(r.provider.bodies) != 4 {
		t.Errorf("stop %+v after %d requests", stop, len(r.provider.bodies))
	}
}

func TestAReplyOfReasoningAloneIsAskedAgain(t *testing.T) {
	thought := []provider.Chunk{{Type: provider.ChunkReasoning, Text: "hm"}, {Type: provider.ChunkDone, Finish: provider.FinishStop}}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{thought, says("there")}})
	if err := r.Run(t.Context(), r.in); err != nil || !bytes.Contains(r.provider.bodies[1], []byte("neither text nor a tool call")) {
		t.Errorf("%v; the model read %s", err, r.provider.bodies[1])
	}
	r = newRig(t, &scripted{replies: [][]provider.Chunk{thought, thought, thought, thought}})
	if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Outcome != event.Provider || len(r.provider.bodies) != 3 {
		t.Errorf("stop %+v after %d requests", stop, len(r.provider.bodies))
	}
}

func TestSecretsDoNotLeakWhereOutputIsCut(t *testing.T) {
	leaky := fn{"leaky", true, func(ctx context.Context, _ json.RawMessage) (string, error) {
		for _, piece := range []string{"a ", "sk-sec", "ret-123", " b\nplain", " end"} {
			if _, err := tool.CallFrom(ctx).Out.Write([]byte(piece)); err != nil {
				return "", err
			}
		}
		return "sk-secret-123", nil
	}}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(message.ToolCall{ID: "1", Name: "leaky"}), says("done")}}, leaky)
	r.Redact, r.SecretLen = strings.NewReplacer("sk-secret-123", "[redacted]").Replace, len("sk-secret-123")
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	var live strings.Builder
	for _, o := range told[event.ToolOutput](r) {
		if o.Offset != live.Len() {
			t.Errorf("output at %d, want %d", o.Offset, live.Len())
		}
		live.WriteString(o.Text)
	}
	if live.String() != "a [redacted] b\nplain end" || r.results()["1"] != "ok: [redacted]" {
		t.Errorf("live %q, result %q", live.String(), r.results()["1"])
	}
}

func TestABrokenReplyIsChargedAsEstimated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &scripted{replies: [][]provider.Chunk{fails(cutShort(), strings.Repeat("word ", 400)), says("done"), says("never")}})
		r.Price, r.Limits.Cost = &provider.Price{Output: 1e4, Currency: "USD"}, &event.Money{Amount: 3, Currency: "USD"}
		r.Steer = func() ([]message.Message, error) {
			if len(r.provider.bodies) != 2 {
				return nil, nil
			}
			return []message.Message{{ID: "more", Role: message.User, Content: "more"}}, nil
		}
		if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Reason != agent.ReasonCost || len(r.provider.bodies) != 2 {
			t.Errorf("%+v after %d requests", stop, len(r.provider.bodies))
		}
	})
}

func TestARefusalHasItsOwnOutcome(t *testing.T) {
	r := newRig(t, &scripted{replies: [][]provider.Chunk{{
		{Type: provider.ChunkText, Text: "I will not"}, {Type: provider.ChunkDone, Finish: provider.FinishRefusal},
	}}})
	if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Outcome != event.Refused {
		t.Errorf("stop %+v", stop)
	}
}

func TestSteeringIsReadAtTheNextStep(t *testing.T) {
	p := &scripted{replies: [][]provider.Chunk{calls(message.ToolCall{ID: "1", Name: "look"}), says("done"), says("and the other")}}
	r := newRig(t, p, echo("look", true))
	words := map[int]string{1: "mind the tests", 2: "one more thing"} // by requests sent
	r.Steer = func() ([]message.Message, error) {
		text, ok := words[len(p.bodies)]
		if !ok {
			return nil, nil
		}
		delete(words, len(p.bodies))
		return []message.Message{{ID: message.ID(text), Role: message.User, Content: text}}, nil
	}
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if len(p.bodies) != 3 || !bytes.Contains(p.bodies[1], []byte("mind the tests")) || !bytes.Contains(p.bodies[2], []byte("one more thing")) {
		t.Errorf("%d requests; last:\n%s", len(p.bodies), p.bodies[len(p.bodies)-1])
	}
}

func TestAResumedConversationIsEncodedAsItGrew(t *testing.T) {
	p := &scripted{replies: [][]provider.Chunk{
		calls(message.ToolCall{ID: "1", Name: "look"}), says("done"),
	}}
	r := newRig(t, p, echo("look", true))
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	history := r.in.Messages
	for _, e := range r.told {
		switch e := e.(type) {
		case event.Replied:
			history = append(history, e.Message)
		case event.ToolFinished:
			history = append(history, e.Message)
		default: // no message
		}
	}
	next := message.Message{ID: "u2", Role: message.User, Content: "more"}
	again := newRig(t, &scripted{replies: [][]provider.Chunk{says("x")}}, echo("look", true))
	again.in.Messages = append(history, next)
	if err := again.Run(t.Context(), again.in); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(again.provider.bodies[0], p.bodies[1]) {
		t.Error("the resumed request does not extend the last one of the first process")
	}
}

func TestAJournalThatCannotBeWrittenStopsTheTurn(t *testing.T) {
	ran := false
	work := fn{"work", false, func(context.Context, json.RawMessage) (string, error) { ran = true; return "", nil }}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(message.ToolCall{ID: "1", Name: "work"}), says("done")}}, work)
	full := errors.New("no space left on device")
	r.Emit = func(p event.Payload) error {
		if _, ok := p.(event.ToolStarted); ok {
			return full
		}
		return nil
	}
	if err := r.Run(t.Context(), r.in); !errors.Is(err, full) || ran {
		t.Errorf("error %v, call ran: %v", err, ran)
	}
}

// A turn that goes on begins with what it used before.
func TestATurnThatGoesOnHasOneBudget(t *testing.T) {
	for reason, c := range map[string]struct {
		limits event.Limits
		used   agent.Used
	}{
		agent.ReasonSteps: {event.Limits{Steps: 3}, agent.Used{Steps: 2}},
		agent.ReasonCost:  {event.Limits{Cost: &event.Money{Amount: 3, Currency: "USD"}}, agent.Used{Cost: 2}},
	} {
		r := newRig(t, forever(), echo("look", true))
		r.Price = &provider.Price{Input: 1e5, Output: 1e5, Currency: "USD"} // 1.2 a request
		r.Limits, r.in.Used = c.limits, c.used
		if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Reason != reason || len(r.provider.bodies) != 1 {
			t.Errorf("%s: stop %+v after %d requests", reason, stop, len(r.provider.bodies))
		}
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &scripted{hold: true})
		r.Limits.Time, r.in.Used.Time = time.Minute, 40*time.Second
		begun := time.Now()
		if stop := outcome(t, r.Run(t.Context(), r.in)); stop.Reason != agent.ReasonTime || time.Since(begun) > 20*time.Second {
			t.Errorf("stop %+v after %s", stop, time.Since(begun))
		}
	})
}

// fickle only reads as long as it was asked twice at most.
type fickle struct {
	fn
	asked *atomic.Int64
}

func (f fickle) ReadOnly() bool { return f.asked.Add(1) <= 2 }

// What a server says of its tool may change at any time. A call is judged as what it
// was taken for when it was put among the readers.
func TestACallIsAReaderOrAWriterOnce(t *testing.T) {
	var asked atomic.Int64
	r := newRig(t, &scripted{replies: [][]provider.Chunk{calls(message.ToolCall{ID: "1", Name: "look"}, message.ToolCall{ID: "2", Name: "look"}), says("done")}}, fickle{echo("look", true), &asked})
	asked.Store(0)
	r.Gate = gateFunc(func(req agent.Request) agent.Verdict {
		if !req.ReadOnly {
			t.Error("it was put among the readers and is judged as a writer")
		}
		return agent.Verdict{Allow: true}
	})
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
}
