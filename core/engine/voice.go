package engine

import (
	"context"
	"fmt"
	"strings"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/hook"
	"reasonix/core/message"
)

// voice says to the model what a person and the host have to say: it makes messages of
// prompts and records them. The turn's goroutine uses it, the session's between turns.
type voice struct {
	rec      *recorder
	newID    func() string
	prepare  []Prepare
	commands commands
	hooks    *hooks
	mail     *mailbox
	typed    *typed
	waiting  []event.PromptQueued // accepted by an earlier process and never begun
}

// say makes a user message as the model will read it, with what hooks add to it. Every
// prompt becomes one here, whatever way it came.
func (v *voice) say(ctx context.Context, p event.PromptQueued, added ...addition) (event.UserSaid, error) {
	said := event.UserSaid{Prompt: p.ID, Display: p.Display, Message: message.Message{
		ID: message.ID(v.newID()), Role: message.User, Content: p.Display, Attachments: p.Attachments,
	}}
	if p.Display == "" && p.Data != "" { // nothing was typed at all
		said.Display, said.Message.Content, p.Data = p.Data, p.Data, ""
		said.Sources = append(said.Sources, event.Source{Kind: event.SourceData, Bytes: len(said.Display)})
	}
	if err := v.commands.put(ctx, p, &said); err != nil {
		return said, err
	}
	for _, prepare := range v.prepare {
		if err := prepare(ctx, &said); err != nil {
			return said, fmt.Errorf("prepare prompt: %w", err)
		}
	}
	if p.Data != "" {
		said.Message.Content = strings.TrimPrefix(said.Message.Content+"\n\n"+p.Data, "\n\n")
		said.Sources = append(said.Sources, event.Source{Kind: event.SourceData, Bytes: len(p.Data)})
	}
	lead(&said, added)
	return said, nil
}

// submit says the prompt of a turn, with before in front of it, unless a hook blocks it,
// which is an agent.Stop: the prompt is kept in the journal, and no model reads it.
func (v *voice) submit(ctx context.Context, p event.PromptQueued, before string) error {
	added, reason, blocked, err := v.hooks.prompted(ctx, p)
	if err != nil {
		return err
	}
	if blocked {
		return &agent.Stop{Outcome: event.Completed, Reason: reasonHook, Detail: reason}
	}
	said, err := v.say(ctx, p, told(hook.SessionStart, before), added)
	if err != nil {
		return err
	}
	if err := v.said(p, said); err != nil {
		return err
	}
	v.hooks.heard()
	return nil
}

// said records the user message that p became.
func (v *voice) said(p event.PromptQueued, m event.UserSaid) error {
	if err := v.rec.emit(m); err != nil {
		return err
	}
	v.typed.hear(p.Display)
	return nil
}

// join says a prompt in the turn that runs. One that hooks block or that cannot be
// said is closed: ok is false then, and the turn goes on without it. An error is the
// journal's, or the end of ctx.
func (v *voice) join(ctx context.Context, p event.PromptQueued) (m message.Message, ok bool, err error) {
	added, reason, blocked, err := v.hooks.prompted(ctx, p)
	if err != nil {
		return m, false, err
	}
	if blocked {
		return m, false, v.rec.emit(event.TurnEnded{Prompt: p.ID, Outcome: event.Completed, Reason: reasonHook, Detail: reason})
	}
	said, err := v.say(ctx, p, added)
	switch {
	case err != nil && ctx.Err() != nil:
		return m, false, err
	case err != nil:
		return m, false, v.unsaid(p, err)
	}
	return said.Message, true, v.said(p, said)
}

// unsaid closes a prompt that could not be said.
func (v *voice) unsaid(p event.PromptQueued, why error) error {
	if err := v.rec.emit(event.Notice{
		Level: event.LevelError, Code: "prompt_not_said", Args: []string{why.Error()},
		Text: "the model does not read what you said: " + why.Error(),
	}); err != nil {
		return err
	}
	return v.rec.emit(event.TurnEnded{Prompt: p.ID, Outcome: event.Internal, Detail: why.Error()})
}

// sayWaiting says the prompts an earlier process accepted and never began.
func (v *voice) sayWaiting(ctx context.Context) error {
	for len(v.waiting) > 0 {
		if _, _, err := v.join(ctx, v.waiting[0]); err != nil {
			return err
		}
		v.waiting = v.waiting[1:]
	}
	return nil
}

// takeCommands takes the commands out of what an earlier process accepted and never
// began. They are turns of their own; what else waits is said in the next turn.
func (v *voice) takeCommands() (turns []event.PromptQueued) {
	var said []event.PromptQueued
	for _, p := range v.waiting {
		if _, ok := v.commands.insteadOf(p); ok {
			turns = append(turns, p)
		} else {
			said = append(said, p)
		}
	}
	v.waiting = said
	return turns
}

// hear records what happened since the last step and returns it as the model
// will read it. The agent calls it.
func (v *voice) hear() ([]message.Message, error) {
	var said []message.Message
	for _, j := range v.mail.takeJobs() {
		text := jobNote(j, v.rec.j.jobTitle(j.Job))
		m := message.Message{ID: message.ID(v.newID()), Role: message.User, Content: text}
		if err := v.rec.emit(event.UserSaid{Message: m, Sources: []event.Source{{Kind: sourceJob, Ref: string(j.Job), Bytes: len(text)}}}); err != nil {
			return nil, err
		}
		said = append(said, m)
	}
	words, err := v.hearUser()
	return append(said, words...), err
}

// hearUser records what the user said since the last step. What could not be said
// because the turn ended waits for the next one.
func (v *voice) hearUser() ([]message.Message, error) {
	steers := v.mail.takeSteers()
	if len(steers) == 0 {
		return nil, nil
	}
	ctx, cancel := v.hooks.duringTurn()
	defer cancel()
	var said []message.Message
	for i, p := range steers {
		m, ok, err := v.join(ctx, p)
		if err != nil && ctx.Err() != nil {
			v.mail.steer(steers[i:]...)
			return said, nil
		}
		if err != nil {
			return nil, err
		}
		if ok {
			said = append(said, m)
		}
	}
	return said, nil
}
