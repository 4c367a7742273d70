package sessiontest_test

import (
	"errors"
	"syscall"
	"testing"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sessiontest"
)

func TestMemory(t *testing.T) {
	sessiontest.Run(t, func(*testing.T) session.Store { return sessiontest.Memory() })
}

func TestMemoryFailsWhenTold(t *testing.T) {
	s := sessiontest.Memory()
	l, err := s.Create(t.Context(), session.Meta{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	e := event.Envelope{Seq: 1, Payload: event.Notice{}}
	s.FailAppends(syscall.ENOSPC)
	if err := l.Append(e); !errors.Is(err, syscall.ENOSPC) || l.Last() != 0 {
		t.Errorf("append: %v, last %d", err, l.Last())
	}
	s.FailAppends(nil)
	if err := l.Append(e); err != nil {
		t.Error(err)
	}
}
