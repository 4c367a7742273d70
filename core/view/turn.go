package view

import (
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
)

// Message is one entry of the conversation in the form people read.
type Message struct {
	ID     message.ID
	Role   message.Role // User or Assistant
	Turn   int
	Time   time.Time
	Prompt event.PromptID // of a user's message

	Text        string // what was typed, or the reply
	Reasoning   string
	Attachments []message.Attachment
	Sources     []event.Source // what was added to what was typed
	Calls       []Call         // in the order the model wrote them

	Model    string
	Finish   string
	Usage    message.Usage
	Cost     *event.Money
	Attempts int
	Break    *event.Break
}

func (s State) promptQueued(p event.PromptQueued) State {
	s.Queue = with(s.Queue, p)
	if s.First == "" {
		s.First = p.Line()
	}
	return s
}

func (s State) unqueue(id event.PromptID) State {
	s.Queue = without(s.Queue, func(q event.PromptQueued) bool { return q.ID == id })
	return s
}

func (s State) userSaid(e event.Envelope, p event.UserSaid) State {
	s.Messages = with(s.Messages, &Message{
		ID: p.Message.ID, Role: message.User, Turn: e.Turn, Time: e.Time, Prompt: p.Prompt,
		Text: p.Display, Attachments: p.Message.Attachments, Sources: p.Sources,
	})
	return s.unqueue(p.Prompt)
}

// turnEnded also ends a prompt that never began, which ends no running turn.
func (s State) turnEnded(p event.TurnEnded) State {
	s.Ended = &p
	if p.Prompt == s.Running {
		s.Running, s.Live, s.Retry = "", Live{}, nil
	}
	return s.unqueue(p.Prompt)
}

func (s State) replied(e event.Envelope, p event.Replied) State {
	m := &Message{
		ID: p.Message.ID, Role: message.Assistant, Turn: e.Turn, Time: e.Time,
		Text: p.Message.Content, Reasoning: reasoning(p.Message), Attachments: p.Message.Attachments,
		Model: p.Model, Finish: p.Finish, Usage: p.Usage, Cost: p.Cost, Attempts: p.Attempts, Break: p.Break,
	}
	for _, c := range p.Message.ToolCalls {
		m.Calls = append(m.Calls, Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	s.Messages = with(s.Messages, m)
	s.Live, s.Retry = Live{}, nil
	if m.Text != "" {
		s.Words = event.Words{Message: m.ID, Text: event.Brief(m.Text)}
	}
	return s.spent(p.Usage, p.Cost)
}

func (s State) folded(p event.Folded) State {
	s.Folds = with(s.Folds, Fold{p, len(s.Messages)})
	return s.spent(p.Usage, p.Cost)
}

func (s State) spent(usage message.Usage, cost *event.Money) State {
	s.Usage = s.Usage.Add(usage)
	if cost != nil {
		s.Cost = event.Spend(s.Cost, *cost)
	}
	return s
}

func reasoning(m message.Message) string {
	text := ""
	for _, r := range m.Reasoning {
		text += r.Text
	}
	return text
}
