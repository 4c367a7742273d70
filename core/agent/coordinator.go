package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reasonix/core/event"
	"reasonix/core/message"
)

// sourcePlan is the kind of a user message that holds a plan.
const sourcePlan = "plan"

// Plan is what the planner has to say about a task. Source names where it was
// made, Cost what it cost in the turn's currency.
type Plan struct {
	Text, Source string
	Cost         float64
}

// Planner thinks about a task in a conversation of its own. An error that comes
// with a text spoils the text only in part.
type Planner interface {
	Plan(ctx context.Context, task string) (Plan, error)
}

// Coordinator is the Runner with two models: one plans, in its own session and with
// tools that only read, and hands its plan over as text; the other works. Neither
// sees the other's conversation, so both prefixes grow undisturbed. A planner that
// fails costs the plan and nothing else. Like every Runner it runs one turn at a
// time.
type Coordinator struct {
	Executor Runner
	Planner  Planner
	Model    string // the planner's, provider/model
	// Continues reports whether what was typed only tells to go on. Nothing is
	// planned for it.
	Continues func(typed string) bool
	Emit      func(event.Payload) error
	NewID     func() string
}

// Run plans when the turn starts work, then lets the executor work.
func (c *Coordinator) Run(ctx context.Context, in Input) error {
	if in.Typed != "" && !c.Continues(in.Typed) && len(in.Messages) > 0 {
		if err := c.prepare(ctx, &in); err != nil {
			return err
		}
	}
	return c.Executor.Run(ctx, in)
}

// Fold compacts the executor's conversation.
func (c *Coordinator) Fold(ctx context.Context, in Input, focus string) error {
	if f, ok := c.Executor.(Folder); ok {
		return f.Fold(ctx, in, focus)
	}
	return nil
}

// prepare adds the plan to the user's turn.
func (c *Coordinator) prepare(ctx context.Context, in *Input) error {
	if err := c.Emit(event.Phase{Name: event.PhasePlanning, Detail: c.Model}); err != nil {
		return err
	}
	plan, err := c.Planner.Plan(ctx, in.Messages[len(in.Messages)-1].Content)
	in.Used.Cost += plan.Cost
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	text := strings.TrimSpace(plan.Text)
	if text == "" {
		return c.alone(err)
	}
	text = fmt.Sprintf(notePlan, c.Model, text)
	m := message.Message{ID: message.ID(c.NewID()), Role: message.User, Content: text}
	err = c.Emit(event.UserSaid{Message: m, Sources: []event.Source{{Kind: sourcePlan, Ref: plan.Source, Bytes: len(text)}}})
	if err != nil {
		return err
	}
	in.Messages = append(in.Messages[:len(in.Messages):len(in.Messages)], m)
	return nil
}

// alone tells that there is no plan.
func (c *Coordinator) alone(err error) error {
	if err == nil {
		err = errors.New("it said nothing")
	}
	return c.Emit(event.Notice{
		Level: event.LevelWarning, Code: "planner_failed", Args: []string{c.Model, err.Error()},
		Text: fmt.Sprintf("no plan could be had from %s, so the work goes on without one: %v", c.Model, err),
	})
}
