package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// reply is one attempt as it arrived.
type reply struct {
	msg      message.Message
	text     strings.Builder
	thought  int // bytes of reasoning shown
	finish   string
	usage    *message.Usage
	halfCall bool // a call was begun and none came
}

// ask gets one complete reply and stores it. Attempts that fail for a passing
// reason are made again; what they had shown is discarded by an event.
func (a *Agent) ask(ctx context.Context, t *turn) (reply, error) {
	if err := a.encode(); err != nil {
		return reply{}, err
	}
	if err := a.makeRoom(ctx); err != nil {
		return reply{}, err
	}
	if err := a.Emit(event.Phase{Name: event.PhaseModel, Detail: a.Model}); err != nil {
		return reply{}, err
	}
	begun := a.Now()
	for attempt := 1; ; attempt++ {
		r, err := a.attempt(ctx, t)
		if err == nil {
			return r, a.keep(t, r, attempt)
		}
		if ctx.Err() != nil {
			return r, a.interrupted(ctx, t, r, attempt)
		}
		var f *provider.Failure
		if !errors.As(err, &f) {
			return r, err
		}
		if f.Kind == provider.KindContext && a.Compactor != nil && r.text.Len()+r.thought == 0 {
			if err := a.refused(ctx, f); err != nil {
				return r, err
			}
			attempt, begun = 0, a.Now()
			continue
		}
		wait, again := a.Retry.Next(attempt, f, a.Now().Sub(begun))
		if !again {
			return r, a.giveUp(t, r, f, attempt)
		}
		a.chargeLost(t, r)
		if err := a.pause(ctx, r, f, attempt, wait); err != nil {
			return r, err
		}
	}
}

// attempt streams one reply. On error r holds what had arrived.
func (a *Agent) attempt(ctx context.Context, t *turn) (reply, error) {
	r := reply{msg: message.Message{ID: message.ID(a.NewID()), Role: message.Assistant}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.compare(t)
	chunks, err := a.Provider.Stream(ctx, provider.Request{Messages: a.msgs, Wire: a.wire, Tools: t.in.Tools})
	if err != nil {
		return r, err
	}
	for c := range chunks {
		done, err := a.take(&r, c)
		if done || err != nil {
			return r, err
		}
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	return r, fmt.Errorf("provider %s closed its stream without an end", a.Provider.Name())
}

// take adds one chunk to r and reports whether it was the last.
func (a *Agent) take(r *reply, c provider.Chunk) (bool, error) {
	switch c.Type {
	case provider.ChunkText:
		at := r.text.Len()
		r.text.WriteString(c.Text)
		return false, a.Emit(event.TextDelta{Message: r.msg.ID, Offset: at, Text: c.Text})
	case provider.ChunkReasoning:
		return false, a.think(r, c)
	case provider.ChunkProgress:
		r.halfCall = true
		return false, a.Emit(event.CallDelta{Message: r.msg.ID, Index: c.Progress.Index, Name: c.Progress.Name, Bytes: c.Progress.Bytes})
	case provider.ChunkCall:
		r.msg.ToolCalls = append(r.msg.ToolCalls, *c.Call)
		return false, nil
	case provider.ChunkNotice:
		return false, a.Emit(event.Notice{Level: event.LevelWarning, Code: c.Notice.Code, Args: c.Notice.Args, Text: c.Notice.Text})
	case provider.ChunkDone:
		r.usage, r.finish = c.Usage, finishWord(c.Finish, len(r.msg.ToolCalls) > 0)
		r.halfCall = r.halfCall && len(r.msg.ToolCalls) == 0
		r.msg.Content = r.text.String()
		return true, nil
	case provider.ChunkError:
		return true, c.Err
	}
	return false, fmt.Errorf("provider %s sent a chunk of unknown type %d", a.Provider.Name(), c.Type)
}

func (a *Agent) think(r *reply, c provider.Chunk) error {
	if c.Reasoning != nil {
		r.msg.Reasoning = append(r.msg.Reasoning, *c.Reasoning)
	}
	if c.Text == "" {
		return nil
	}
	at := r.thought
	r.thought += len(c.Text)
	return a.Emit(event.ReasoningDelta{Message: r.msg.ID, Offset: at, Text: c.Text})
}

func finishWord(f provider.Finish, calls bool) string {
	switch {
	case f == provider.FinishRefusal:
		return event.FinishRefusal
	case calls:
		return event.FinishCalls
	case f == provider.FinishLength:
		return event.FinishLength
	}
	return event.FinishStop
}

// keep stores a complete reply and adds it to the conversation.
func (a *Agent) keep(t *turn, r reply, attempts int) error {
	if r.finish == event.FinishRefusal {
		r.msg.ToolCalls = nil
	}
	if a.Compactor != nil {
		a.Compactor.Accepted()
	}
	a.renameCalls(r.msg.ToolCalls)
	spent := a.measure(t, r)
	cost, err := a.charge(t, r, spent)
	if err != nil {
		return err
	}
	stored := event.Replied{Message: r.msg, Model: a.Model, Finish: r.finish, Attempts: attempts, Cost: cost, Break: t.in.Break}
	if r.usage != nil {
		stored.Usage = *r.usage
	}
	t.in.Break = nil
	if err := a.Emit(stored); err != nil {
		return err
	}
	if err := a.showContext(r, spent); err != nil {
		return err
	}
	if r.msg.Content == "" && len(r.msg.ToolCalls) == 0 {
		return nil // nothing to send back
	}
	a.extend(r.msg)
	return nil
}

// renameCalls gives a call whose id occurred before in the session one of its
// own: results are paired by id, and some endpoints begin again at call_0 in
// every reply.
func (a *Agent) renameCalls(calls []message.ToolCall) {
	for i := range calls {
		id := calls[i].ID
		for n := 2; ; n++ {
			if _, taken := a.callIDs[id]; !taken && id != "" {
				break
			}
			id = fmt.Sprintf("%s_%d", calls[i].ID, n)
		}
		calls[i].ID = id
		a.callIDs[id] = struct{}{}
	}
}

// measure is what the endpoint counted, from which the meter learns, or else an
// estimate of it.
func (a *Agent) measure(t *turn, r reply) message.Usage {
	prompt := a.wire.Tokens() + provider.EstimateTools(t.in.Tools)
	if !r.uncounted() {
		a.counted(r.usage.Prompt())
		return *r.usage
	}
	guess := message.Usage{Input: a.meter.Scale(prompt), Output: a.meter.Scale(r.written())}
	if r.usage != nil && r.usage.Output > 0 {
		guess.Output = r.usage.Output
	}
	return guess
}

// written estimates how many tokens the reply is.
func (r *reply) written() int {
	n := provider.Estimate(r.text.String()) + r.thought/4
	for _, c := range r.msg.ToolCalls {
		n += provider.Estimate(c.Name) + provider.Estimate(c.Arguments)
	}
	return n
}

// charge adds what r cost to the turn. A cost without a count is an estimate, and
// that a limit goes by one is said once.
func (a *Agent) charge(t *turn, r reply, spent message.Usage) (*event.Money, error) {
	if a.Price == nil {
		return nil, nil
	}
	m := &event.Money{Currency: a.Price.Currency, Amount: a.Price.Cost(spent), Estimated: r.uncounted()}
	t.cost += m.Amount
	if !m.Estimated || a.Limits.Cost == nil || a.cannotSay {
		return m, nil
	}
	a.cannotSay = true
	return m, a.Emit(event.Notice{
		Level: event.LevelWarning, Code: "cost_estimated", Args: []string{a.Model},
		Text: a.Model + " reports no token counts; the cost limit uses an estimate",
	})
}

// chargeLost adds an estimate of what a reply cost that broke off before its
// count came: what was written will be on the bill.
func (a *Agent) chargeLost(t *turn, r reply) *event.Money {
	if a.Price == nil || r.text.Len()+r.thought == 0 {
		return nil
	}
	m := &event.Money{Currency: a.Price.Currency, Amount: a.Price.Cost(a.measure(t, r)), Estimated: true}
	t.cost += m.Amount
	return m
}

// uncounted reports whether the endpoint did not count the prompt.
func (r *reply) uncounted() bool { return r.usage == nil || r.usage.Prompt() == 0 }

func (a *Agent) showContext(r reply, spent message.Usage) error {
	return a.Emit(event.ContextUsed{Tokens: spent.Prompt() + spent.Output, Window: a.Window, Estimated: r.uncounted()})
}

// interrupted stores what a stopped reply had shown.
func (a *Agent) interrupted(ctx context.Context, t *turn, r reply, attempts int) error {
	stop := stopped(ctx)
	finish := event.FinishCancelled
	if stop.Outcome == event.Limit {
		finish = event.FinishLimit
	}
	if err := a.keepShown(t, r, finish, attempts); err != nil {
		return err
	}
	return stop
}

// giveUp ends the turn for a fault of the endpoint.
func (a *Agent) giveUp(t *turn, r reply, f *provider.Failure, attempts int) error {
	if err := a.keepShown(t, r, event.FinishCut, attempts); err != nil {
		return err
	}
	stop := &Stop{Outcome: event.Provider, Reason: f.Kind, Detail: f.Error(), Failure: toldFailure(f)}
	switch f.Kind {
	case provider.KindStalled:
		stop.Outcome = event.Stalled
	case provider.KindContext:
		stop.Outcome, stop.Reason = event.Limit, ReasonContext
	}
	if f.Retryable && f.After > 0 && attempts < cmp.Or(a.Retry.Tries, provider.DefaultTries) {
		stop.Detail += fmt.Sprintf(" (it asks to be left alone for %s, which is longer than a turn waits)", f.After.Round(time.Second))
	}
	if attempts > 1 {
		stop.Detail = fmt.Sprintf("%s (gave up after %d tries)", stop.Detail, attempts)
	}
	return stop
}

// keepShown stores a broken reply that had shown text, without its calls and its
// reasoning, and sends it as that from now on.
func (a *Agent) keepShown(t *turn, r reply, finish string, attempts int) error {
	if r.text.Len() == 0 {
		return nil
	}
	m := message.Message{ID: r.msg.ID, Role: message.Assistant, Content: r.text.String()}
	kept := event.Replied{Message: m, Model: a.Model, Finish: finish, Attempts: attempts, Cost: a.chargeLost(t, r), Break: t.in.Break}
	if err := a.Emit(kept); err != nil {
		return err
	}
	t.in.Break = nil
	a.extend(m)
	return nil
}

// pause announces the next attempt and waits for it.
func (a *Agent) pause(ctx context.Context, r reply, f *provider.Failure, attempt int, wait time.Duration) error {
	told := event.Retrying{Attempt: attempt + 1, Of: cmp.Or(a.Retry.Tries, provider.DefaultTries), After: wait, Failure: *toldFailure(f)}
	if r.text.Len() > 0 || r.thought > 0 {
		told.Discard = r.msg.ID
	}
	if err := a.Emit(told); err != nil {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return stopped(ctx)
	}
}

func toldFailure(f *provider.Failure) *event.Failure {
	return &event.Failure{Kind: f.Kind, Phase: f.Phase, Provider: f.Provider, Text: f.Error(), Status: f.Status, Retryable: f.Retryable}
}
