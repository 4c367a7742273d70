package engine

import (
	"slices"
	"sync"

	"reasonix/core/event"
)

// phases is what the session does now: what the turn does, and over that the questions
// that wait for an answer. Safe for concurrent use.
type phases struct {
	mu      sync.Mutex
	under   event.Phase // of the turn; zero: there was none
	waiting []waitPhase // in the order they were asked
}

type waitPhase struct {
	id event.RequestID
	event.Phase
}

// begin tells what the turn does from now on.
func (f *phases) begin(p event.Phase, emit func(event.Payload) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.under = p
	return emit(p)
}

// wait tells that a question waits.
func (f *phases) wait(id event.RequestID, p event.Phase, emit func(event.Payload) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, waitPhase{id, p})
	return emit(p)
}

// answered tells what goes on when a question waits no more: another question, the
// turn, or nothing.
func (f *phases) answered(id event.RequestID, emit func(event.Payload) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = slices.DeleteFunc(f.waiting, func(w waitPhase) bool { return w.id == id })
	now := f.under
	if n := len(f.waiting); n > 0 {
		now = f.waiting[n-1].Phase
	}
	if now.Name == "" {
		now.Name = event.PhaseIdle
	}
	_ = emit(now) // it is not stored: all that can go wrong is the end
}
