package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/protocol"
)

// running is the turn in flight.
type running struct {
	prompt   event.PromptID // empty: the user has the conversation compacted
	cancel   context.CancelCauseFunc
	stopping bool       // cancel was called
	ended    chan error // capacity 1
}

// turns are the turn that runs and the prompts that wait for theirs. What is done in the
// place of a turn, a command or a compaction, takes its place. The session's goroutine
// uses it.
type turns struct {
	rec          *recorder
	tally        *tally
	newID        func() string
	conversation *conversation
	voice        *voice
	commands     commands
	mail         *mailbox
	settings     *settings
	serve        func(protocol.Op) error // an op that a person typed

	now   *running             // nil: none runs
	queue []event.PromptQueued // accepted; each begins a turn
}

func (t *turns) busy() bool { return t.now != nil }

// taking reports whether a turn runs that words can still be for: what comes behind a
// cancel is for the next one.
func (t *turns) taking() bool { return t.now != nil && !t.now.stopping }

// ended tells when the turn that runs ended by itself.
func (t *turns) ended() <-chan error {
	if t.now == nil {
		return nil
	}
	return t.now.ended
}

// begin makes a turn the one that runs.
func (t *turns) begin(ctx context.Context, id event.PromptID) context.Context {
	ctx = t.occupy(ctx, id)
	t.rec.j.nextTurn()
	t.tally.reset(t.rec.now())
	return ctx
}

// occupy keeps turns from beginning until finish.
func (t *turns) occupy(ctx context.Context, id event.PromptID) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	t.now = &running{prompt: id, cancel: cancel, ended: make(chan error, 1)}
	return ctx
}

// alone runs one turn on the caller's goroutine, which nothing waits behind.
func (t *turns) alone(ctx context.Context, p event.PromptQueued) event.TurnEnded {
	err := t.conversation.run(t.begin(ctx, p.ID), p)
	ended := t.tally.outcome(err)
	t.finish(err)
	return ended
}

// end stops the turn that runs, because the session is closed, and records its end.
func (t *turns) end() {
	if t.now == nil {
		return
	}
	t.now.cancel(&agent.Stop{Outcome: event.Cancelled, Reason: "closing", Detail: "the session was closed"})
	t.finish(<-t.now.ended)
	t.settings.adoptDeferred() // it was accepted, and the next opening begins with it
}

// add has p wait for its turn, which begins now when none is running.
func (t *turns) add(p event.PromptQueued) {
	t.queue = append(t.queue, p)
	t.next()
}

// next begins the turn of the first queued prompt when none is running.
func (t *turns) next() {
	if t.now != nil || len(t.queue) == 0 {
		return
	}
	t.queue = append(t.voice.takeCommands(), t.queue...)
	p := t.queue[0]
	t.queue = t.queue[1:]
	if c, ok := t.commands.insteadOf(p); ok {
		t.startCommand(p, c)
		return
	}
	ctx := t.begin(context.Background(), p.ID)
	go func(ended chan<- error) { ended <- t.conversation.run(ctx, p) }(t.now.ended)
}

// over closes a turn that ended by itself. Steering it did not take becomes
// the next prompt: nothing that was accepted is dropped.
func (t *turns) over(err error) {
	t.finish(err)
	t.queue = append(t.mail.takeSteers(), t.queue...)
	t.settings.turnEnded()
	if focus, asked := t.mail.takeCompact(); asked {
		t.startCompact(focus)
		return
	}
	t.next()
}

// finish records how the turn ended, and first a result for every call that
// an internal error left without one.
func (t *turns) finish(err error) {
	t.now.cancel(nil)
	if t.now.prompt == "" {
		t.finishCompact(err)
		return
	}
	ended := t.tally.outcome(err)
	ended.Prompt = t.now.prompt
	t.now = nil
	for _, r := range append(mendCalls(t.rec.j, t.newID), event.Payload(ended)) {
		if err = t.rec.j.emit(r); err != nil {
			break
		}
	}
	if err == nil {
		err = t.rec.j.sync()
	}
	if err != nil {
		ended.Outcome, ended.Reason, ended.Detail = event.Internal, "journal", "the session could not be saved: "+err.Error()
		t.rec.j.tell(ended)
	}
	// A phase is not stored; a journal that is closed by now needs none.
	_ = t.rec.emit(event.Phase{Name: event.PhaseIdle})
}

// startCommand does what a prompt that is a command asks for. It is a turn of which
// the model sees nothing.
func (t *turns) startCommand(p event.PromptQueued, c Command) {
	ctx := t.begin(context.Background(), p.ID)
	started := t.rec.emit(event.TurnStarted{Prompt: p.ID, Trigger: "user"})
	if started == nil && (p.Data != "" || len(p.Attachments) > 0) {
		started = t.rec.emit(event.Notice{
			Level: event.LevelWarning, Code: "command_alone", Args: []string{c.Name},
			Text: "/" + c.Name + " takes nothing but what is typed behind it: what came with it was not used",
		})
	}
	switch {
	case started != nil:
		t.now.ended <- started
	case c.Report != nil:
		go func(ended chan<- error) { ended <- t.conversation.report(ctx, c) }(t.now.ended)
	default:
		t.obey(ctx, c)
	}
}

// obey does an op that a person typed. The session's goroutine calls it.
func (t *turns) obey(ctx context.Context, c Command) {
	turn := t.now
	if op, ok := c.Op.(protocol.Compact); ok {
		go func(ended chan<- error) { ended <- t.conversation.compact(ctx, op.Focus) }(turn.ended)
		return
	}
	t.now = nil // an op that waits for the end of a turn does not wait for its own
	err := t.serve(c.Op)
	t.now = turn
	if err != nil {
		err = fmt.Errorf("/%s: %s", c.Name, reasonOf(err))
	}
	turn.ended <- err
}

// compact serves the Op: now when nothing runs, before the next request otherwise.
func (t *turns) compact(op protocol.Compact) {
	if t.now != nil {
		t.mail.compact(op)
		return
	}
	t.startCompact(op.Focus)
}

// startCompact compacts in the place of a turn: prompts wait, Cancel stops it.
func (t *turns) startCompact(focus string) {
	ctx := t.occupy(context.Background(), "")
	go func(ended chan<- error) { ended <- t.conversation.compact(ctx, focus) }(t.now.ended)
}

// finishCompact says how a compaction ended that did not end well. A turn is none:
// there is no TurnEnded.
func (t *turns) finishCompact(err error) {
	t.now = nil
	var stop *agent.Stop
	switch {
	case errors.As(err, &stop) && stop.Outcome == event.Cancelled:
		err = t.rec.j.emit(event.Notice{Level: event.LevelInfo, Code: "compact_cancelled", Text: "the compaction was cancelled; the conversation is as it was"})
	case err != nil:
		t.rec.j.warn(compactFailed(err))
		err = nil
	}
	if err == nil {
		err = t.rec.j.sync()
	}
	if err != nil {
		t.rec.j.warn(compactFailed(err))
	}
	_ = t.rec.emit(event.Phase{Name: event.PhaseIdle}) // not stored
}

// cancel serves the Op.
func (t *turns) cancel(op protocol.Cancel) error {
	if t.now != nil && (op.All || op.Prompt == "" || op.Prompt == t.now.prompt) {
		t.now.stopping = true
		t.now.cancel(&agent.Stop{Outcome: event.Cancelled, Reason: op.Reason, Detail: "the turn was cancelled"})
		if !op.All {
			return nil
		}
	}
	var dropped []event.PromptQueued
	if op.All {
		dropped, t.queue = slices.Concat(t.mail.takeSteers(), t.queue), nil
	} else if i := slices.IndexFunc(t.queue, func(p event.PromptQueued) bool { return p.ID == op.Prompt }); i >= 0 {
		dropped, t.queue = []event.PromptQueued{t.queue[i]}, slices.Concat(t.queue[:i], t.queue[i+1:])
	}
	var failed error
	for _, p := range dropped {
		ended := event.TurnEnded{Prompt: p.ID, Outcome: event.Cancelled, Reason: op.Reason, Detail: "the prompt was cancelled before its turn"}
		if err := t.rec.j.emit(ended); err != nil { // whoever waits for it must hear of it all the same
			t.rec.j.tell(ended)
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}
