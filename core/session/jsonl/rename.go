package jsonl

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
	"unicode"

	"reasonix/core/event"
	"reasonix/core/session"
)

// maxTitle is how many characters a title has at most.
const maxTitle = 200

// Rename implements session.Store. Titles are one line without control characters, at
// most 200 characters; what is more is cut.
func (s *Store) Rename(_ context.Context, id event.SessionID, title string) error {
	if err := s.rename(id, cleanTitle(title)); err != nil {
		return named("rename", id, err)
	}
	return nil
}

func (s *Store) rename(id event.SessionID, title string) (err error) {
	before, err := os.Stat(s.journal(id))
	if err != nil {
		before = nil
	}
	l, err := s.open(id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	c := event.Configured{}
	if known := l.index.Configured; known != nil {
		c = *known
	}
	c.Title, c.By = title, session.ByRename
	if err := l.Append(event.Envelope{Seq: l.Last() + 1, Time: s.now(), Payload: c}); err != nil {
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	if before != nil {
		// A title is no work on the session: it stays where it was in the list.
		_ = os.Chtimes(s.journal(id), time.Time{}, before.ModTime())
	}
	return nil
}

func cleanTitle(title string) string {
	title = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(title, ""))
	title = strings.Join(strings.Fields(title), " ")
	if runes := []rune(title); len(runes) > maxTitle {
		title = string(runes[:maxTitle])
	}
	return title
}
