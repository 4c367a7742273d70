package engine

import (
	"context"
	"sync"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/tool"
)

// questions are those a person has not answered. Safe for concurrent use.
type questions struct {
	mu   sync.Mutex
	open map[event.RequestID]chan event.Answered
}

func (q *questions) add(id event.RequestID) <-chan event.Answered {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[event.RequestID]chan event.Answered{}
	}
	answered := make(chan event.Answered, 1)
	q.open[id] = answered
	return answered
}

// claim takes a question away: whoever gets it answers it. It is nil for one
// that is not open.
func (q *questions) claim(id event.RequestID) chan<- event.Answered {
	q.mu.Lock()
	defer q.mu.Unlock()
	answered := q.open[id]
	delete(q.open, id)
	return answered
}

// ask puts a question of a tool to the user, when there is one.
func (s *sess) ask(ctx context.Context, q event.Question) (event.Answer, error) {
	if !s.spec.Interactive {
		return event.Answer{}, tool.ErrNobody
	}
	select { // a server may ask while the session is being opened
	case <-s.ready:
	case <-s.stop:
		return event.Answer{}, protocol.ErrClosed
	case <-ctx.Done():
		return event.Answer{}, ctx.Err()
	}
	if q.ID == "" {
		q.ID = event.RequestID(s.e.p.NewID())
	}
	phase := event.PhaseInput
	if q.Kind == event.AskUnconfined {
		phase = event.PhasePermission
		if s.organs.Sandbox != nil {
			q.Sandbox = s.organs.Sandbox()
		}
	}
	return s.askAs(ctx, phase, q)
}

// askAs records the question and waits for its answer, which the turn's end
// gives too. A server may ask beside a turn, or while none runs.
func (s *sess) askAs(ctx context.Context, phase string, q event.Question) (event.Answer, error) {
	answered, err := s.pose(q)
	if err != nil {
		return event.Answer{}, err
	}
	return s.await(ctx, phase, q, answered)
}

// pose records a question, which can be answered from then on.
func (s *sess) pose(q event.Question) (<-chan event.Answered, error) {
	answered := s.questions.add(q.ID)
	if err := s.emit(event.Asked{Question: q}); err != nil {
		s.questions.claim(q.ID)
		return nil, err
	}
	return answered, nil
}

// await waits for the answer to a question that was posed.
func (s *sess) await(ctx context.Context, phase string, q event.Question, answered <-chan event.Answered) (event.Answer, error) {
	defer s.phases.answered(q.ID, s.j.emit)
	if err := s.phases.wait(q.ID, event.Phase{Name: phase, Detail: q.Title}, s.j.emit); err != nil {
		s.questions.claim(q.ID)
		return event.Answer{}, err
	}
	s.notify(q)
	select {
	case a := <-answered:
		return a.Answer, nil
	case <-ctx.Done():
	}
	if s.questions.claim(q.ID) == nil {
		return (<-answered).Answer, nil // the answer won the race
	}
	cancelled := event.Answered{ID: q.ID, Answer: event.Answer{Cancelled: true}, By: event.ByCancel}
	if err := s.emit(cancelled); err != nil {
		return event.Answer{}, err
	}
	return cancelled.Answer, ctx.Err()
}

func (l *looper) answer(op protocol.Answer) error {
	c := l.questions.claim(op.ID)
	if c == nil {
		return protocol.ErrStale
	}
	a := event.Answered{ID: op.ID, Answer: op.Answer, By: event.ByUser}
	if err := l.j.emit(a); err != nil {
		c <- event.Answered{ID: op.ID, Answer: event.Answer{Cancelled: true}, By: event.ByCancel}
		return err
	}
	c <- a
	return nil
}
