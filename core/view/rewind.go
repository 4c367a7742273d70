package view

import (
	"reasonix/core/event"
	"reasonix/core/message"
)

// rewound moves the end of the conversation. What was left stays in Ways, where an undo
// finds it again.
func (s State) rewound(p event.Rewound) State {
	if p.Head == p.Was {
		return s
	}
	kept, ok := upTo(s.Messages, p.Head)
	for i := len(s.Ways) - 1; i >= 0 && !ok; i-- {
		kept, ok = upTo(s.Ways[i], p.Head)
	}
	if !ok {
		return s // whoever skipped the replay has not seen it
	}
	s.Ways = with(s.Ways, s.Messages)
	s.Messages = kept
	return s
}

// upTo is the beginning of a conversation with head, a message or a call's result, at
// its end.
func upTo(all []*Message, head message.ID) ([]*Message, bool) {
	if head == "" {
		return nil, true
	}
	for i, m := range all {
		if m.ID == head {
			return all[: i+1 : i+1], true
		}
		for _, c := range m.Calls {
			if c.Result == head {
				return all[: i+1 : i+1], true
			}
		}
	}
	return nil, false
}
