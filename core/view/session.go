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
	}
	s.CaughtUp, s.Last = true, max(s.Last, p.Last)
	s.Configured, s.Tools = p.Configured, p.Tools
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
