package jsonl

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// digest is what an index keeps of a journal's records. It changes with each of them
// in order and depends on nothing else, so that a writer and a reader of the same
// journal have the same.
type digest struct {
	Header  header    `json:"header"`
	Updated time.Time `json:"updated,omitzero"`
	Title   string    `json:"title,omitzero"`
	First   string    `json:"first,omitzero"` // first line of the first prompt
	Model   string    `json:"model,omitzero"`

	Turn       int                  `json:"turn,omitzero"`
	Outcome    event.Outcome        `json:"outcome,omitzero"`
	Reason     string               `json:"reason,omitzero"`
	Detail     string               `json:"detail,omitzero"`
	Unfinished *session.Unfinished  `json:"unfinished,omitzero"`
	Asked      []asked              `json:"asked,omitzero"`
	Effective  *event.Configured    `json:"effective,omitzero"`
	Configured *event.Configured    `json:"configured,omitzero"`
	Waiting    []event.PromptQueued `json:"waiting,omitzero"`
	Usage      message.Usage        `json:"usage,omitzero"`
	Spent      []session.Spend      `json:"spent,omitzero"`
	Prefix     event.Seq            `json:"prefix,omitzero"`
	Folds      []event.Seq          `json:"folds,omitzero"`
}

// asked is a question that waits for its answer.
type asked struct {
	ID    event.RequestID `json:"id"`
	Title string          `json:"title,omitzero"`
}

// typeFolded is what a record that folded the conversation is called.
const typeFolded = "context.folded"

// peekHead is how much of a record holds its number, time, turn and type.
const peekHead = 160

// record takes in one record; with brief, only what a list shows.
func (d *digest) record(object []byte, brief bool) {
	start := object[:min(len(object), peekHead)]
	kind, _ := sealed.Member(start, `"type":"`)
	d.touch(start, string(kind))
	switch kind := string(kind); kind {
	case "session.configured", "prompt.queued", "turn.started", "turn.ended":
	case "model.replied", "tool.started", "question.asked", "question.answered":
		if brief {
			return
		}
	case "tool.finished", "user.said":
		if !brief {
			d.byKey(kind, object)
		}
		return
	case "session.prefix_set":
		d.Prefix = sealed.Seq(object)
		return
	case typeFolded:
		if brief {
			return
		}
	default:
		return
	}
	if e, err := event.Decode(object); err == nil {
		d.apply(e)
	}
}

// touch keeps when the session was last used, which giving it a title is not.
func (d *digest) touch(start []byte, kind string) {
	var at time.Time
	if text, ok := sealed.Member(start, `"time":"`); ok && at.UnmarshalText(text) == nil {
		d.used(at, kind)
	}
}

func (d *digest) used(at time.Time, kind string) {
	if kind != "session.configured" || d.Updated.IsZero() {
		d.Updated = at
	}
}

// byKey takes in a record of which one short member counts, without decoding the rest.
func (d *digest) byKey(kind string, object []byte) {
	key := map[string]string{"tool.finished": `"data":{"call":"`, "user.said": `"data":{"prompt":"`}[kind]
	value, ok := sealed.Member(object[:min(len(object), 2*peekHead)], key)
	if !ok || bytes.IndexByte(value, '\\') >= 0 {
		var all struct {
			Data struct{ Call, Prompt string }
		}
		if json.Unmarshal(object, &all) != nil {
			return
		}
		value = []byte(all.Data.Call + all.Data.Prompt)
	}
	if kind == "tool.finished" {
		d.answered(string(value))
	} else {
		d.begun(event.PromptID(value))
	}
}

// event takes in an event that is being written.
func (d *digest) event(e event.Envelope) {
	kind := event.KindOf(e.Payload).Type
	if !e.Time.IsZero() {
		d.used(e.Time.UTC().Round(0), kind)
	}
	switch p := e.Payload.(type) {
	case event.PrefixSet:
		d.Prefix = e.Seq
	case event.ToolFinished:
		d.answered(p.Call)
	case event.UserSaid:
		d.begun(p.Prompt)
	default:
		d.apply(e)
	}
}

func (d *digest) apply(e event.Envelope) {
	d.Turn = max(d.Turn, e.Turn)
	switch p := e.Payload.(type) {
	case event.Configured:
		d.configured(p, e.Time)
	case event.Folded:
		d.folded(p, e)
	case event.PromptQueued:
		p.Display = firstLine(cmp.Or(p.Display, p.Data))
		d.First = cmp.Or(d.First, p.Display)
		d.Waiting = append(d.Waiting, p)
	case event.TurnStarted:
		d.Outcome, d.Reason, d.Detail = "", "", ""
		d.Unfinished = &session.Unfinished{Turn: e.Turn, Prompt: p.Prompt}
		d.Effective, d.Asked = d.Configured, nil
	case event.TurnEnded:
		d.ended(p)
	case event.Replied:
		d.replied(p, e.Time)
	case event.ToolStarted:
		d.started(p)
	case event.Asked:
		d.Asked = append(d.Asked, asked{p.Question.ID, cmp.Or(p.Question.Title, firstLine(p.Question.Body))})
	case event.Answered:
		d.Asked = slices.DeleteFunc(d.Asked, func(a asked) bool { return a.ID == p.ID })
	default: // the rest is not looked up
	}
}

func (d *digest) configured(p event.Configured, at time.Time) {
	if p.By != session.ByRename && !at.IsZero() {
		d.Updated = at.UTC().Round(0)
	}
	d.Configured, d.Model, d.Title = &p, p.Model, p.Title
}

// ended closes the turn that runs. The end of another prompt, cancelled while it waited
// or blocked, is none of it.
func (d *digest) ended(p event.TurnEnded) {
	d.begun(p.Prompt)
	if d.Unfinished != nil && d.Unfinished.Prompt != p.Prompt {
		return
	}
	d.Outcome, d.Reason, d.Detail = p.Outcome, p.Reason, p.Detail
	d.Unfinished, d.Asked = nil, nil
}

// begun takes a prompt off the list of those that wait.
func (d *digest) begun(id event.PromptID) {
	d.Waiting = slices.DeleteFunc(d.Waiting, func(q event.PromptQueued) bool { return q.ID == id })
}

// folded notes where the conversation was folded, and what a summary cost.
func (d *digest) folded(p event.Folded, e event.Envelope) {
	d.Folds = append(d.Folds, e.Seq)
	if p.Model == "" {
		return // no request was made for it
	}
	d.Usage = d.Usage.Add(p.Usage)
	d.spend(p.Model, p.Usage, p.Cost, e.Time)
}

func (d *digest) replied(p event.Replied, at time.Time) {
	d.Usage = d.Usage.Add(p.Usage)
	d.spend(p.Model, p.Usage, p.Cost, at)
	if d.Unfinished == nil {
		return
	}
	d.Unfinished.Calls = nil
	for _, c := range p.Message.ToolCalls {
		d.Unfinished.Calls = append(d.Unfinished.Calls, session.PendingCall{ID: c.ID, Name: c.Name})
	}
}

func (d *digest) started(p event.ToolStarted) {
	if d.Unfinished == nil {
		return
	}
	for i, c := range d.Unfinished.Calls {
		if c.ID == p.Call {
			d.Unfinished.Calls[i].Title, d.Unfinished.Calls[i].Started = p.Title, true
		}
	}
}

func (d *digest) answered(call string) {
	if d.Unfinished != nil {
		d.Unfinished.Calls = slices.DeleteFunc(d.Unfinished.Calls, func(c session.PendingCall) bool { return c.ID == call })
	}
}

// spend adds a request to the account of its day, model and currency.
func (d *digest) spend(model string, usage message.Usage, price *event.Money, at time.Time) {
	var cost event.Money
	if price != nil {
		cost = *price
	}
	day := at.UTC().Format(time.DateOnly)
	i := slices.IndexFunc(d.Spent, func(s session.Spend) bool {
		return s.Day == day && s.Model == model && s.Currency == cost.Currency
	})
	if i < 0 {
		i = len(d.Spent)
		d.Spent = append(d.Spent, session.Spend{Day: day, Model: model, Currency: cost.Currency})
	}
	s := &d.Spent[i]
	s.Requests++
	s.Usage = s.Usage.Add(usage)
	s.Amount += cost.Amount
	s.Estimated = s.Estimated || cost.Estimated
}

// meta is what a list shows.
func (d *digest) meta(id event.SessionID) session.Meta {
	h := d.Header
	return session.Meta{
		Format: h.Format, ID: id, Workspace: h.Workspace, Created: h.Created, Parent: h.Parent, Writer: h.Writer,
		Client: h.Client, Title: cmp.Or(d.Title, d.First), Model: d.Model, Outcome: d.Outcome, Updated: d.Updated,
	}
}

// titleRunes is how long a title made from a prompt is at most.
const titleRunes = 80

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	n := 0
	for i := range line {
		if n == titleRunes {
			return line[:i] + "…"
		}
		n++
	}
	return line
}
