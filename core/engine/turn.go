package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
)

// running is the turn in flight.
type running struct {
	prompt event.PromptID // empty: the user has the conversation compacted
	cancel context.CancelCauseFunc
	ended  chan error // capacity 1
}

// tally is what the events of one turn add up to. Safe for concurrent use.
type tally struct {
	mu      sync.Mutex
	began   time.Time
	steps   int
	usage   message.Usage
	cost    *event.Money
	refused int // calls refused because nobody could be asked
}

func (t *tally) reset(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began, t.steps, t.usage, t.cost, t.refused = now, 0, message.Usage{}, nil, 0
}

// used is what the turn used of its limits so far.
func (t *tally) used(now time.Time) agent.Used {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := agent.Used{Steps: t.steps, Time: now.Sub(t.began)}
	if t.cost != nil {
		u.Cost = t.cost.Amount
	}
	return u
}

func (t *tally) refuse() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused++
}

// follow takes in what was recorded.
func (t *tally) follow(p event.Payload) {
	switch p := p.(type) {
	case event.Replied:
		t.replied(p)
	case event.Folded:
		t.spend(p.Usage, p.Cost)
	case event.ChildEnded:
		t.spend(p.Usage, p.Cost)
	case event.Answered:
		t.spend(p.Usage, p.Cost)
	default: // it costs nothing
	}
}

func (t *tally) replied(r event.Replied) {
	t.spend(r.Usage, r.Cost)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(r.Message.ToolCalls) > 0 {
		t.steps++
	}
}

func (t *tally) spend(usage message.Usage, cost *event.Money) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = t.usage.Add(usage)
	if cost == nil {
		return
	}
	sum := event.Money{Currency: cost.Currency}
	if t.cost != nil {
		sum = *t.cost
	}
	sum.Amount += cost.Amount
	sum.Estimated = sum.Estimated || cost.Estimated
	t.cost = &sum
}

// ended is a turn that was completed, unless calls were refused because nobody
// could be asked.
func (t *tally) ended() event.TurnEnded {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := event.TurnEnded{Outcome: event.Completed, Steps: t.steps, Usage: t.usage, Cost: t.cost}
	if t.refused > 0 {
		e.Outcome, e.Reason = event.Denied, "nobody_to_ask"
		e.Detail = fmt.Sprintf("calls refused because nobody could be asked: %d", t.refused)
	}
	return e
}

// startNext begins the turn of the first queued prompt when none is running.
func (l *looper) startNext() {
	if l.turn != nil || len(l.queue) == 0 {
		return
	}
	l.queue = append(l.voice.takeCommands(), l.queue...)
	p := l.queue[0]
	l.queue = l.queue[1:]
	if c, ok := l.voice.commands.insteadOf(p); ok {
		l.startCommand(p, c)
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	l.turn = &running{prompt: p.ID, cancel: cancel, ended: make(chan error, 1)}
	l.j.nextTurn()
	l.tally.reset(l.e.p.Now())
	go func(ended chan<- error) { ended <- l.runTurn(ctx, p) }(l.turn.ended)
}

// turnEnded closes a turn that ended by itself. Steering it did not take becomes
// the next prompt: nothing that was accepted is dropped.
func (l *looper) turnEnded(err error) {
	l.finishTurn(err)
	l.queue = append(l.mail.takeSteers(), l.queue...)
	l.adoptDeferred()
	l.refresh()
	if l.reloads {
		if err := l.reload(); err != nil {
			l.j.warn(event.Notice{Level: event.LevelError, Code: "reload_failed", Args: []string{err.Error()}, Text: "commands, skills and hooks could not be read again: " + err.Error()})
		}
	}
	if focus, asked := l.mail.takeCompact(); asked {
		l.startCompact(focus)
		return
	}
	l.startNext()
}

// finishTurn records how the turn ended, and first a result for every call that
// an internal error left without one.
func (l *looper) finishTurn(err error) {
	l.turn.cancel(nil)
	if l.turn.prompt == "" {
		l.finishCompact(err)
		return
	}
	ended := l.outcome(err)
	ended.Prompt = l.turn.prompt
	l.turn = nil
	for _, r := range append(l.mendCalls(), event.Payload(ended)) {
		if err = l.j.emit(r); err != nil {
			break
		}
	}
	if err == nil {
		err = l.j.sync()
	}
	if err != nil {
		ended.Outcome, ended.Reason, ended.Detail = event.Internal, "journal", "the session could not be saved: "+err.Error()
		l.j.tell(ended)
	}
	// A phase is not stored; a journal that is closed by now needs none.
	_ = l.rec.emit(event.Phase{Name: event.PhaseIdle})
}

// outcome turns a runner's error into the one word the turn ends with.
func (s *sess) outcome(err error) event.TurnEnded {
	ended := s.tally.ended()
	var stop *agent.Stop
	switch {
	case errors.As(err, &stop):
		ended.Outcome, ended.Reason, ended.Detail, ended.Failure = stop.Outcome, stop.Reason, stop.Detail, stop.Failure
	case err != nil:
		ended.Outcome, ended.Reason, ended.Detail = event.Internal, "", err.Error()
	}
	return ended
}

// runTurn is the turn's goroutine.
func (s *sess) runTurn(ctx context.Context, p event.PromptQueued) error {
	err := safely(s.id, "a turn", func() error {
		ctx, halt := context.WithCancelCause(ctx)
		defer halt(nil)
		s.hooks.halt, s.hooks.over = halt, ctx.Done()
		return s.runOn(ctx, func() error { return s.converse(ctx, p) })
	})
	return errors.Join(err, s.tracker.giveBack())
}

// safely makes an error of a bug: it ends what it is in, and not the process.
func safely(id event.SessionID, what string, f func() error) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			slog.Debug("panic in "+what, "session", id, "value", bug, "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error: %v", bug)
		}
	}()
	return f()
}

// converse says the prompt and runs the loop on it.
func (s *sess) converse(ctx context.Context, p event.PromptQueued) error {
	if err := s.rec.emit(event.TurnStarted{Prompt: p.ID, Trigger: "user"}); err != nil {
		return err
	}
	if err := s.rec.emit(event.Phase{Name: event.PhaseStarting}); err != nil {
		return err
	}
	begun, err := s.hooks.waitSession(ctx)
	if err != nil {
		return err
	}
	if err := s.voice.sayWaiting(ctx); err != nil {
		return err
	}
	if err := s.voice.submit(ctx, p, begun); err != nil {
		return err
	}
	runner, in, err := s.input()
	if err != nil {
		return err
	}
	if p.Kind != event.KindSteer { // which goes on with the work of another turn
		in.Typed = p.Display
	}
	return runner.Run(ctx, in)
}

// input is the conversation as the turn's runner gets it.
func (s *sess) input() (agent.Runner, agent.Input, error) {
	in := agent.Input{Messages: s.j.messages()}
	var configured event.Configured
	s.j.with(func(h *history) {
		configured = h.configured
		in.Tools = h.prefix.Tools
		in.Todos = h.now.Todos
		in.Break, in.Sent = h.broken, h.sent
		in.Counted, in.CountedAt = h.count()
		if in.Sent == nil {
			in.SentAt = in.CountedAt
		}
		if h.model != "" && h.model != h.configured.Model {
			in.Break = &event.Break{Part: "model", Cause: "the model changed from " + h.model}
			in.Counted = 0 // by another tokenizer
		}
	})
	if s.runner == nil {
		r, err := s.organs.Runner(configured)
		if err != nil {
			return nil, in, err
		}
		s.runner = s.coordinated(r)
	}
	return s.runner, in, nil
}
