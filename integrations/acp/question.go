package acp

import (
	"context"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// several is a question of which any number of options may be chosen. The protocol lets
// a person choose one: it is asked again, with what was chosen marked, until they are
// done. To be done comes first once anything is chosen: a client that consents by itself
// takes the first option there is.
type several struct {
	permit
	picked []string
	rounds int // that ended with one more or one less chosen
}

// roundsEach bounds how often such a question is put again, for each of its options: more
// than a person changes their mind, and an end for a client that chooses by itself.
const roundsEach = 4

// The marks of an option.
const (
	markPicked = "[x] "
	markOpen   = "[ ] "
)

func (m *several) put() (*jsonrpc.Call, error) {
	p := m.params
	p.Options = nil
	done := acpwire.PermissionOption{ID: m.done(), Name: m.sum(), Kind: event.AllowOnce}
	if len(m.inOrder()) > 0 {
		p.Options = append(p.Options, done)
	}
	for _, o := range m.q.Options {
		one := permissionOption(m.lang, o)
		if slices.Contains(m.picked, o.ID) {
			one.Name = markPicked + one.Name
		} else {
			one.Name = markOpen + one.Name
		}
		p.Options = append(p.Options, one)
	}
	if len(m.inOrder()) == 0 {
		p.Options = append(p.Options, done)
	}
	p.Options = append(p.Options, dismiss(m.lang, m.q))
	return m.conn.Call("session/request_permission", p)
}

// done is the id of the option that ends the choosing.
func (m *several) done() string { return questionID(m.q) + ":done" }

// sum names what was chosen so far.
func (m *several) sum() string {
	var labels []string
	for _, o := range m.q.Options {
		if slices.Contains(m.picked, o.ID) {
			labels = append(labels, o.Label)
		}
	}
	if len(labels) == 0 {
		return i18n.T(m.lang, "acp.done_none")
	}
	return i18n.T(m.lang, "acp.done", strings.Join(labels, ", "))
}

func (m *several) wait(ctx context.Context, call *jsonrpc.Call) (event.Answer, bool) {
	for {
		got, ok := chosen(ctx, call)
		if !ok {
			return event.Answer{}, false
		}
		if ids := got.Meta.Reasonix.OptionIDs; got.Outcome.Outcome == "selected" && len(ids) > 0 {
			return m.all(ids), true
		}
		if got.Outcome.Outcome == "selected" && got.Outcome.OptionID == m.done() {
			return event.Answer{Choice: m.inOrder()}, true
		}
		one := m.answer(got)
		if one.Cancelled {
			return one, true
		}
		m.toggle(one.Choice[0])
		if m.rounds++; m.rounds >= roundsEach*len(m.q.Options) {
			return event.Answer{Cancelled: true}, true
		}
		var err error
		if call, err = m.put(); err != nil {
			return event.Answer{Cancelled: true}, true
		}
	}
}

// all is the answer of a client that knows how to choose several at once.
func (m *several) all(ids []string) event.Answer {
	m.picked = ids
	return event.Answer{Choice: m.inOrder()}
}

func (m *several) toggle(id string) {
	if slices.Contains(m.picked, id) {
		m.picked = slices.DeleteFunc(m.picked, func(p string) bool { return p == id })
		return
	}
	m.picked = append(m.picked, id)
}

// inOrder are the chosen options in the order of the question.
func (m *several) inOrder() []string {
	ids := []string{}
	for _, o := range m.q.Options {
		if slices.Contains(m.picked, o.ID) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// The answers to a server's question.
const (
	acceptForm  = "accept"
	declineForm = "decline"
)

// elicits reports whether the client can show the question of a server: a form, or an
// address to open.
func (k *asking) elicits(q event.Question) bool {
	if len(q.Schema) > 0 {
		return k.can.Elicitation.Form != nil
	}
	return k.can.Elicitation.URL != nil
}

func elicitation(session string, q event.Question) acpwire.Elicitation {
	e := acpwire.Elicitation{SessionID: session, ToolCallID: q.Call, Mode: "form", Message: q.Title + ": " + q.Body, RequestedSchema: q.Schema}
	if len(q.Schema) == 0 {
		e.Mode, e.ElicitationID, e.URL = "url", string(q.ID), q.Body
		e.Message = q.Title + ": " + q.Why
	}
	return e
}

// form is a question that the client shows as one.
type form struct {
	conn   *jsonrpc.Conn
	params acpwire.Elicitation
}

func (f *form) put() (*jsonrpc.Call, error) { return f.conn.Call("elicitation/create", f.params) }

func (f *form) wait(ctx context.Context, call *jsonrpc.Call) (event.Answer, bool) {
	var got acpwire.ElicitationResult
	err := call.Wait(ctx, &got)
	switch {
	case ctx.Err() != nil:
		call.GiveUp()
		return event.Answer{}, false
	case err == nil && got.Action == acceptForm:
		return event.Answer{Choice: []string{acceptForm}, Data: got.Content}, true
	case err == nil && got.Action == declineForm:
		return event.Answer{Choice: []string{declineForm}}, true
	}
	return event.Answer{Cancelled: true}, true
}
