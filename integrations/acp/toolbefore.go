package acp

import (
	"cmp"
	"context"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/view"
	"reasonix/integrations/internal/acpwire"
)

// before shows a call. One that has not finished runs still, in a session that is
// open already.
func (b *callBoard) before(ctx context.Context, c *view.Call) {
	kind := cmp.Or(kindWord(c.Kind), kindOf(c.Name))
	u := announcement(message.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}, "pending")
	u.Title, u.Kind, u.Locations = cmp.Or(c.Title, c.Name, "call"), kind, locations(c.Paths)
	if c.Status == "" && c.Started {
		u.Status = "in_progress"
	}
	b.update(u)
	if c.Status == "" {
		b.running(c.ID)
		return
	}
	b.update(b.result(ctx, kind, event.ToolFinished{
		Call: c.ID, Title: c.Title, Status: c.Status, Reason: c.Reason, Exit: c.Exit, Diffs: c.Diffs, Took: c.Took,
		Message: message.Message{Content: c.Output.Text, Attachments: c.Images},
	}))
}

// running shows what a call that runs has come to so far.
func (b *callBoard) running(id string) {
	c := b.open[id]
	if c == nil {
		return
	}
	if panes := b.lent.panes(id); len(panes) > 0 {
		b.update(acpwire.Call{SessionUpdate: acpwire.ToolCallChange, ID: id, Content: panes})
		return
	}
	if c.out != "" {
		b.update(liveOutput(c))
	}
	if c.progress != (event.ToolProgress{}) {
		b.update(progressOf(c.progress))
	}
}
