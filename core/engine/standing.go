package engine

import (
	"slices"

	"reasonix/core/event"
	"reasonix/core/message"
)

// standing is where a session stands, folded from its durable events as view.Apply does.
// What it was given to readers with is never changed afterwards.
type standing struct{ event.Standing }

func (s *standing) apply(env event.Envelope) {
	s.At = env.Time.UTC().Round(0)
	switch p := env.Payload.(type) {
	case event.Opened:
		s.opened(p)
	case event.Ended:
		s.Closed = true
	case event.PromptQueued:
		s.Queue = append(s.Queue, p)
		if s.First == "" {
			s.First = p.Line()
		}
	case event.TurnStarted:
		s.Turn, s.Running = env.Turn, p.Prompt
	case event.UserSaid:
		s.begun(p.Prompt)
	case event.TurnEnded:
		s.ended(p)
	case event.Replied:
		s.replied(p)
	case event.Folded:
		s.spent(p.Usage, p.Cost)
		if len(p.Edits) > 0 {
			s.Context = event.ContextUsed{Tokens: p.After, Estimated: true}
		}
	case event.Rewound:
		if p.Head != p.Was {
			s.Context = event.ContextUsed{} // nobody counted it
		}
	case event.ChildEnded:
		s.spent(p.Usage, p.Cost)
	case event.Planned:
		s.Todos = p.Todos
	case event.JobStarted:
		s.Jobs = append(s.Jobs, p)
	case event.JobEnded:
		s.Jobs = without(s.Jobs, func(j event.JobStarted) bool { return j.Job == p.Job })
	case event.Asked:
		s.Pending = append(s.Pending, p.Question)
	case event.Answered:
		s.Pending = without(s.Pending, func(q event.Question) bool { return q.ID == p.ID })
	default: // no part of a status
	}
}

// opened begins a writer's life: what an earlier one had under way is over. Prompts
// that wait in a session are not its copy's.
func (s *standing) opened(p event.Opened) {
	s.Closed, s.Running, s.Pending = false, "", nil
	if p.Reason == event.OpenedForked {
		s.Queue = nil
	}
}

// ended also ends a prompt that never began, which ends no running turn.
func (s *standing) ended(p event.TurnEnded) {
	briefly := p.Briefly()
	s.Ended = &briefly
	if p.Prompt == s.Running {
		s.Running = ""
	}
	s.begun(p.Prompt)
}

// begun takes a prompt off the list of those that wait.
func (s *standing) begun(id event.PromptID) {
	s.Queue = without(s.Queue, func(q event.PromptQueued) bool { return q.ID == id })
}

func (s *standing) replied(p event.Replied) {
	s.spent(p.Usage, p.Cost)
	s.Context = event.ContextUsed{Tokens: p.Usage.Prompt() + p.Usage.Output}
	if p.Message.Content != "" {
		s.Words = event.Words{Message: p.Message.ID, Text: event.Brief(p.Message.Content)}
	}
}

func (s *standing) spent(usage message.Usage, cost *event.Money) {
	s.Usage = s.Usage.Add(usage)
	if cost != nil {
		s.Cost = event.Spend(s.Cost, *cost)
	}
}

// without returns list less what drop accepts and leaves list's array alone.
func without[T any](list []T, drop func(T) bool) []T {
	if !slices.ContainsFunc(list, drop) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// stands is where the session stands now.
func (j *journal) stands() event.CaughtUp {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.standsLocked()
}

// standsLocked is where the session stands for who joins now. How full the window is was
// told more exactly than the journal says it, if it was told.
func (j *journal) standsLocked() event.CaughtUp {
	now := j.folded.now.Standing
	for _, env := range j.sticky {
		if told, ok := env.Payload.(event.ContextUsed); ok {
			now.Context = told
		}
	}
	return event.CaughtUp{Session: j.id, Last: j.seq, Configured: j.folded.configured, Tools: j.tools, Notices: j.notices, Standing: now}
}
