package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/view"
)

// saying is a message of the user as session rewind counts them.
type saying struct {
	Number int        `json:"number"` // from 1, in the conversation as it is now
	Seq    event.Seq  `json:"seq"`
	Turn   int        `json:"turn"`
	Time   time.Time  `json:"time"`
	ID     message.ID `json:"id"`
	Text   string     `json:"text"` // the first line
}

// said reads the journal for the messages of the user in the conversation as it is now.
func said(ctx context.Context, store session.Store, id event.SessionID) ([]saying, error) {
	var state view.State
	all := map[message.ID]saying{}
	for env, err := range store.Read(ctx, id, 0) {
		if _, skipped := errors.AsType[*session.DamageError](err); skipped {
			continue
		}
		if err != nil {
			return nil, err
		}
		state = view.Apply(state, env)
		if p, ok := env.Payload.(event.UserSaid); ok {
			text := p.Display
			if text == "" {
				text = p.Message.Content
			}
			text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
			all[p.Message.ID] = saying{Seq: env.Seq, Turn: env.Turn, Time: env.Time, ID: p.Message.ID, Text: text}
		}
	}
	list := []saying{}
	for _, m := range state.Messages {
		if one, ok := all[m.ID]; ok && m.Role == message.User {
			one.Number = len(list) + 1
			list = append(list, one)
		}
	}
	return list, nil
}
