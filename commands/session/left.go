package session

import (
	"context"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/view"
)

// left is what a conversation had before a rewind took it back, and has no more.
type left struct {
	messages map[message.ID]bool
	calls    map[string]bool
	turns    map[int]bool // of which nothing is left
}

// leftOf reads the journal for what rewinds left behind.
func leftOf(ctx context.Context, store session.Store, id event.SessionID) (left, error) {
	l := left{messages: map[message.ID]bool{}, calls: map[string]bool{}, turns: map[int]bool{}}
	turns := map[message.ID]int{}
	var state view.State
	for env, err := range store.Read(ctx, id, 0) {
		if _, ok := skipped(err); ok {
			continue
		}
		if err != nil {
			return left{}, err
		}
		before := state.Messages
		state = view.Apply(state, env)
		switch p := env.Payload.(type) {
		case event.UserSaid:
			turns[p.Message.ID] = env.Turn
		case event.Replied:
			turns[p.Message.ID] = env.Turn
		case event.Rewound:
			l.mark(before, true)
			l.mark(state.Messages, false)
		default: // neither said nor taken back
		}
	}
	for id, turn := range turns {
		if l.messages[id] {
			l.turns[turn] = true
		}
	}
	for id, turn := range turns {
		if !l.messages[id] {
			delete(l.turns, turn)
		}
	}
	return l, nil
}

func (l left) mark(all []*view.Message, gone bool) {
	for _, m := range all {
		l.messages[m.ID] = gone && m.ID != ""
		for _, c := range m.Calls {
			l.calls[c.ID] = gone
		}
	}
}

// holds reports whether e is of what was left.
func (l left) holds(e event.Envelope) bool {
	switch p := e.Payload.(type) {
	case event.UserSaid:
		return l.messages[p.Message.ID]
	case event.Replied:
		return l.messages[p.Message.ID]
	case event.ToolStarted:
		return l.calls[p.Call]
	case event.ToolFinished:
		return l.calls[p.Call]
	case event.Rewound, event.Configured: // they count for what comes behind
		return false
	default:
		return e.Turn > 0 && l.turns[e.Turn]
	}
}
