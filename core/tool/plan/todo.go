package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"reasonix/core/event"
	"reasonix/core/tool"
)

// The states of a todo.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
)

const todoSchema = `{"properties":{"todos":{"items":{"properties":{` +
	`"content":{"type":"string"},` +
	`"level":{"enum":[0,1],"type":"integer"},` +
	`"status":{"enum":["pending","in_progress","completed"],"type":"string"}},` +
	`"required":["content","status"],"type":"object"},"type":"array"}},"required":["todos"],"type":"object"}`

type todoArguments struct {
	Todos []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
		Level   int    `json:"level"`
	} `json:"todos"`
}

func (a todoArguments) list() []event.Todo {
	list := make([]event.Todo, len(a.Todos))
	for i, t := range a.Todos {
		list[i] = event.Todo{Text: oneLine(t.Content), Status: t.Status, Level: t.Level}
	}
	return list
}

// todoWrite replaces the session's todo list. The zero value describes; Bind
// returns the one that runs.
type todoWrite struct{ current *todos }

// todos is the session's list. After a resume it is the one of before.
type todos struct {
	mu   sync.Mutex
	list []event.Todo
}

func (todoWrite) Name() string { return "todo_write" }

func (todoWrite) Description() string {
	return "Replace the todo list. At most one in_progress; level 1 steps complete before their level 0 phase."
}

func (todoWrite) Schema() json.RawMessage { return json.RawMessage(todoSchema) }
func (todoWrite) ReadOnly() bool          { return false }

func (todoWrite) Bind(env tool.Env) (tool.Tool, error) {
	current, err := tool.Shared(env, func() (*todos, error) { return &todos{list: slices.Clone(env.Todos)}, nil })
	if err != nil {
		return nil, err
	}
	return todoWrite{current: current}, nil
}

// Subject says how far the list is.
func (todoWrite) Subject(raw json.RawMessage) tool.Subject {
	var args todoArguments
	_ = json.Unmarshal(raw, &args) // a call that cannot be decoded is refused later
	return tool.Subject{Title: "Todos: " + summary(args.list()), Kind: "think"}
}

// Execute checks the list against the rules and the list before it. A list that
// is refused changes nothing.
func (t todoWrite) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if t.current == nil {
		return "", tool.ErrUnbound
	}
	var args todoArguments
	if err := tool.Decode(raw, json.RawMessage(todoSchema), &args); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	t.current.mu.Lock()
	defer t.current.mu.Unlock()
	list := args.list()
	if err := check(t.current.list, list); err != nil {
		return "", fmt.Errorf("todo list unchanged: %w", err)
	}
	if note := tool.CallFrom(ctx).Note; note != nil {
		if err := note(event.Planned{Todos: list}); err != nil {
			return "", fmt.Errorf("record todo list: %w", err)
		}
	}
	t.current.list = list
	return summary(list), nil
}

// summary is how many are completed and what comes next.
func summary(list []event.Todo) string {
	if len(list) == 0 {
		return "none"
	}
	done := 0
	for _, t := range list {
		if t.Status == completed {
			done++
		}
	}
	return fmt.Sprintf("%d of %d completed%s", done, len(list), next(list))
}

// next names the step to work on.
func next(list []event.Todo) string {
	for _, t := range list {
		if t.Status == inProgress {
			return "; in progress: " + t.Text
		}
	}
	for _, p := range phases(list) {
		if i := p.firstOpen(list); i >= 0 {
			return "; next: " + list[i].Text
		}
		if list[p.at].Status != completed {
			return "; next: " + list[p.at].Text
		}
	}
	return ""
}
