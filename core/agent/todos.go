package agent

import (
	"sync"

	"reasonix/core/event"
)

const todoCompleted = "completed"

// todoList is the todo list as the lease needs it. It is safe for concurrent use.
type todoList struct {
	mu   sync.Mutex
	list []event.Todo
}

// replace stores a new list and reports whether more of it is completed than of
// the one before.
func (t *todoList) replace(list []event.Todo) (completed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := countCompleted(t.list)
	t.list = list
	return countCompleted(list) > before
}

// open reports whether something is left to do.
func (t *todoList) open() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return countCompleted(t.list) < len(t.list)
}

func countCompleted(list []event.Todo) (n int) {
	for _, todo := range list {
		if todo.Status == todoCompleted {
			n++
		}
	}
	return n
}

// noting is what a running call records through; it follows the todo list, and why
// the call runs once more.
func (a *Agent) noting(j *job) func(event.Payload) error {
	return func(p event.Payload) error {
		if err := a.Emit(p); err != nil {
			return err
		}
		switch p := p.(type) {
		case event.Planned:
			if a.todos.replace(p.Todos) {
				j.completed.Store(true)
			}
		case event.ToolStarted:
			j.again.Store(&p.Rule)
		default: // nothing to follow
		}
		return nil
	}
}
