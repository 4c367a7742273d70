package acp

import (
	"cmp"
	"context"
	"slices"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/view"
	"reasonix/integrations/internal/acpwire"
)

// replay shows the client of a session that it loads how the session stands: the
// conversation as people read it, folded first, so that what was rewound is not in it
// and every call has the status it ended with; then what is under way, as far as the
// client's updates are. They go on exactly there. Only follow's goroutine calls it.
func (d *drawing) replay(ctx context.Context) error {
	v, err := d.past(ctx)
	if err != nil {
		return err
	}
	for _, m := range v.Messages {
		d.before(ctx, m)
	}
	d.chunk(acpwire.AgentThought, d.shown.message, string(d.shown.thoughts))
	d.chunk(acpwire.AgentMessage, d.shown.message, string(d.shown.texts))
	if len(v.Todos) > 0 {
		d.update(planOf(v.Todos))
	}
	for _, q := range v.Queue {
		d.foreseen[q.ID] = true
		d.saidBefore(ctx, message.ID(q.ID), q.Display, q.Attachments)
	}
	for _, q := range v.Pending {
		if asked := d.questions[q.ID]; asked != nil {
			d.put(asked)
		}
	}
	return nil
}

// past is the session as of the newest event that the client was told of.
func (d *drawing) past(ctx context.Context) (view.State, error) {
	var f folder
	for env, err := range d.of.Events(ctx, 0) {
		if err != nil {
			return view.State{}, err
		}
		if _, present := env.Payload.(event.CaughtUp); present || env.Seq > d.drawn {
			break
		}
		f.add(env)
	}
	return f.whole(), nil
}

// folder folds a journal in time in proportion to its length: what earlier turns said is
// out of the way while a turn is folded.
type folder struct {
	view    view.State
	earlier []*view.Message
}

func (f *folder) add(e event.Envelope) {
	switch e.Payload.(type) {
	case event.TurnStarted:
		f.earlier, f.view.Messages = append(f.earlier, f.view.Messages...), nil
	case event.Rewound: // to any message
		f.view, f.earlier = f.whole(), nil
	default: // it is about this turn
	}
	f.view = withoutLog(view.Apply(f.view, e))
}

func (f *folder) whole() view.State {
	v := f.view
	v.Messages = slices.Concat(f.earlier, v.Messages)
	return v
}

// withoutLog drops what only grows and is not shown.
func withoutLog(v view.State) view.State {
	v.Notices, v.Folds, v.Denials, v.Hooks, v.Grants, v.Children = nil, nil, nil, nil, nil, nil
	return v
}

// before shows a message that is whole.
func (d *drawing) before(ctx context.Context, m *view.Message) {
	switch m.Role {
	case message.User:
		if m.Prompt != "" { // what the host told the model is not shown
			d.saidBefore(ctx, m.ID, m.Text, m.Attachments)
		}
	case message.Assistant:
		d.chunk(acpwire.AgentThought, m.ID, m.Reasoning)
		d.chunk(acpwire.AgentMessage, m.ID, m.Text)
		for i := range m.Calls {
			d.calledBefore(ctx, &m.Calls[i])
		}
	default: // the results of calls stand in the calls
	}
}

// calledBefore shows a call. One that has not finished runs still, in a session that is
// open already.
func (d *drawing) calledBefore(ctx context.Context, c *view.Call) {
	kind := cmp.Or(kindWord(c.Kind), kindOf(c.Name))
	u := announcement(message.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}, "pending")
	u.Title, u.Kind, u.Locations = cmp.Or(c.Title, c.Name, "call"), kind, locations(c.Paths)
	if c.Status == "" && c.Started {
		u.Status = "in_progress"
	}
	d.update(u)
	if c.Status == "" {
		d.running(c.ID)
		return
	}
	d.update(d.result(ctx, kind, event.ToolFinished{
		Call: c.ID, Title: c.Title, Status: c.Status, Reason: c.Reason, Exit: c.Exit, Diffs: c.Diffs, Took: c.Took,
		Message: message.Message{Content: c.Output.Text, Attachments: c.Images},
	}))
}

// running shows what a call that runs has come to so far.
func (d *drawing) running(id string) {
	c := d.calls[id]
	if c == nil {
		return
	}
	if panes := d.lent.panes(id); len(panes) > 0 {
		d.update(acpwire.Call{SessionUpdate: acpwire.ToolCallChange, ID: id, Content: panes})
		return
	}
	if c.out != "" {
		d.update(liveOutput(c))
	}
	if c.progress != (event.ToolProgress{}) {
		d.update(progressOf(c.progress))
	}
}

// saidBefore shows what was said without this client's doing: what was typed, and what
// came with it.
func (d *drawing) saidBefore(ctx context.Context, id message.ID, text string, attached []message.Attachment) {
	d.chunk(acpwire.UserMessage, id, text)
	d.attachedBefore(ctx, id, attached)
}
