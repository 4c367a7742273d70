package acp

import (
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
	d.speech.inFlight()
	if len(v.Todos) > 0 {
		d.update(planOf(v.Todos))
	}
	for _, q := range v.Queue {
		d.speech.waits(ctx, q)
	}
	for _, q := range v.Pending {
		d.asking.again(q.ID)
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
			d.speech.said(ctx, m.ID, m.Text, m.Attachments)
		}
	case message.Assistant:
		d.chunk(acpwire.AgentThought, m.ID, m.Reasoning)
		d.chunk(acpwire.AgentMessage, m.ID, m.Text)
		for i := range m.Calls {
			d.calls.before(ctx, &m.Calls[i])
		}
	default: // the results of calls stand in the calls
	}
}
