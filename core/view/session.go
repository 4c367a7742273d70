package view

import (
	"cmp"
	"slices"

	"reasonix/core/event"
)

// opened begins a writer's life: what an earlier one had under way is over.
func (s State) opened(p event.Opened) State {
	s.Opened = p
	s.Closed, s.Running, s.Repaired, s.Pending = false, "", nil, nil
	s.Live, s.Retry, s.Phase = Live{}, nil, event.Phase{}
	s.Offered, s.Servers = event.Offered{}, nil
	if p.Reason == event.OpenedForked {
		s.Queue = nil // they wait in the parent
	}
	return s
}

func (s State) prefixSet(p event.PrefixSet) State {
	s.PrefixHash = p.Hash
	s.Tools = nil
	for _, t := range p.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	return s
}

// caughtUp brings what a reader that skipped the replay lacks.
func (s State) caughtUp(p event.CaughtUp) State {
	if s.Last < p.Last {
		for _, n := range p.Notices {
			s.Notices = with(s.Notices, Notice{n, len(s.Messages)})
		}
		s = s.stands(p.Standing)
	}
	if s.Context == (event.ContextUsed{}) { // it is in no journal
		s.Context = p.Standing.Context
	}
	s.CaughtUp, s.Last = true, max(s.Last, p.Last)
	s.Configured, s.Tools = p.Configured, p.Tools
	return s
}

// stands takes over all that a Standing says.
func (s State) stands(at event.Standing) State {
	s.First, s.Words, s.At = at.First, at.Words, at.At
	s.Turn, s.Running, s.Ended, s.Closed = at.Turn, at.Running, at.Ended, at.Closed
	s.Queue, s.Pending, s.Todos, s.Jobs = at.Queue, at.Pending, at.Todos, at.Jobs
	s.Usage, s.Cost, s.Context = at.Usage, at.Cost, at.Context
	return s
}

// serverChanged keeps the newest state of each server, by name.
func (s State) serverChanged(p event.ServerChanged) State {
	i, known := slices.BinarySearchFunc(s.Servers, p.Name, func(had event.ServerChanged, name string) int {
		return cmp.Compare(had.Name, name)
	})
	s.Servers = slices.Clone(s.Servers)
	if known {
		s.Servers[i] = p
	} else {
		s.Servers = slices.Insert(s.Servers, i, p)
	}
	return s
}
