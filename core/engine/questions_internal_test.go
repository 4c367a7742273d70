package engine

import (
	"errors"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// closing is a log whose journal is closed by the first event it stores.
type closing struct {
	session.Log
	j *journal
}

func (c closing) Append(...event.Envelope) error {
	c.j.closed = true // the journal is locked
	return nil
}

// A question that could be recorded and not be waited for is nobody's any more.
func TestAQuestionThatIsNotWaitedForIsClosed(t *testing.T) {
	s := New(Parts{Now: time.Now}).blank(nil, protocol.Spec{})
	s.from.j.log = closing{j: s.from.j}
	_, err := s.questions.askAs(t.Context(), event.PhaseInput, event.Question{ID: "q"})
	if !errors.Is(err, protocol.ErrClosed) || s.questions.claim("q") != nil {
		t.Errorf("%v, and it is still open", err)
	}
}
