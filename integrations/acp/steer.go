package acp

import (
	"context"
	"errors"
	"sync"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// What a steer does when no turn runs (whenIdle).
const (
	idleError  = "error" // the default
	idlePrompt = "prompt"
	idleQueue  = "queue"
)

// steers are the steer requests whose word was handed over and has no place in the
// session yet. Safe for concurrent use.
type steers struct {
	mu      sync.Mutex
	waiting map[event.PromptID]steering
}

// steering is one of them. own says that the word waits for a turn of its own.
type steering struct {
	req *jsonrpc.Request
	own bool
}

// steering answers the steer extension: with the number of the durable event that the
// word became, as soon as that is known.
func (s *server) steering(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.Steer
	if err := req.Bind(&p); err != nil {
		return err
	}
	switch p.WhenIdle {
	case "", idleError, idlePrompt, idleQueue:
	default:
		return badOption(req.Method, "whenIdle", p.WhenIdle, []string{idleError, idlePrompt, idleQueue})
	}
	ses, in, err := s.read(req)
	if err != nil {
		return err
	}
	op := protocol.Steer{ID: newPromptID(), Text: in.Text, Data: in.Data, Images: in.Images, IfIdle: protocol.SteerRefuse}
	if p.WhenIdle == idlePrompt {
		op.IfIdle = protocol.SteerQueue
	}
	err = ses.hear(ctx, req, op.ID, op, false)
	if p.WhenIdle == idleQueue && errors.Is(err, protocol.ErrStale) {
		err = ses.hear(ctx, req, op.ID, protocol.Prompt{ID: op.ID, Text: in.Text, Data: in.Data, Images: in.Images, Queue: true}, true)
	}
	return submitError(req.Method, err)
}

// hear submits the word and has it answered when the session has told of it.
func (s *session) hear(ctx context.Context, req *jsonrpc.Request, id event.PromptID, op protocol.Op, own bool) error {
	s.steers.wait(id, steering{req, own})
	s.turns.steer(id)
	err := s.Submit(ctx, op)
	if err != nil {
		s.turns.unsteer(id)
		s.steers.forget(id)
	}
	return err
}

func (w *steers) wait(id event.PromptID, one steering) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = map[event.PromptID]steering{}
	}
	w.waiting[id] = one
}

func (w *steers) forget(id event.PromptID) { w.take(id) }

func (w *steers) take(id event.PromptID) (steering, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.waiting[id]
	delete(w.waiting, id)
	return one, ok
}

// seen answers the request whose word e is the record of. A word that is no steer
// begins a turn, or waits for one while another runs.
func (w *steers) seen(e event.Envelope, running bool) {
	p, ok := e.Payload.(event.PromptQueued)
	if !ok {
		return
	}
	one, ok := w.take(p.ID)
	if !ok {
		return
	}
	res := acpwire.SteerResult{Disposition: "steered", Seq: uint64(e.Seq)}
	switch {
	case one.own, p.Kind != event.KindSteer && running:
		res.Disposition = "queued"
	case p.Kind != event.KindSteer:
		res.Disposition = "started"
	}
	one.req.Reply(res, nil)
}

// rest refuses what was handed over to a session that is closed.
func (w *steers) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, one := range w.waiting {
		one.req.Reply(nil, submitError(one.req.Method, protocol.ErrClosed))
		delete(w.waiting, id)
	}
}
