package acp

import (
	"cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/view"
	"reasonix/integrations/internal/acpwire"
)

// replay shows a client the past of a session that it loads: the conversation as people
// read it, folded first, so that what was rewound is not in it and every call has the
// status it ended with.
type replay struct {
	s    *session
	v    view.State
	over bool
}

func newReplay(s *session) *replay { return &replay{s: s} }

// show takes in one stored event.
func (r *replay) show(e event.Envelope) {
	if !r.over {
		r.v = view.Apply(r.v, e)
	}
}

// end sends the updates: the past is over. It leaves what the session draws with alone,
// and only the first call counts.
func (r *replay) end() {
	if r == nil || r.over {
		return
	}
	r.over = true
	for _, m := range r.v.Messages {
		switch m.Role {
		case message.User:
			if m.Prompt != "" { // what the host told the model is not shown
				r.s.saidBefore(m.ID, m.Text, m.Attachments)
			}
		case message.Assistant:
			r.reply(m)
		default: // the results of calls stand in the calls
		}
	}
	if len(r.v.Todos) > 0 {
		r.s.update(planOf(r.v.Todos))
	}
	r.v = view.State{}
}

func (r *replay) reply(m *view.Message) {
	r.s.chunk(acpwire.AgentThought, m.ID, m.Reasoning)
	r.s.chunk(acpwire.AgentMessage, m.ID, m.Text)
	for i := range m.Calls {
		r.call(&m.Calls[i])
	}
}

// call shows a call. One that has not finished runs still, in a session that is open
// already.
func (r *replay) call(c *view.Call) {
	kind := cmp.Or(kindWord(c.Kind), kindOf(c.Name))
	u := announcement(message.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}, "pending")
	u.Title, u.Kind, u.Locations = cmp.Or(c.Title, c.Name, "call"), kind, locations(c.Paths)
	if c.Status == "" && c.Started {
		u.Status = "in_progress"
	}
	r.s.update(u)
	if c.Status == "" {
		return
	}
	r.s.update(result(kind, event.ToolFinished{
		Call: c.ID, Title: c.Title, Status: c.Status, Reason: c.Reason, Exit: c.Exit, Diffs: c.Diffs, Took: c.Took,
		Message: message.Message{Content: c.Output.Text},
	}))
}

// saidBefore shows what was said without this client's doing: what was typed, and the
// pictures and files by name.
func (s *session) saidBefore(id message.ID, text string, attached []message.Attachment) {
	if text != "" {
		s.update(acpwire.Speech{SessionUpdate: acpwire.UserMessage, MessageID: string(id), Content: acpwire.TextBlock(text)})
	}
	for _, a := range attached {
		s.update(acpwire.Speech{SessionUpdate: acpwire.UserMessage, MessageID: string(id), Content: acpwire.Link{
			Type: "resource_link", URI: cmp.Or(a.Path, "attachment:"+a.Hash), Name: cmp.Or(a.Name, "attachment"), MIMEType: a.MIME, Size: a.Size,
		}})
	}
}
