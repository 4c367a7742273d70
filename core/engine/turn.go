package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
)

// running is the turn in flight.
type running struct {
	prompt event.PromptID
	cancel context.CancelCauseFunc
	ended  chan error // capacity 1
}

// tally is what the events of one turn add up to. Guarded by sess.mu.
type tally struct {
	steps   int
	usage   message.Usage
	cost    *event.Money
	refused int // calls refused because nobody could be asked
}

// emit journals for the turn and adds up what it costs.
func (s *sess) emit(p event.Payload) error {
	if err := s.j.emit(p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := p.(type) {
	case event.Replied:
		s.tally.add(p)
	case event.JobEnded:
		s.finished = append(s.finished, p)
	default: // nothing to add up
	}
	return nil
}

func (t *tally) add(r event.Replied) {
	t.usage = t.usage.Add(r.Usage)
	if len(r.Message.ToolCalls) > 0 {
		t.steps++
	}
	if r.Cost == nil {
		return
	}
	if t.cost == nil {
		t.cost = &event.Money{Currency: r.Cost.Currency}
	}
	t.cost.Amount += r.Cost.Amount
	t.cost.Estimated = t.cost.Estimated || r.Cost.Estimated
}

// startNext begins the turn of the first queued prompt when none is running.
func (l *looper) startNext() {
	if l.turn != nil || len(l.queue) == 0 {
		return
	}
	p := l.queue[0]
	l.queue = l.queue[1:]
	ctx, cancel := context.WithCancelCause(context.Background())
	l.turn = &running{prompt: p.ID, cancel: cancel, ended: make(chan error, 1)}
	l.j.nextTurn()
	l.mu.Lock()
	l.tally = tally{}
	l.mu.Unlock()
	go func(ended chan<- error) { ended <- l.runTurn(ctx, p) }(l.turn.ended)
}

// turnEnded closes a turn that ended by itself. Steering it did not take becomes
// the next prompt: nothing that was accepted is dropped.
func (l *looper) turnEnded(err error) {
	l.finishTurn(err)
	l.mu.Lock()
	left := l.steers
	l.steers = nil
	l.mu.Unlock()
	var prompts []protocol.Prompt
	for _, st := range left {
		prompts = append(prompts, protocol.Prompt{ID: st.ID, Text: st.Text, Attachments: st.Attachments})
	}
	l.queue = append(prompts, l.queue...)
	l.startNext()
}

// finishTurn records how the turn ended.
func (l *looper) finishTurn(err error) {
	l.turn.cancel(nil)
	ended := l.outcome(err)
	ended.Prompt = l.turn.prompt
	l.turn = nil
	err = l.j.emit(ended)
	if err == nil {
		err = l.j.sync()
	}
	if err != nil {
		ended.Outcome, ended.Reason, ended.Detail = event.Internal, "journal", "the session could not be saved: "+err.Error()
		l.j.tell(ended)
	}
	// A phase is not stored; a journal that is closed by now needs none.
	_ = l.j.emit(event.Phase{Name: event.PhaseIdle})
}

// outcome turns a runner's error into the one word the turn ends with.
func (s *sess) outcome(err error) event.TurnEnded {
	s.mu.Lock()
	t := s.tally
	s.mu.Unlock()
	ended := event.TurnEnded{Outcome: event.Completed, Steps: t.steps, Usage: t.usage, Cost: t.cost}
	var stop *agent.Stop
	switch {
	case errors.As(err, &stop):
		ended.Outcome, ended.Reason, ended.Detail, ended.Failure = stop.Outcome, stop.Reason, stop.Detail, stop.Failure
	case err != nil:
		ended.Outcome, ended.Detail = event.Internal, err.Error()
	case t.refused > 0:
		ended.Outcome, ended.Reason = event.Denied, "nobody_to_ask"
		ended.Detail = fmt.Sprintf("%d calls were refused because nobody could be asked", t.refused)
	}
	return ended
}

// runTurn is the turn's goroutine.
func (s *sess) runTurn(ctx context.Context, p protocol.Prompt) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("internal error: %v\n%s", bug, debug.Stack())
		}
	}()
	if err := s.emit(event.TurnStarted{Prompt: p.ID, Trigger: "user"}); err != nil {
		return err
	}
	if err := s.emit(event.Phase{Name: event.PhaseStarting}); err != nil {
		return err
	}
	if err := s.sayWaiting(ctx); err != nil {
		return err
	}
	if err := s.say(ctx, p.ID, p.Text, p.Attachments); err != nil {
		return err
	}
	runner, in, err := s.input()
	if err != nil {
		return err
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
		in.Todos = h.todos
		in.Break = h.broken
		if h.model != "" && h.model != h.configured.Model {
			in.Break = &event.Break{Part: "model", Cause: "the model changed from " + h.model}
		}
	})
	if s.runner == nil {
		r, err := s.organs.Runner(configured)
		if err != nil {
			return nil, in, err
		}
		s.runner = r
	}
	return s.runner, in, nil
}

// sayWaiting says the prompts an earlier process accepted and never began.
func (s *sess) sayWaiting(ctx context.Context) error {
	for len(s.inherited) > 0 {
		q := s.inherited[0]
		if err := s.say(ctx, q.ID, q.Display, q.Attachments); err != nil {
			return err
		}
		s.inherited = s.inherited[1:]
	}
	return nil
}

// say records a user message as the model will read it.
func (s *sess) say(ctx context.Context, id event.PromptID, text string, attached []message.Attachment) error {
	said := event.UserSaid{Prompt: id, Display: text, Message: message.Message{
		ID: message.ID(s.e.p.NewID()), Role: message.User, Content: text, Attachments: attached,
	}}
	for _, prepare := range s.organs.Prepare {
		if err := prepare(ctx, &said); err != nil {
			return fmt.Errorf("prepare prompt: %w", err)
		}
	}
	return s.emit(said)
}

// takeSteers says what happened since the last step: what the user steered and
// which background jobs ended. The agent calls it.
func (s *sess) takeSteers() ([]message.Message, error) {
	s.mu.Lock()
	steers, finished := s.steers, s.finished
	s.steers, s.finished = nil, nil
	s.mu.Unlock()
	var said []message.Message
	for _, j := range finished {
		text := jobNote(j, s.jobTitle(j.Job))
		m := message.Message{ID: message.ID(s.e.p.NewID()), Role: message.User, Content: text}
		if err := s.emit(event.UserSaid{Message: m, Sources: []event.Source{{Kind: "job", Ref: string(j.Job), Bytes: len(text)}}}); err != nil {
			return nil, err
		}
		said = append(said, m)
	}
	for _, st := range steers {
		m := message.Message{ID: message.ID(s.e.p.NewID()), Role: message.User, Content: st.Text, Attachments: st.Attachments}
		if err := s.emit(event.UserSaid{Prompt: st.ID, Display: st.Text, Message: m}); err != nil {
			return nil, err
		}
		said = append(said, m)
	}
	return said, nil
}

func (s *sess) jobTitle(id event.JobID) (title string) {
	s.j.with(func(h *history) { title = h.jobs[id].Title })
	return title
}

// jobNote is what the model reads about a job that ended.
func jobNote(j event.JobEnded, title string) string {
	switch j.Status {
	case event.JobDone:
		return fmt.Sprintf("[host] background job %s is done: %s", j.Job, title)
	case event.JobInterrupted:
		return fmt.Sprintf("[host] background job %s ended when reasonix was stopped: %s", j.Job, title)
	case event.JobKilled:
		return fmt.Sprintf("[host] background job %s was killed: %s", j.Job, title)
	}
	exit := ""
	if j.Exit != nil {
		exit = fmt.Sprintf(", exit code %d", *j.Exit)
	}
	return fmt.Sprintf("[host] background bash failed: needs attention (job %s%s): %s", j.Job, exit, title)
}
