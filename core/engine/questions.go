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
	rec         *recorder
	newID       func() string
	interactive bool            // there is a person
	ready       <-chan struct{} // closed when the session is assembled
	stop        <-chan struct{} // closed when it is to end
	// Set before ready is closed: what holds commands, nil when nobody knows, and who is
	// told that a person is waited for.
	sandbox func() string
	notify  func(event.Question)

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
func (q *questions) ask(ctx context.Context, question event.Question) (event.Answer, error) {
	if !q.interactive {
		return event.Answer{}, tool.ErrNobody
	}
	select { // a server may ask while the session is being opened
	case <-q.ready:
	case <-q.stop:
		return event.Answer{}, protocol.ErrClosed
	case <-ctx.Done():
		return event.Answer{}, ctx.Err()
	}
	if question.ID == "" {
		question.ID = event.RequestID(q.newID())
	}
	phase := event.PhaseInput
	if question.Kind == event.AskUnconfined {
		phase = event.PhasePermission
		if q.sandbox != nil {
			question.Sandbox = q.sandbox()
		}
	}
	return q.askAs(ctx, phase, question)
}

// askAs records the question and waits for its answer, which the turn's end
// gives too. A server may ask beside a turn, or while none runs.
func (q *questions) askAs(ctx context.Context, phase string, question event.Question) (event.Answer, error) {
	answered, err := q.pose(question)
	if err != nil {
		return event.Answer{}, err
	}
	return q.await(ctx, phase, question, answered)
}

// pose records a question, which can be answered from then on.
func (q *questions) pose(question event.Question) (<-chan event.Answered, error) {
	answered := q.add(question.ID)
	if err := q.rec.emit(event.Asked{Question: question}); err != nil {
		q.claim(question.ID)
		return nil, err
	}
	return answered, nil
}

// await waits for the answer to a question that was posed.
func (q *questions) await(ctx context.Context, phase string, question event.Question, answered <-chan event.Answered) (event.Answer, error) {
	defer q.rec.phases.answered(question.ID, q.rec.j.emit)
	if err := q.rec.phases.wait(question.ID, event.Phase{Name: phase, Detail: question.Title}, q.rec.j.emit); err != nil {
		q.claim(question.ID)
		return event.Answer{}, err
	}
	if q.notify != nil {
		q.notify(question)
	}
	select {
	case a := <-answered:
		return a.Answer, nil
	case <-ctx.Done():
	}
	if q.claim(question.ID) == nil {
		return (<-answered).Answer, nil // the answer won the race
	}
	cancelled := event.Answered{ID: question.ID, Answer: event.Answer{Cancelled: true}, By: event.ByCancel}
	if err := q.rec.emit(cancelled); err != nil {
		return event.Answer{}, err
	}
	return cancelled.Answer, ctx.Err()
}

// answer serves the Op.
func (q *questions) answer(op protocol.Answer) error {
	c := q.claim(op.ID)
	if c == nil {
		return protocol.ErrStale
	}
	a := event.Answered{ID: op.ID, Answer: op.Answer, By: event.ByUser}
	if err := q.rec.j.emit(a); err != nil {
		c <- event.Answered{ID: op.ID, Answer: event.Answer{Cancelled: true}, By: event.ByCancel}
		return err
	}
	c <- a
	return nil
}

// settle answers a question in the place of a person, unless one did.
func (q *questions) settle(id event.RequestID, a event.Answered) {
	c := q.claim(id)
	if c == nil {
		return
	}
	if err := q.rec.j.emit(a); err != nil {
		a = event.Answered{ID: id, Answer: event.Answer{Cancelled: true}, By: event.ByCancel}
	}
	c <- a
}
