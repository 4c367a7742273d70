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

// say makes a user message as the model will read it, with what hooks add to it. Every
// prompt becomes one here, whatever way it came.
func (s *sess) say(ctx context.Context, p event.PromptQueued, added ...addition) (event.UserSaid, error) {
	said := event.UserSaid{Prompt: p.ID, Display: p.Display, Message: message.Message{
		ID: message.ID(s.e.p.NewID()), Role: message.User, Content: p.Display, Attachments: p.Attachments,
	}}
	if p.Display == "" && p.Data != "" { // nothing was typed at all
		said.Display, said.Message.Content, p.Data = p.Data, p.Data, ""
		said.Sources = append(said.Sources, event.Source{Kind: event.SourceData, Bytes: len(said.Display)})
	}
	if err := s.commanded(ctx, p, &said); err != nil {
		return said, err
	}
	for _, prepare := range s.organs.Prepare {
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
func (s *sess) submit(ctx context.Context, p event.PromptQueued, before string) error {
	added, reason, blocked, err := s.hooks.prompted(ctx, p)
	if err != nil {
		return err
	}
	if blocked {
		return &agent.Stop{Outcome: event.Completed, Reason: reasonHook, Detail: reason}
	}
	said, err := s.say(ctx, p, told(hook.SessionStart, before), added)
	if err != nil {
		return err
	}
	if err := s.said(p, said); err != nil {
		return err
	}
	s.hooks.said = "" // by now the model has it
	return nil
}

// said records the user message that p became.
func (s *sess) said(p event.PromptQueued, m event.UserSaid) error {
	if err := s.rec.emit(m); err != nil {
		return err
	}
	s.gate.typed.hear(p.Display)
	return nil
}

// join says a prompt in the turn that runs. One that hooks block or that cannot be
// said is closed: ok is false then, and the turn goes on without it. An error is the
// journal's, or the end of ctx.
func (s *sess) join(ctx context.Context, p event.PromptQueued) (m message.Message, ok bool, err error) {
	added, reason, blocked, err := s.hooks.prompted(ctx, p)
	if err != nil {
		return m, false, err
	}
	if blocked {
		return m, false, s.rec.emit(event.TurnEnded{Prompt: p.ID, Outcome: event.Completed, Reason: reasonHook, Detail: reason})
	}
	said, err := s.say(ctx, p, added)
	switch {
	case err != nil && ctx.Err() != nil:
		return m, false, err
	case err != nil:
		return m, false, s.unsaid(p, err)
	}
	return said.Message, true, s.said(p, said)
}

// unsaid closes a prompt that could not be said.
func (s *sess) unsaid(p event.PromptQueued, why error) error {
	if err := s.rec.emit(event.Notice{
		Level: event.LevelError, Code: "prompt_not_said", Args: []string{why.Error()},
		Text: "the model does not read what you said: " + why.Error(),
	}); err != nil {
		return err
	}
	return s.rec.emit(event.TurnEnded{Prompt: p.ID, Outcome: event.Internal, Detail: why.Error()})
}

// sayWaiting says the prompts an earlier process accepted and never began.
func (s *sess) sayWaiting(ctx context.Context) error {
	for len(s.inherited) > 0 {
		if _, _, err := s.join(ctx, s.inherited[0]); err != nil {
			return err
		}
		s.inherited = s.inherited[1:]
	}
	return nil
}

// hearUser records what the user said since the last step. What could not be said
// because the turn ended waits for the next one.
func (s *sess) hearUser() ([]message.Message, error) {
	steers := s.mail.takeSteers()
	if len(steers) == 0 {
		return nil, nil
	}
	ctx, cancel := lasting(s.hooks.over)
	defer cancel()
	var said []message.Message
	for i, p := range steers {
		m, ok, err := s.join(ctx, p)
		if err != nil && ctx.Err() != nil {
			s.mail.steer(steers[i:]...)
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
